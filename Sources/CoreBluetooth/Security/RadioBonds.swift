import BluetoothHost
import LinuxRadio

/// The bonds of a radio, in memory and in a file if there is one, with the device's address: a bond is
/// useless if the peer does not recognise the address. They outlive the host, which is replaced when
/// the radio is opened again. For any thread.
final class RadioBonds: BondStore, Sendable {
  /// Receives an error of the file, as a sentence without its full stop.
  typealias Report = @Sendable (String) -> Void

  private struct Kept: ~Copyable {
    /// `nil` once released.
    var file: BondFile?
    var identity: LocalIdentity
    /// The error of the last write; `nil` if it succeeded.
    var failure: SystemError?
  }

  private let table = Locked(StandardBondTable())
  /// Their file; `nil` for bonds that last as long as the radio. A disk may be slow: the table is not
  /// locked meanwhile.
  private let kept: Locked<Kept>?
  private let report: Report

  /// The address of the device, that in the file or else a new one; `nil` without a file.
  let address: DeviceAddress?
  /// Whether there is a file, and it had no address.
  let isAddressNew: Bool

  /// Bonds in memory, at most 16.
  init() {
    (kept, address, isAddressNew, report) = (nil, nil, false, { _ in })
  }

  /// The bonds in the file at `path`, which this radio holds until `close`.
  ///
  /// - Parameter report: Receives a problem of the file when it is opened, and the first error of each
  ///   series of failed writes.
  /// - Throws: Why the file cannot be used.
  private init(file path: String, report: @escaping Report) throws(SystemError) {
    var file = BondFile(path)
    var content = try file.open()
    isAddressNew = content.identity == nil
    let identity =
      content.identity ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
    address = identity.address
    kept = Locked(Kept(file: file, identity: identity))
    self.report = report
    if let notice = content.notice { report(notice) }
    var bonds = content.takeBonds()
    table.withLock { swap(&$0, &bonds) }
  }

  /// The bonds in the file at `path`, or in memory if the path is `nil` or empty, or if the file
  /// cannot be used.
  ///
  /// - Parameter report: Receives the errors of the file.
  static func kept(
    at path: String?, report: @escaping Report = { Log.logger.warning("\($0)") }
  ) -> RadioBonds {
    guard let path, !path.isEmpty else { return RadioBonds() }
    do throws(SystemError) { return try RadioBonds(file: path, report: report) } catch {
      report("\(error.description); bonds last as long as the radio")
      return RadioBonds()
    }
  }

  /// The address for the host: the one that bonded peers know, unless `choice` names another.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, let address, address.kind == .random else { return choice.own }
    return .random(address)
  }

  // MARK: BondStore

  /// The number of bonds.
  var count: Int { table.withLock { $0.count } }

  /// The bond with this number; `nil` if there is none.
  func bond(at index: Int) -> Bond? { table.withLock { $0.bond(at: index) } }

  /// Stores a bond, and replaces the one with the same identity address.
  func store(_ bond: Bond) { table.withLock { $0.store(bond) } }

  /// Deletes the bond with this number.
  func remove(at index: Int) { table.withLock { $0.remove(at: index) } }

  /// The bond with this number has encrypted a link.
  func markUsed(at index: Int) { table.withLock { $0.markUsed(at: index) } }

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
  var failure: SystemError? { kept?.withLock { $0.failure } }

  /// Writes the file if a bond has changed since the last call.
  ///
  /// - Parameter address: The address of the device; `nil` if unknown.
  func keep(as address: DeviceAddress?) {
    if table.withLock({ $0.isChanged }) { write(as: address) }
  }

  /// Writes the file if a change is missing, and releases it. A second call has no effect.
  func close(as address: DeviceAddress?) {
    if table.withLock({ $0.isChanged }) || failure != nil { write(as: address) }
    kept?.withLock { $0.file = nil }
  }

  private func write(as address: DeviceAddress?) {
    let newFailure: SystemError? = kept?.withLock { kept in
      guard kept.file != nil else { return nil }
      if let address { kept.identity.address = address }
      var bytes = BondFileBytes()
      defer { bytes.wipe() }
      table.withLock { table in
        BondFileFormat.write(table, identity: kept.identity, to: &bytes)
        // After a failure, the next change writes the file again.
        table.markKept()
      }
      let hadFailed = kept.failure != nil
      do throws(SystemError) {
        try kept.file?.save(bytes.span)
        kept.failure = nil
      } catch { kept.failure = error }
      return hadFailed ? nil : kept.failure
    }
    if let newFailure { report("\(newFailure.description); new bonds last as long as the radio") }
  }
}
