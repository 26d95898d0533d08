/// What a device stores about a peer: keys, and its server's record of the peer.
///
/// Core Specification, Vol 3, Part H, 2.4. All keys have 16 bytes; shorter ones are not generated.
public struct Bond: Equatable, Sendable {
  /// The peer's identity address, or, if it has given none, its address on the link.
  public var identityAddress: DeviceAddress
  /// The key that encrypts links with the peer.
  public var longTermKey: Number128
  /// EDIV, which identifies a long term key of legacy pairing; 0 with Secure Connections.
  public var encryptedDiversifier: UInt16
  /// Rand, which identifies a long term key of legacy pairing; 0 with Secure Connections.
  public var randomNumber: UInt64
  /// The key that resolves the peer's resolvable private addresses; `nil` if it uses none.
  public var identityResolvingKey: Number128?
  /// Whether pairing was protected against man-in-the-middle attacks.
  public var isAuthenticated: Bool
  /// Whether the key came from LE Secure Connections.
  public var isSecureConnections: Bool
  /// This device's role in the pairing. A legacy key is only valid for links with the same role:
  /// Vol 3, Part H, 2.4.4.
  public var role: PairingRole
  /// The server's record of the peer; `nil` before the peer has been its client.
  public var client: ClientRecord?

  /// Creates a bond without keys.
  init() {
    identityAddress = .zero
    longTermKey = .zero
    encryptedDiversifier = 0
    randomNumber = 0
    identityResolvingKey = nil
    isAuthenticated = false
    isSecureConnections = false
    role = .responder
  }

  /// Creates a stored bond.
  public init(
    identityAddress: DeviceAddress, longTermKey: Number128, encryptedDiversifier: UInt16 = 0,
    randomNumber: UInt64 = 0, identityResolvingKey: Number128? = nil, isAuthenticated: Bool,
    isSecureConnections: Bool, role: PairingRole, client: ClientRecord? = nil
  ) {
    self.identityAddress = identityAddress
    self.longTermKey = longTermKey
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
    self.identityResolvingKey = identityResolvingKey
    self.isAuthenticated = isAuthenticated
    self.isSecureConnections = isSecureConnections
    self.role = role
    self.client = client
  }

  /// The length of the long term key in bytes.
  public static var keySize: Int { 16 }

  /// The security of a link that is encrypted with the key.
  public var security: LinkSecurity {
    var security: LinkSecurity = .encrypted | .bonded
    if isAuthenticated { security = security | .authenticated }
    if isSecureConnections { security = security | .secureConnections }
    return security
  }

  /// Whether the key is valid for a link on which this device has `role`.
  public func serves(_ role: PairingRole) -> Bool { isSecureConnections || role == self.role }

  /// Whether it has less security than `other`.
  public func isWeaker(than other: Bond) -> Bool {
    (other.isAuthenticated && !isAuthenticated)
      || (other.isSecureConnections && !isSecureConnections)
  }
}
