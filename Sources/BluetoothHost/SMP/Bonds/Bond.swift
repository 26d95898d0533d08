/// What this device keeps for a peer: keys, and what its server remembers of the peer.
///
/// Core Specification, Vol 3, Part H, 2.4. All keys have 16 bytes: shorter ones are never made.
public struct Bond: Equatable, Sendable {
  /// The address of the peer that never changes. If the peer gave none: its address on the link.
  public var identityAddress: DeviceAddress
  /// Encrypts links with the peer.
  public var longTermKey: Number128
  /// EDIV, which names a long term key of legacy pairing; 0 with Secure Connections.
  public var encryptedDiversifier: UInt16
  /// Rand, which names a long term key of legacy pairing; 0 with Secure Connections.
  public var randomNumber: UInt64
  /// Resolves the peer's resolvable private addresses; `nil` if it uses none.
  public var identityResolvingKey: Number128?
  /// Whether pairing was protected against a man in the middle.
  public var isAuthenticated: Bool
  /// Whether the key came from LE Secure Connections.
  public var isSecureConnections: Bool
  /// The part that this device had in the pairing. A legacy key serves links in the same part only:
  /// Vol 3, Part H, 2.4.4.
  public var role: PairingRole
  /// What this device's server remembers of the peer; `nil` before the peer has been its client.
  public var client: ClientRecord?

  /// A bond without keys.
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

  /// A bond that was kept outside.
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

  /// What a link has that is encrypted with the key.
  public var security: LinkSecurity {
    var security: LinkSecurity = .encrypted | .bonded
    if isAuthenticated { security = security | .authenticated }
    if isSecureConnections { security = security | .secureConnections }
    return security
  }

  /// Whether the key encrypts a link in which this device has the part `role`.
  public func serves(_ role: PairingRole) -> Bool { isSecureConnections || role == self.role }

  /// Whether it has less protection than `other` has.
  public func isWeaker(than other: Bond) -> Bool {
    (other.isAuthenticated && !isAuthenticated)
      || (other.isSecureConnections && !isSecureConnections)
  }
}

/// What protects a link.
///
/// Core Specification, Vol 3, Part C, 10.2.1: security mode 1.
public struct LinkSecurity: Flags {
  /// A bit for each.
  public var rawValue: UInt8

  /// Any bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// It is encrypted, with a key of 16 bytes.
  public static let encrypted = LinkSecurity(rawValue: 0x01)
  /// Its key was protected against a man in the middle.
  public static let authenticated = LinkSecurity(rawValue: 0x02)
  /// Its key came from LE Secure Connections.
  public static let secureConnections = LinkSecurity(rawValue: 0x04)
  /// There is a bond with the peer, whether or not the link is encrypted yet.
  public static let bonded = LinkSecurity(rawValue: 0x08)
}
