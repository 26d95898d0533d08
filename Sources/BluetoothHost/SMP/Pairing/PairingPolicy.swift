/// The requirements for a pairing.
public struct PairingPolicy: Equatable, Sendable {
  /// Protection against man-in-the-middle attacks: the bit MITM in AuthReq.
  public enum Authentication: Sendable {
    /// Not requested. A peer may request it.
    case optional
    /// Requested if this device can display or take numbers. Just Works remains possible.
    case wherePossible
    /// Pairing fails without it: Authentication Requirements.
    case required
  }

  /// LE Secure Connections: the bit SC in AuthReq.
  public enum SecureConnections: Sendable {
    /// Legacy pairing only: for a device that is too slow for P-256.
    case notOffered
    /// Legacy pairing with peers that do not support it.
    case wherePossible
    /// Legacy pairing fails: Authentication Requirements. Vol 3, Part C, 10.2.4.
    case required
  }

  /// Whether peers may pair now. If not, a Pairing Request fails with Pairing Not Supported.
  public var isOpen: Bool
  /// Whether the first successful pairing sets `isOpen` to false.
  public var closesAfterPairing: Bool
  /// This device's means to display and enter numbers.
  public var ioCapability: IOCapability
  /// Whether to request protection against man-in-the-middle attacks.
  public var authentication: Authentication
  /// Whether to request LE Secure Connections.
  public var secureConnections: SecureConnections
  /// Whether to store keys.
  public var bonds: Bool
  /// Whether a new bond may replace another device's bond in a full store. If not, the pairing fails
  /// with Key Rejected.
  public var dropsBonds: Bool
  /// Whether the user has to confirm Just Works.
  public var confirmsJustWorks: Bool

  /// The defaults pair with every peer, store keys, and show no prompts, for a device without
  /// buttons.
  public init(
    isOpen: Bool = true, closesAfterPairing: Bool = false,
    ioCapability: IOCapability = .noInputNoOutput,
    authentication: Authentication = .wherePossible,
    secureConnections: SecureConnections = .wherePossible, bonds: Bool = true,
    dropsBonds: Bool = true, confirmsJustWorks: Bool = false
  ) {
    self.isOpen = isOpen
    self.closesAfterPairing = closesAfterPairing
    self.ioCapability = ioCapability
    self.authentication = authentication
    self.secureConnections = secureConnections
    self.bonds = bonds
    self.dropsBonds = dropsBonds
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

  /// This policy with at least the security of `bond`: a new pairing never weakens a bond.
  func strengthened(by bond: Bond) -> PairingPolicy {
    var policy = self
    if bond.isAuthenticated { policy.authentication = .required }
    if bond.isSecureConnections { policy.secureConnections = .required }
    return policy
  }
}
