/// The part of a host that has credit-based channels.
///
/// `CreditBasedChannels` is one. `NoChannels` is for a host without: it has neither state nor code. The
/// host calls these requirements; nothing else needs them.
public protocol ChannelRole: ~Copyable {
  /// Whether there can be channels. The code for them is left out where this is false.
  static var isPresent: Bool { get }

  /// The longest payload in bytes of a frame that a channel takes.
  var longestPayload: Int { get }

  /// The connections that may have a packet to send without having received one.
  var pendingConnections: ConnectionSet { get }
  /// When `advance(to:)` has to be called next; `nil` if nothing is waited for.
  var deadline: Instant? { get }

  /// A link is there.
  mutating func opened(_ connection: borrowing Connection)
  /// A link has gone, and with it all its channels.
  mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode)
  /// The time is `now`: ends what has waited too long for an answer.
  mutating func advance(to now: Instant)

  /// Takes a signalling command, and writes the response that is due at once.
  ///
  /// - Parameter protection: What protects the link now.
  /// - Returns: Whether the command was about one of the channels, or asks for one. If not, the host
  ///   answers it as one without channels does.
  mutating func receive(
    _ command: borrowing SignallingCommand, on connection: borrowing Connection,
    protection: LinkProtection, response: inout ByteWriter
  ) -> Bool
  /// Takes the payload of a K-frame. One for a channel that is not open is ignored.
  mutating func receive(
    _ payload: Span<UInt8>, to channel: L2CAPChannel, on connection: borrowing Connection)
  /// A frame for `channel` was longer than the host can hold.
  mutating func receiveOverlong(to channel: L2CAPChannel, on connection: borrowing Connection)

  /// Whether a frame is on its way, fragment by fragment: no other frame may be sent before its end.
  func isSending(on connection: borrowing Connection) -> Bool
  /// Whether there is a packet to send, as far as is known without preparing it.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: borrowing Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool
}

/// No channels: each request for one is refused.
public struct NoChannels: ChannelRole, ~Copyable {
  /// False.
  public static var isPresent: Bool { false }

  /// No channels.
  public init() {}

  /// None.
  public var longestPayload: Int { 0 }
  /// None.
  public var pendingConnections: ConnectionSet { .none }
  /// Never.
  public var deadline: Instant? { nil }

  /// Nothing happens.
  public mutating func opened(_ connection: borrowing Connection) {}
  /// Nothing happens.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func advance(to now: Instant) {}

  /// False.
  public mutating func receive(
    _ command: borrowing SignallingCommand, on connection: borrowing Connection,
    protection: LinkProtection, response: inout ByteWriter
  ) -> Bool { false }
  /// Nothing happens.
  public mutating func receive(
    _ payload: Span<UInt8>, to channel: L2CAPChannel, on connection: borrowing Connection
  ) {}
  /// Nothing happens.
  public mutating func receiveOverlong(
    to channel: L2CAPChannel, on connection: borrowing Connection
  ) {}

  /// False.
  public func isSending(on connection: borrowing Connection) -> Bool { false }
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: borrowing Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
}
