import BluetoothHost
import LinuxRadio

/// The bonds of a command, and their file if there is one.
struct KeptBonds: ~Copyable {
  /// The name of the file of the centrals.
  static let centralFile = "ask.bonds"

  /// The bonds of a file, until the host takes them. On the heap, as each peripheral of a swarm has none.
  private final class Found {
    var bonds: BondTable<16>
    init(_ bonds: consuming BondTable<16>) { self.bonds = bonds }
  }

  /// Why the last write failed; `nil` if it succeeded, or if there is no file.
  private(set) var failure: SystemError?
  private var file: BondFile?
  private var identity: LocalIdentity?
  /// Whether the address of `identity` is new.
  private var isAddressNew = false
  /// The security of each link from its start: bluetoothd's, on a radio beside it.
  let linkSecurity: LinkSecurity
  private var found: Found?

  /// Bonds in memory.
  init(linkSecurity: LinkSecurity = .none) { self.linkSecurity = linkSecurity }

  /// The bonds in the file at `path`, which need not exist yet. Prints a warning if it is damaged.
  ///
  /// - Throws: Why the file cannot be used.
  init(at path: String) throws(SystemError) {
    linkSecurity = .none
    var file = BondFile(path)
    var content = try file.open()
    if let notice = content.notice { Self.warn(notice) }
    isAddressNew = content.identity == nil
    identity =
      content.identity ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
    found = Found(content.takeBonds())
    self.file = consume file
  }

  /// The bonds with peripherals; in memory if there are none and the command does not pair. Beside bluetoothd there
  /// are none: bluetoothd pairs where a device requires it, and has the bonds.
  ///
  /// - Throws: With `pairs`, why the file cannot be used. Otherwise that is a warning.
  static func ofCentral(
    pairs: Bool, on radio: RadioAddress, keeps: Bool = true
  ) throws -> KeptBonds {
    if radio.isBesideDaemon { return KeptBonds(linkSecurity: .full) }
    guard keeps else { return KeptBonds() }
    guard let path = BondFile.path(of: centralFile) else {
      guard pairs else { return KeptBonds() }
      throw UsageError(
        "--pair has no folder for the bond: set HOME or XDG_STATE_HOME to an absolute path.")
    }
    guard pairs || Files.exists(path) else { return KeptBonds() }
    do throws(SystemError) {
      let kept = try KeptBonds(at: path)
      if pairs || kept.found.map({ $0.bonds.count > 0 }) ?? false { return kept }
    } catch {
      guard !pairs else { throw error }
      warn(error.description)
    }
    return KeptBonds()
  }

  /// The bonds of a peripheral, in the file at `path` or else in memory. Beside bluetoothd there are none.
  ///
  /// - Throws: Why the file cannot be used.
  static func ofPeripheral(
    at path: String?, on radio: RadioAddress?
  ) throws(SystemError) -> KeptBonds {
    if let radio, radio.isBesideDaemon { return KeptBonds(linkSecurity: .full) }
    guard let path else { return KeptBonds() }
    return try KeptBonds(at: path)
  }

  private static func warn(_ text: String) {
    Terminal.note("Warning: \(sentence(printable(text)))")
  }

  /// The address for the host: the one that bonded peers know, unless `choice` names another.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, let address = identity?.address, address.kind == .random else {
      return choice.own
    }
    return .random(address)
  }

  /// What the keys are made from, and on simulated time the address if `own` makes one.
  ///
  /// - Parameter seed: The seed of the program; `nil` if it has none.
  func random(_ choice: AddressChoice, of time: AirTime, seed: UInt64? = nil) -> AirRandom {
    AirRandom(of: time, seed: seed, choice, isAddressNew: isAddressNew)
  }

  /// Moves the bonds to the caller.
  mutating func takeBonds() -> BondTable<16> {
    var taken = BondTable<16>()
    if let found { swap(&taken, &found.bonds) }
    found = nil
    return taken
  }

  /// Writes the file.
  ///
  /// - Parameter address: The address of this device; zero for the last one.
  mutating func keep(_ bonds: borrowing BondTable<16>, as address: DeviceAddress) {
    guard file != nil else { return }
    if address != .zero { identity?.address = address }
    do throws(SystemError) {
      try file?.save(bonds, identity: identity)
      failure = nil
    } catch {
      failure = error
    }
  }
}
