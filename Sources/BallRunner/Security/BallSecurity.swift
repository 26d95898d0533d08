import BluetoothHost

/// How a ball protects its links: not at all (`NoSecurity`), or by a Security Manager whose
/// delegate is a `PairingGate`.
///
/// The runner calls these requirements, and only where `isPresent` is true.
public protocol BallSecurity: SecurityRole, ~Copyable {
  /// Decides who may pair, and keeps the events.
  var pairingGate: PairingGate { get set }
  /// Whether peers may pair now.
  var isPairingOpen: Bool { get set }
  /// How many bonds there are.
  var bondCount: Int { get }
  /// Whether the bonds have changed since the last `keepBonds`.
  var areBondsChanged: Bool { get }
  /// Writes the bonds to `file`, and counts them as kept.
  mutating func keepBonds(in file: inout BondFileBytes)
  /// Deletes every bond.
  mutating func forgetBonds()
  /// Sets the ball's identity address.
  mutating func identify(as address: DeviceAddress)
  /// Gives the user's answer to the question of the central at `index`.
  mutating func answer(_ isConfirmed: Bool, at index: Int, at now: Instant)
}

/// The Security Manager of a ball for `capacity` centrals with at most 16 bonds.
public typealias BallSecurityManager<
  let capacity: Int, Random: SecureRandomNumberGenerator
> = SecurityManager<capacity, P256KeyAgreement, Random, BondTable<16>, PairingGate>

extension SecurityManager: BallSecurity
where Agreement: ~Copyable, Bonds: KeptBondStore & ~Copyable, Delegate == PairingGate {
  /// Decides who may pair, and keeps the events.
  public var pairingGate: PairingGate {
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

  /// Whether the bonds have changed since the last `keepBonds`.
  public var areBondsChanged: Bool { bonds.isChanged }

  /// Writes the bonds to `file`, and counts them as kept.
  public mutating func keepBonds(in file: inout BondFileBytes) {
    BondFileFormat.write(bonds, identity: identity, to: &file)
    bonds.markKept()
  }

  /// Deletes every bond.
  public mutating func forgetBonds() {
    while bonds.count > 0 { removeBond(at: 0) }
  }

  /// Sets the ball's identity address. Peers store it with their keys, so the bond file must store
  /// it too. A private address is no identity.
  public mutating func identify(as address: DeviceAddress) {
    guard identity?.address != address, !address.isResolvable else { return }
    identity = LocalIdentity(
      identityResolvingKey: identity?.identityResolvingKey ?? .zero, address: address)
    bonds.markChanged()
  }

  /// Gives the user's answer.
  public mutating func answer(_ isConfirmed: Bool, at index: Int, at now: Instant) {
    _ = confirm(isConfirmed, at: index, at: now)
  }
}

extension NoSecurity: BallSecurity {
  /// A control that requires no protection.
  public var pairingGate: PairingGate {
    get { PairingGate(.none) }
    set {}
  }
  /// `false`.
  public var isPairingOpen: Bool {
    get { false }
    set {}
  }
  /// 0.
  public var bondCount: Int { 0 }
  /// `false`.
  public var areBondsChanged: Bool { false }
  /// Does nothing.
  public mutating func keepBonds(in file: inout BondFileBytes) {}
  /// Does nothing.
  public mutating func forgetBonds() {}
  /// Does nothing.
  public mutating func identify(as address: DeviceAddress) {}
  /// Does nothing.
  public mutating func answer(_ isConfirmed: Bool, at index: Int, at now: Instant) {}
}
