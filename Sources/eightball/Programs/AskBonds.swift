import BluetoothHost
import CoreBluetooth
import LinuxRadio
import LinuxSystem

/// The balls that `eightball ask` has paired with, and the address that it goes by among them: a bond is
/// worth nothing if the ball does not know who comes.
final class AskBonds: BondStore, @unchecked Sendable {
  // Unchecked: the radio's thread uses the bonds until the radio is closed, and this one before and after.

  /// The name of their file.
  static let fileName = "ask.bonds"

  /// The address to go by.
  let address: DeviceAddress

  private var file: BondFile
  private var bonds: BondTable<16>

  /// Opens the file at `path`; `nil` if there are no bonds in it, and none are wanted.
  ///
  /// - Parameters:
  ///   - note: Prints a line to standard error.
  /// - Throws: Why the file cannot be used.
  init?(_ path: String, isWanted: Bool, note: (String) -> Void) throws(SystemError) {
    guard isWanted || Files.exists(path) else { return nil }
    var file = BondFile(path)
    var content = try file.open()
    if let notice = content.notice { note("Warning: \(sentence(printable(notice)))") }
    guard isWanted || content.bonds.count > 0 else { return nil }
    address = content.identity?.address ?? .newStaticRandom()
    bonds = content.takeBonds()
    self.file = consume file
  }

  /// Writes the file anew, if anything has changed. To be called when the radio is closed.
  func save() throws(SystemError) {
    guard bonds.isChanged else { return }
    let identity = LocalIdentity(identityResolvingKey: .zero, address: address)
    try file.save(bonds, identity: identity)
    bonds.markKept()
  }

  // MARK: BondStore

  var count: Int { bonds.count }
  func bond(at index: Int) -> Bond? { bonds.bond(at: index) }
  func store(_ bond: Bond) { bonds.store(bond) }
  func remove(at index: Int) { bonds.remove(at: index) }
  func markUsed(at index: Int) { bonds.markUsed(at: index) }
}
