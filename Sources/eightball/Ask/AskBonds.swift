import BluetoothHost
import LinuxRadio
import LinuxSystem

/// The bonds with balls, and their file if there is one.
struct AskBonds: ~Copyable {
  /// The name of the file.
  static let fileName = "ask.bonds"

  /// Why the last write failed; `nil` if it succeeded, or if there is no file.
  private(set) var failure: SystemError?
  private var file: BondFile?
  private var identity: LocalIdentity?
  private var bonds = BondTable<16>()

  /// Bonds in memory.
  init() {}

  /// The bonds in their file; in memory if there is no file and the program does not pair.
  ///
  /// - Throws: With `pairs`, why the file cannot be used. Otherwise that is a warning.
  init(pairs: Bool, warn: (String) -> Void) throws(AskBondsError) {
    guard let path = BondFile.path(of: Self.fileName) else {
      if pairs { throw .noFolder }
      return
    }
    guard pairs || Files.exists(path) else { return }
    do throws(SystemError) {
      var file = BondFile(path)
      var content = try file.open()
      if let notice = content.notice { warn(notice) }
      guard pairs || content.bonds.count > 0 else { return }
      identity =
        content.identity
        ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
      bonds = content.takeBonds()
      self.file = consume file
    } catch {
      guard !pairs else { throw .file(error) }
      warn(error.description)
    }
  }

  /// The address for the host: the one that bonded balls know, unless `choice` names another.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, let address = identity?.address, address.kind == .random else {
      return choice.own
    }
    return .random(address)
  }

  /// Moves the bonds to the caller.
  mutating func takeBonds() -> BondTable<16> {
    var taken = BondTable<16>()
    swap(&taken, &bonds)
    return taken
  }

  /// Writes the file.
  ///
  /// - Parameter address: The address of this device; zero for the last one.
  mutating func keep(_ bonds: borrowing BondTable<16>, as address: DeviceAddress) {
    guard file != nil else { return }
    if address != .zero { identity?.address = address }
    var bytes = BondFileBytes()
    BondFileFormat.write(bonds, identity: identity, to: &bytes)
    do throws(SystemError) {
      try file?.save(bytes.span)
      failure = nil
    } catch {
      failure = error
    }
    bytes.wipe()
  }
}

/// Why there are no bonds.
enum AskBondsError: Error {
  /// The environment names no folder for the file.
  case noFolder
  case file(SystemError)
}
