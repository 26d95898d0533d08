/// What a link must have before a client may read or write an attribute, or subscribe to it.
///
/// Core Specification, Vol 3, Part F, 3.2.5; Part C, 10.3.
public struct AttributeProtection: Flags {
  /// A bit for each.
  public var rawValue: UInt8

  /// Any bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Reading wants an encrypted link.
  public static let readEncrypted = AttributeProtection(rawValue: 0x01)
  /// Reading wants a link whose key was protected against a man in the middle.
  public static let readAuthenticated = AttributeProtection(rawValue: 0x03)
  /// Writing wants an encrypted link.
  public static let writeEncrypted = AttributeProtection(rawValue: 0x04)
  /// Writing wants a link whose key was protected against a man in the middle.
  public static let writeAuthenticated = AttributeProtection(rawValue: 0x0C)
  /// Subscribing wants an encrypted link.
  public static let updateEncrypted = AttributeProtection(rawValue: 0x10)
  /// Subscribing wants a link whose key was protected against a man in the middle.
  public static let updateAuthenticated = AttributeProtection(rawValue: 0x30)

  /// What concerns reading.
  static let read = readAuthenticated
  /// What concerns writing.
  static let write = writeAuthenticated

  /// What a link with this security lacks, whatever is done.
  init(lackingOn security: LinkSecurity) {
    guard security.contains(.encrypted) else {
      self.init(rawValue: 0x3F)
      return
    }
    self.init(rawValue: security.contains(.authenticated) ? 0 : 0x2A)
  }

  /// The protection of the descriptor by which a client subscribes: for writing, what the value wants for
  /// updates.
  var ofConfiguration: AttributeProtection {
    AttributeProtection(rawValue: (rawValue & 0x30) &>> 2)
  }
}
