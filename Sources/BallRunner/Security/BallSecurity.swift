import BluetoothHost

/// How a ball protects its links: not at all (`NoSecurity`), or by a Security Manager whose owner is a
/// `PairingDesk`.
///
/// The runner calls these requirements, and only where `isPresent` is true.
public protocol BallSecurity: SecurityRole, ~Copyable {
  /// The desk: who may pair, and what has happened.
  var desk: PairingDesk { get set }
  /// Whether peers may pair now.
  var isPairingOpen: Bool { get set }
  /// How many bonds there are.
  var bondCount: Int { get }
  /// Whether the bonds have changed since they were kept.
  var areBondsChanged: Bool { get }
  /// Makes `file` the file of the bonds. They are kept then.
  mutating func keepBonds(in file: inout BondFileBytes)
  /// Forgets every bond.
  mutating func forgetBonds()
  /// The ball goes by this address.
  mutating func identify(as address: DeviceAddress)
  /// The user says yes or no to what the central at `index` waits for.
  mutating func answer(_ isConfirmed: Bool, at index: Int, at now: Instant)
}

/// The Security Manager of a ball for `places` centrals with at most 16 bonds.
public typealias BallSecurityManager<
  let places: Int, Random: SecureRandomNumberGenerator
> = SecurityManager<places, P256KeyAgreement, Random, BondTable<16>, PairingDesk>

extension SecurityManager: BallSecurity
where Agreement: ~Copyable, Bonds: KeptBondStore & ~Copyable, Delegate == PairingDesk {
  /// The desk.
  public var desk: PairingDesk {
    _read { yield delegate }
    _modify { yield &delegate }
  }

  /// Whether peers may pair now.
  public var isPairingOpen: Bool {
    get { policy.isOpen }
    set { policy.isOpen = newValue }
  }

  /// How many bonds there are.
  public var bondCount: Int { bonds.count }

  /// Whether the bonds have changed since they were kept.
  public var areBondsChanged: Bool { bonds.isChanged }

  /// Makes `file` the file of the bonds.
  public mutating func keepBonds(in file: inout BondFileBytes) {
    BondFileFormat.write(bonds, identity: identity, to: &file)
    bonds.markKept()
  }

  /// Forgets every bond.
  public mutating func forgetBonds() {
    while bonds.count > 0 { removeBond(at: 0) }
  }

  /// The ball goes by this address. Peers keep it with their keys, so a file must, too. A private address is
  /// nobody's identity.
  public mutating func identify(as address: DeviceAddress) {
    guard identity?.address != address, !address.isResolvable else { return }
    identity = LocalIdentity(
      identityResolvingKey: identity?.identityResolvingKey ?? .zero, address: address)
    bonds.markChanged()
  }

  /// The user says yes or no.
  public mutating func answer(_ isConfirmed: Bool, at index: Int, at now: Instant) {
    _ = confirm(isConfirmed, at: index, at: now)
  }
}

extension NoSecurity: BallSecurity {
  /// A desk that nobody asks.
  public var desk: PairingDesk {
    get { PairingDesk(.encrypted) }
    set {}
  }
  /// False.
  public var isPairingOpen: Bool {
    get { false }
    set {}
  }
  /// None.
  public var bondCount: Int { 0 }
  /// False.
  public var areBondsChanged: Bool { false }
  /// Nothing happens.
  public mutating func keepBonds(in file: inout BondFileBytes) {}
  /// Nothing happens.
  public mutating func forgetBonds() {}
  /// Nothing happens.
  public mutating func identify(as address: DeviceAddress) {}
  /// Nothing happens.
  public mutating func answer(_ isConfirmed: Bool, at index: Int, at now: Instant) {}
}
