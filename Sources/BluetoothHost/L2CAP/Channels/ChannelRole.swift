/// The part of a host with credit-based channels.
///
/// `CreditBasedChannels` implements it. `NoChannels` is for a host without channels: it has neither
/// state nor code. Only the host calls these requirements.
public protocol ChannelRole: BearerRole, ~Copyable {
  /// Whether there can be channels. If false, their code is left out.
  static var isPresent: Bool { get }

  /// The longest payload in bytes of a frame for a channel.
  var longestPayload: Int { get }

  /// The connections that may have a packet to send without having received one.
  var pendingConnections: ConnectionSet { get }
  /// When to call `advance(to:)` next; `nil` if nothing is scheduled.
  var deadline: Instant? { get }

  /// A link was opened.
  mutating func opened(_ connection: borrowing Connection)
  /// A link has closed, and with it all its channels.
  mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode)
  /// Ends requests that have timed out at `now`.
  mutating func advance(to now: Instant)

  /// Takes a signalling command, and writes the response that is due at once.
  ///
  /// - Parameter command: The command.
  /// - Parameter connection: The link that it came on.
  /// - Parameter response: Takes the response.
  /// - Parameter protection: The current protection of the link.
  /// - Returns: Whether the command concerned a channel or requested one. If not, the host answers
  ///   it as one without channels does.
  mutating func receive(
    _ command: borrowing SignallingCommand, on connection: borrowing Connection,
    protection: LinkProtection, response: inout ByteWriter
  ) -> Bool
  /// Takes the payload of a K-frame. It is ignored if the channel is not open.
  mutating func receive(
    _ payload: Span<UInt8>, to channel: L2CAPChannel, on connection: borrowing Connection)
  /// Takes a frame for `channel` that is too long for the host.
  mutating func receiveOverlong(to channel: L2CAPChannel, on connection: borrowing Connection)

  /// Requests enhanced bearers from the peer on `link`; `false` if there is no room for them.
  mutating func openBearers(_ count: Int, at link: Int) -> Bool

  /// Whether a frame is being sent, fragment by fragment. No other frame may be sent before its
  /// end.
  func isSending(on connection: borrowing Connection) -> Bool
  /// Whether there may be a packet to send, without preparing one.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: borrowing Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool
}

extension ChannelRole where Self: ~Copyable {
  /// False.
  public mutating func openBearers(_ count: Int, at link: Int) -> Bool { false }
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// No channels: the host refuses each request for one.
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

  public mutating func opened(_ connection: borrowing Connection) {}
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {}
  public mutating func advance(to now: Instant) {}

  /// False.
  public mutating func receive(
    _ command: borrowing SignallingCommand, on connection: borrowing Connection,
    protection: LinkProtection, response: inout ByteWriter
  ) -> Bool { false }
  public mutating func receive(
    _ payload: Span<UInt8>, to channel: L2CAPChannel, on connection: borrowing Connection
  ) {}
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
