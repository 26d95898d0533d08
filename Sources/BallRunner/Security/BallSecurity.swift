import BluetoothHost
import EightBall

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

/// The Security Manager of a ball for `links` centrals with at most 16 bonds.
public typealias BallSecurityManager<let links: Int, Random: SecureRandomNumberGenerator> =
  SecurityManager<links, P256KeyAgreement, Random, BondTable<16>, PairingGate>

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
  public mutating func forgetBonds() { while bonds.count > 0 { removeBond(at: 0) } }

  /// Sets the ball's identity address. Peers store it with their keys, so the bond file must store
  /// it too. A private address is not an identity.
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

/// The protection that a ball requires of a link before its central may ask, or read or receive an
/// answer.
public enum BallProtection: Equatable, Sendable {
  /// Nothing. A central that wants to pair is refused: Pairing Not Supported.
  case none
  /// Encryption. Pairing without confirmation by a user is sufficient.
  case encrypted
  /// Encryption with a key that is protected against a man in the middle: the users compare numbers, or
  /// enter one.
  case authenticated

  /// The requirement of Question.
  package var ofQuestion: AttributeProtection {
    switch self {
    case .none: AttributeProtection(rawValue: 0)
    case .encrypted: .writeEncrypted
    case .authenticated: .writeAuthenticated
    }
  }

  /// The requirement of Answer.
  package var ofAnswer: AttributeProtection {
    switch self {
    case .none: AttributeProtection(rawValue: 0)
    case .encrypted: .readEncrypted | .updateEncrypted
    case .authenticated: .readAuthenticated | .updateAuthenticated
    }
  }

  /// The ball's pairing policy. Pairing is closed at first. No bond is dropped for a new one, since
  /// strangers could push out the owner's.
  ///
  /// - Parameters:
  ///   - hasUser: Whether a user sees numbers and confirms them.
  ///   - staysOpen: Whether pairing stays open after a central has paired, until its time is over.
  public func policy(hasUser: Bool, staysOpen: Bool = false) -> PairingPolicy {
    PairingPolicy(
      isOpen: false, closesAfterPairing: !staysOpen,
      ioCapability: hasUser ? .displayYesNo : .noInputNoOutput,
      authentication: self == .authenticated ? .required : .wherePossible, dropsBonds: false)
  }
}
