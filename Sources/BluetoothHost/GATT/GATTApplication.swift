/// The program behind a GATT server: it provides the values of its characteristics, and receives
/// writes, subscriptions, and the connection and disconnection of clients.
///
/// `connectionIndex` is a number from 0 to the host's capacity less one; a central keeps it until
/// it disconnects. Every call must return at once. The host asks for updates when it can send
/// them. For a read or write that cannot be answered at once, see `GATTRefusal.later`. A call without
/// a result does nothing by default.
public protocol GATTApplication: ~Copyable {
  /// A central has connected at `connectionIndex`.
  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress)

  /// The central at `connectionIndex` has disconnected. Its index is free.
  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode)

  /// The subscription of the central at `connectionIndex` to `attribute` changed: the central wrote
  /// the Client Characteristic Configuration, its bond restored it, or the link became too weak.
  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration)

  /// Writes the value of `attribute` for the central at `connectionIndex`: at most 512 bytes, the
  /// room in `value`.
  ///
  /// - Parameter attribute: The value that is read.
  /// - Parameter connectionIndex: The connection of the central.
  /// - Parameter value: Takes the whole value, from its beginning.
  /// - Parameter offset: The first byte that is sent. The application writes the value from its
  ///   beginning; the bytes before `offset` may have any content.
  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter) throws(GATTRefusal)

  /// Called before a part of a value of `attribute` is queued for the central at `connectionIndex`;
  /// throws to refuse it. By default it is accepted.
  ///
  /// When the central executes the write, `write` receives the whole value, and may still refuse
  /// it.
  func prepareWrite(to attribute: ApplicationAttribute, at connectionIndex: Int) throws(GATTRefusal)

  /// Takes a value of at most 512 bytes that the central at `connectionIndex` wrote; throws to
  /// refuse it. A value that arrived in parts is whole, if its first part began at its first byte.
  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int)
    throws(GATTRefusal)

  /// Whether the central at `connectionIndex` may write a part of the value of `attribute` from
  /// `offset` on, at least 1: no, if the value is shorter than that. By default false: Invalid
  /// Offset. Core Specification, Vol 3, Part F, 3.4.6.3. The server asks before it writes any
  /// value.
  func permitsWrite(to attribute: ApplicationAttribute, from offset: Int, at connectionIndex: Int)
    -> Bool

  /// Takes the part of a value from `offset` on, at least 1, that the central at `connectionIndex`
  /// wrote; throws to refuse it. The bytes before it stay. The part ends at byte 512 or before it.
  /// By default it is refused. Core Specification, Vol 3, Part G, 4.9.4. Only called if
  /// `permitsWrite` is true.
  mutating func write(
    _ part: Span<UInt8>, from offset: Int, to attribute: ApplicationAttribute,
    at connectionIndex: Int) throws(GATTRefusal)

  /// Called after the last value of a Write Request, Write Command or Execute Write. An application
  /// that handles several values together can refuse them here, or put the answer off. By default
  /// they are accepted.
  mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal)

  /// The connections for which `pendingUpdate(at:)` may return an attribute. By default all.
  ///
  /// The host asks only for these. A needless member costs time; a missing one gets no updates.
  var pendingConnections: ConnectionSet { get }

  /// The attribute to notify or indicate next to the central at `connectionIndex`; `nil` if none is
  /// pending.
  ///
  /// The host calls this often. If the central has not subscribed to the attribute, nothing is
  /// sent, and it stays pending until the application drops it.
  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute?

  /// Writes the value of `attribute` for a notification or indication to the central at
  /// `connectionIndex`. It is sent at once, and no longer pending. `value` holds as much as the MTU
  /// allows.
  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter)

  /// The radio's state changed.
  mutating func radioChanged(to state: RadioState)
}

extension GATTApplication where Self: ~Copyable {
  /// Keeps nothing of a central.
  public mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {}

  /// Keeps nothing of a central.
  public mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {}

  /// Keeps nothing of a subscription.
  public mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {}

  /// Shows no state of the radio.
  public mutating func radioChanged(to state: RadioState) {}

  /// Every connection.
  public var pendingConnections: ConnectionSet { .all }

  /// Accepts the part.
  public func prepareWrite(to attribute: ApplicationAttribute, at connectionIndex: Int)
    throws(GATTRefusal)
  {}

  /// False.
  @inlinable public func permitsWrite(
    to attribute: ApplicationAttribute, from offset: Int, at connectionIndex: Int
  ) -> Bool { false }

  /// Refuses the part.
  @inlinable public mutating func write(
    _ part: Span<UInt8>, from offset: Int, to attribute: ApplicationAttribute,
    at connectionIndex: Int
  ) throws(GATTRefusal) { throw .error(.invalidOffset) }

  /// Accepts the values.
  public mutating func endWrite(at connectionIndex: Int, isCommand: Bool) throws(GATTRefusal) {}
}

/// Why an application does not answer a request at once with success.
public enum GATTRefusal: Error, Equatable, Sendable {
  /// The server sends this error to the central.
  case error(ATTErrorCode)
  /// The application has no answer yet. When it has, `Host.resume(at:)` repeats the calls for the
  /// whole request. Until then this central waits, since the protocol allows one request at a time;
  /// other centrals do not. A command is dropped, since it has no answer.
  ///
  /// A central's transaction times out after 30 s. Core Specification, Vol 3, Part F, 3.3.3.
  case later
}
