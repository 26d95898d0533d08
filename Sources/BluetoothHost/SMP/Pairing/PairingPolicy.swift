/// What this device asks of a pairing.
public struct PairingPolicy: Equatable, Sendable {
  /// Protection against a man in the middle: the bit MITM in AuthReq.
  public enum Authentication: Sendable {
    /// Not asked for. A peer may ask for it.
    case optional
    /// Asked for if this device shows or takes numbers. Just Works remains possible.
    case wherePossible
    /// Without it pairing fails: Authentication Requirements.
    case required
  }

  /// LE Secure Connections: the bit SC in AuthReq.
  public enum SecureConnections: Sendable {
    /// Legacy pairing only: for a device that is too slow for P-256.
    case notOffered
    /// Legacy pairing with peers that know nothing else.
    case wherePossible
    /// Legacy pairing fails: Authentication Requirements. Vol 3, Part C, 10.2.4.
    case required
  }

  /// Whether peers may pair now. If not, a Pairing Request fails: Pairing Not Supported.
  public var isOpen: Bool
  /// How this device shows and takes numbers.
  public var ioCapability: IOCapability
  /// Whether it asks for protection against a man in the middle.
  public var authentication: Authentication
  /// Whether it asks for LE Secure Connections.
  public var secureConnections: SecureConnections
  /// Whether keys are kept.
  public var bonds: Bool
  /// Whether the user is asked before Just Works goes on.
  public var confirmsJustWorks: Bool

  /// The defaults pair with everybody, keep keys, and ask nobody: for a device without buttons.
  public init(
    isOpen: Bool = true, ioCapability: IOCapability = .noInputNoOutput,
    authentication: Authentication = .wherePossible,
    secureConnections: SecureConnections = .wherePossible, bonds: Bool = true,
    confirmsJustWorks: Bool = false
  ) {
    self.isOpen = isOpen
    self.ioCapability = ioCapability
    self.authentication = authentication
    self.secureConnections = secureConnections
    self.bonds = bonds
    self.confirmsJustWorks = confirmsJustWorks
  }

  /// AuthReq for this policy. Vol 3, Part H, 3.5.1.
  var requirements: AuthenticationRequirements {
    var requirements: AuthenticationRequirements = .none
    if secureConnections != .notOffered { requirements = requirements | .secureConnections }
    if bonds { requirements = requirements | .bonding }
    switch authentication {
    case .optional: break
    case .wherePossible where ioCapability == .noInputNoOutput: break
    case .wherePossible, .required: requirements = requirements | .mitm
    }
    return requirements
  }

  /// This policy, and at least what the keys of `bond` have: a new pairing never weakens a bond.
  func strengthened(by bond: Bond) -> PairingPolicy {
    var policy = self
    if bond.isAuthenticated { policy.authentication = .required }
    if bond.isSecureConnections { policy.secureConnections = .required }
    return policy
  }
}
