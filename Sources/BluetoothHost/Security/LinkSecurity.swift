/// The security of a link. Core Specification, Vol 3, Part C, 10.2.1: security mode 1.
public struct LinkSecurity: Flags {
  /// The bits of its properties.
  public var rawValue: UInt8

  /// Any bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It is encrypted with a key of 16 bytes.
  public static let encrypted = LinkSecurity(rawValue: 0x01)
  /// Its key is protected against man-in-the-middle attacks.
  public static let authenticated = LinkSecurity(rawValue: 0x02)
  /// Its key came from LE Secure Connections.
  public static let secureConnections = LinkSecurity(rawValue: 0x04)
  /// The peer has a bond, even if the link is not encrypted yet.
  public static let bonded = LinkSecurity(rawValue: 0x08)
  /// All of these.
  public static let full = LinkSecurity(rawValue: 0x0F)
}
