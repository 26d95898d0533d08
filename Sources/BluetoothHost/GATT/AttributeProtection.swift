/// The security that a link needs before a client may read, write or subscribe to an attribute:
/// Core Specification, Vol 3, Part F, 3.2.5; Part C, 10.3.
public struct AttributeProtection: Flags {
  /// The bits of the requirements.
  public var rawValue: UInt8

  /// Any bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Reading requires an encrypted link.
  public static let readEncrypted = AttributeProtection(rawValue: 0x01)
  /// Reading requires a link whose key is protected against man-in-the-middle attacks.
  public static let readAuthenticated = AttributeProtection(rawValue: 0x03)
  /// Writing requires an encrypted link.
  public static let writeEncrypted = AttributeProtection(rawValue: 0x04)
  /// Writing requires a link whose key is protected against man-in-the-middle attacks.
  public static let writeAuthenticated = AttributeProtection(rawValue: 0x0C)
  /// Subscribing requires an encrypted link.
  public static let updateEncrypted = AttributeProtection(rawValue: 0x10)
  /// Subscribing requires a link whose key is protected against man-in-the-middle attacks.
  public static let updateAuthenticated = AttributeProtection(rawValue: 0x30)

  /// The requirements for reading.
  static let read = readAuthenticated
  /// The requirements for writing.
  static let write = writeAuthenticated

  /// The requirements that a link with this security does not meet.
  init(lackingOn security: LinkSecurity) {
    guard security.contains(.encrypted) else {
      self.init(rawValue: 0x3F)
      return
    }
    self.init(rawValue: security.contains(.authenticated) ? 0 : 0x2A)
  }

  /// The protection of the Client Characteristic Configuration: writing it requires what updates of
  /// the value require.
  var ofConfiguration: AttributeProtection {
    AttributeProtection(rawValue: (rawValue & 0x30) &>> 2)
  }
}
