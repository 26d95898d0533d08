/// A listener on an SPSM, and the security that a link needs for a channel.
public struct ChannelListener: Equatable, Sendable {
  /// The security that a link needs.
  public enum Security: Equatable, Sendable {
    /// Nothing.
    case none
    /// Encryption.
    case encryption
    /// Encryption with a key that is protected against man-in-the-middle attacks.
    case authentication
  }

  /// The longest SDU that this device accepts.
  public var mtu: ChannelMTU
  /// The security that the link needs.
  public var security: Security
  /// The minimum key size in bytes, 7 to 16, if the link needs a key.
  public var keySize: Int
  /// Whether this peer may use the SPSM.
  public var isAuthorized: Bool
  /// Whether the program can take another channel from this peer.
  public var hasRoom: Bool

  /// Creates a listener with these requirements.
  public init(
    mtu: ChannelMTU, security: Security = .none, keySize: Int = 7, isAuthorized: Bool = true,
    hasRoom: Bool = true
  ) {
    self.mtu = mtu
    self.security = security
    self.keySize = keySize
    self.isAuthorized = isAuthorized
    self.hasRoom = hasRoom
  }

  /// Why a link with this protection gets no channel; `nil` if it gets one.
  ///
  /// Core Specification, Vol 3, Part C, 10.3.1: without a key the peer should pair, with one it
  /// should encrypt.
  func refusal(for protection: LinkProtection) -> LECreditBasedConnectionResult? {
    if security != .none {
      guard protection.hasKey else { return .insufficientAuthentication }
      guard protection.isEncrypted else { return .insufficientEncryption }
      if security == .authentication, !protection.isAuthenticated {
        return .insufficientAuthentication
      }
      guard protection.keySize >= keySize else { return .encryptionKeySizeTooShort }
    }
    guard isAuthorized else { return .insufficientAuthorization }
    return hasRoom ? nil : .noResourcesAvailable
  }
}

/// The security of a link, as far as channels depend on it.
public struct LinkProtection: Equatable, Sendable {
  /// Whether the devices share a key.
  public var hasKey: Bool
  /// Whether the link is encrypted.
  public var isEncrypted: Bool
  /// Whether the key is protected against man-in-the-middle attacks.
  public var isAuthenticated: Bool
  /// The key size in bytes, up to 16.
  public var keySize: Int

  /// Creates a protection with these values.
  public init(hasKey: Bool, isEncrypted: Bool, isAuthenticated: Bool, keySize: Int) {
    self.hasKey = hasKey
    self.isEncrypted = isEncrypted
    self.isAuthenticated = isAuthenticated
    self.keySize = keySize
  }

  /// The protection of a link secured by the Security Manager, whose keys have 16 bytes.
  public init(_ security: LinkSecurity) {
    let isEncrypted = security.contains(.encrypted)
    self.init(
      hasKey: isEncrypted || security.contains(.bonded), isEncrypted: isEncrypted,
      isAuthenticated: security.contains(.authenticated), keySize: isEncrypted ? 16 : 0)
  }

  /// No protection: the devices have no key.
  public static var none: LinkProtection {
    LinkProtection(hasKey: false, isEncrypted: false, isAuthenticated: false, keySize: 0)
  }
}
