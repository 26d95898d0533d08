import BluetoothHost
import LinuxRadio

/// The bonds of a radio, in memory and in a file if there is one. They outlive the host, which is
/// replaced when the radio is opened again. For any thread.
package final class RadioBonds: BondStore, Sendable {
  private let table = Locked(StandardBondTable())
  /// Their file; `nil` for bonds that last as long as the radio.
  let file: RadioBondFile?
  /// A problem of the file when it was opened, as a sentence without its full stop; `nil` for none.
  package let notice: String?

  /// Bonds in memory, at most 16.
  package init() {
    file = nil
    notice = nil
  }

  /// The bonds in the file at `path`, which this radio holds until `close`.
  ///
  /// - Parameter report: Receives the first error of a series of failed writes.
  /// - Throws: Why the file cannot be used.
  package init(file path: String, report: @escaping RadioBondFile.Report = RadioBonds.log)
    throws(SystemError)
  {
    var opened = BondFile(path)
    var content = try opened.open()
    file = RadioBondFile(opened, identity: content.identity, report: report)
    notice = content.notice
    var bonds = content.takeBonds()
    table.withLock { swap(&$0, &bonds) }
  }

  /// The bonds in the file at `path`, or in memory if the path is `nil` or empty, or if the file
  /// cannot be used.
  ///
  /// - Parameter report: Receives the errors of the file.
  static func kept(at path: String?, report: @escaping RadioBondFile.Report = RadioBonds.log)
    -> RadioBonds
  {
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

  /// Logs an error of the file.
  package static let log: RadioBondFile.Report = { Log.logger.warning("\($0)") }

  // MARK: BondStore

  /// The number of bonds.
  package var count: Int { table.withLock { $0.count } }

  /// The bond with this number; `nil` if there is none.
  package func bond(at index: Int) -> Bond? { table.withLock { $0.bond(at: index) } }

  /// Stores a bond, and replaces the one with the same identity address.
  package func store(_ bond: Bond) { table.withLock { $0.store(bond) } }

  /// Deletes the bond with this number.
  package func remove(at index: Int) { table.withLock { $0.remove(at: index) } }

  /// The bond with this number has encrypted a link.
  package func markUsed(at index: Int) { table.withLock { $0.markUsed(at: index) } }

  // MARK: Peers

  /// The peers with a bond, the most recently used bond first.
  var peers: [DeviceAddress] {
    table.withLock { table in (0..<table.count).compactMap { table.bond(at: $0)?.identityAddress } }
  }

  /// Deletes the bond with the peer of this identity address, if there is one.
  func remove(_ peer: DeviceAddress) {
    table.withLock { table in if let number = table.index(of: peer) { table.remove(at: number) } }
  }

  // MARK: The file

  /// The error of the last write; `nil` if it succeeded, or if there is no file.
  package var failure: SystemError? { file?.failure }

  /// Writes the file if a bond has changed since the last call.
  ///
  /// - Parameter address: The address of the device; `nil` if unknown.
  func keep(as address: DeviceAddress?) {
    guard let file, table.withLock({ $0.isChanged }) else { return }
    write(to: file, as: address)
  }

  /// Writes the file if a change is missing, and releases it. A second call has no effect.
  func close(as address: DeviceAddress?) {
    guard let file else { return }
    if table.withLock({ $0.isChanged }) || file.failure != nil { write(to: file, as: address) }
    file.close()
  }

  private func write(to file: RadioBondFile, as address: DeviceAddress?) {
    file.write(as: address) { identity, bytes in
      table.withLock { table in
        BondFileFormat.write(table, identity: identity, to: &bytes)
        // After a failure, the next change writes the file again.
        table.markKept()
      }
    }
  }
}

/// The file of a radio's bonds, and the device's address with them: a bond is useless if the peer
/// does not recognise the address. For any thread.
package final class RadioBondFile: Sendable {
  /// Receives an error of the file, as a sentence without its full stop.
  package typealias Report = @Sendable (String) -> Void

  private struct State: ~Copyable {
    /// `nil` once released.
    var file: BondFile?
    var identity: LocalIdentity
    /// The error of the last write; `nil` if it succeeded.
    var failure: SystemError?
  }

  private let state: Locked<State>
  private let report: Report

  /// The address of the device: that in the file, or else a new one.
  let address: DeviceAddress
  /// Whether the file had none.
  let isAddressNew: Bool

  /// An open file.
  ///
  /// - Parameters:
  ///   - identity: The device's identity in the file.
  ///   - report: Receives the first error of a series of failed writes.
  init(_ file: consuming BondFile, identity: LocalIdentity?, report: @escaping Report) {
    isAddressNew = identity == nil
    let identity =
      identity ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
    address = identity.address
    state = Locked(State(file: file, identity: identity))
    self.report = report
  }

  /// The error of the last write; `nil` if it succeeded.
  var failure: SystemError? { state.withLock { $0.failure } }

  /// The address for the host: the one that bonded peers know, unless `choice` names another.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, address.kind == .random else { return choice.own }
    return .random(address)
  }

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - address: The address of the device; `nil` for the last one.
  ///   - fill: Makes the bytes of the file.
  func write(as address: DeviceAddress?, _ fill: (LocalIdentity, inout BondFileBytes) -> Void) {
    let newFailure: SystemError? = state.withLock { state in
      guard state.file != nil else { return nil }
      if let address { state.identity.address = address }
      var bytes = BondFileBytes()
      fill(state.identity, &bytes)
      defer { bytes.wipe() }
      do throws(SystemError) {
        try state.file?.save(bytes.span)
        state.failure = nil
        return nil
      } catch {
        let isNew = state.failure == nil
        state.failure = error
        return isNew ? error : nil
      }
    }
    if let newFailure { report("\(newFailure.description); new bonds last as long as the radio") }
  }

  /// Releases the file.
  func close() { state.withLock { $0.file = nil } }
}
