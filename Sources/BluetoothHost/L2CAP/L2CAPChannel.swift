/// A channel identifier (CID): the protocol of a frame, or a dynamic channel.
///
/// Core Specification, Vol 3, Part A, 2.1. An open set: a peer may send any value.
public struct L2CAPChannel: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The attribute protocol.
  public static let att = L2CAPChannel(rawValue: 0x0004)
  /// LE L2CAP signalling.
  public static let leSignalling = L2CAPChannel(rawValue: 0x0005)
  /// The Security Manager Protocol.
  public static let securityManager = L2CAPChannel(rawValue: 0x0006)
}
