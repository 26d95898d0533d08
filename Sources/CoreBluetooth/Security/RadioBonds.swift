import BluetoothHost
import LinuxSystem

/// The bonds of a radio, for any thread: in memory, and in a file if there is one. They outlive the host,
/// which is made anew when the radio is opened again.
package final class RadioBonds: BondStore, Sendable {
  private let table = Locked(StandardBondTable())
  /// Where they are kept; `nil` for bonds that last as long as the radio.
  let file: RadioBondFile?
  /// What the user should know of the file as it was found, as a sentence without its full stop; `nil` if
  /// all is well.
  package let notice: String?

  /// Bonds in memory, 16 of them at most.
  package init() {
    file = nil
    notice = nil
  }

  /// The bonds in the file at `path`, which is this radio's until `close`.
  ///
  /// - Parameter report: Gets the reason when the file cannot be written, once until it can be.
  /// - Throws: Why the file cannot be used.
  package init(
    file path: String, report: @escaping RadioBondFile.Report = RadioBonds.log
  ) throws(SystemError) {
    var opened = BondFile(path)
    var content = try opened.open()
    file = RadioBondFile(opened, identity: content.identity, report: report)
    notice = content.notice
    var bonds = content.takeBonds()
    table.withLock { swap(&$0, &bonds) }
  }

  /// The bonds in the file at `path`; in memory if that is `nil` or empty, or if the file cannot be used.
  ///
  /// - Parameter report: Gets what is wrong with the file.
  static func kept(
    at path: String?, report: @escaping RadioBondFile.Report = RadioBonds.log
  ) -> RadioBonds {
    guard let path, !path.isEmpty else { return RadioBonds() }
    do throws(SystemError) {
      let bonds = try RadioBonds(file: path, report: report)
      if let notice = bonds.notice { report(notice) }
      return bonds
    } catch {
      report("\(error.description); bonds last as long as the radio")
      return RadioBonds()
    }
  }

  /// Logs what is wrong with a file of bonds.
  package static let log: RadioBondFile.Report = { Log.logger.warning("\($0)") }

  // MARK: BondStore

  /// How many bonds there are.
  package var count: Int { table.withLock { $0.count } }

  /// The bond with this number; `nil` if there is none.
  package func bond(at index: Int) -> Bond? { table.withLock { $0.bond(at: index) } }

  /// Keeps a bond in place of that with the same identity address.
  package func store(_ bond: Bond) { table.withLock { $0.store(bond) } }

  /// Drops the bond with this number.
  package func remove(at index: Int) { table.withLock { $0.remove(at: index) } }

  /// The bond with this number has encrypted a link.
  package func markUsed(at index: Int) { table.withLock { $0.markUsed(at: index) } }

  // MARK: Peers

  /// The peers, that of the bond used last first.
  var peers: [DeviceAddress] {
    table.withLock { table in
      (0..<table.count).compactMap { table.bond(at: $0)?.identityAddress }
    }
  }

  /// Drops the bond with the peer of this identity address, if there is one.
  func remove(_ peer: DeviceAddress) {
    table.withLock { table in
      if let number = table.index(of: peer) { table.remove(at: number) }
    }
  }

  // MARK: The file

  /// Why the file was not written when that was last tried; `nil` if it was, or if there is none.
  package var failure: SystemError? { file?.failure }

  /// Writes the file if a bond has changed since this was last called.
  ///
  /// - Parameter address: The address that the device goes by; `nil` if that is not known.
  func keep(as address: DeviceAddress?) {
    guard let file, table.withLock({ $0.isChanged }) else { return }
    write(to: file, as: address)
  }

  /// Writes the file if it lacks a change, and leaves it to others. Nothing happens the second time.
  func close(as address: DeviceAddress?) {
    guard let file else { return }
    if table.withLock({ $0.isChanged }) || file.failure != nil { write(to: file, as: address) }
    file.close()
  }

  private func write(to file: RadioBondFile, as address: DeviceAddress?) {
    file.write(as: address) { identity, bytes in
      table.withLock { table in
        BondFileFormat.write(table, identity: identity, to: &bytes)
        // A file that cannot be written is tried again at the next change.
        table.markKept()
      }
    }
  }
}
