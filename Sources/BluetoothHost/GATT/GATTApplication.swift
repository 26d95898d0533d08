/// What a peripheral is for: the values that its own characteristics have, and what it does when
/// centrals come, write, subscribe and go.
///
/// A *place* is a number from 0 up to the host's capacity, less one; a central keeps its place
/// from connection to disconnection. Every call returns at once; what is to be sent is asked for
/// when it can be sent. A read or a write that cannot be answered at once is put off: see
/// `GATTRefusal.later`.
public protocol GATTApplication: ~Copyable {
  /// A central has taken `place`.
  mutating func centralConnected(at place: Int, address: DeviceAddress)

  /// The central at `place` has gone, and its place is free.
  mutating func centralDisconnected(at place: Int, reason: HCIErrorCode)

  /// The central at `place` now wants to be told of `attribute` in this way, or not at all.
  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration)

  /// Writes the value of `attribute` as the central at `place` shall see it: at most 512 bytes,
  /// which is what `value` holds.
  ///
  /// - Parameter offset: The first byte that is asked for. Those before it are not sent, but count:
  ///   the value is written from its beginning.
  mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal)

  /// A part of a value of `attribute` is to be kept until the central at `place` has it executed: the
  /// place to refuse what may not be written. By default nothing happens.
  ///
  /// The whole value is handed to `write` when it is executed, and may be refused then, too.
  func prepareWrite(to attribute: ApplicationAttribute, at place: Int) throws(GATTRefusal)

  /// Takes a value of at most 512 bytes that the central at `place` wrote, or refuses it. A value
  /// that came in parts has been put together.
  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal)

  /// Every value of one Write Request, Write Command or Execute Write has been handed over: the
  /// place for an application that takes them together to refuse them, or to put them off. By
  /// default nothing happens.
  mutating func endWrite(at place: Int, isCommand: Bool) throws(GATTRefusal)

  /// The places for which `pendingUpdate(at:)` may give an attribute. By default all.
  ///
  /// The host asks only these. One that is in the set without need costs time; one that is missing is
  /// not asked.
  var pendingConnections: ConnectionSet { get }

  /// Whose value the central at `place` is to be told next; `nil` when there is nothing to tell.
  ///
  /// Asked often, and answered at once. A central that does not want to be told of the attribute
  /// is not told; it stays pending until the application drops it.
  func pendingUpdate(at place: Int) -> ApplicationAttribute?

  /// Writes what the central at `place` is told of `attribute`: it is sent at once, and no longer
  /// pending. `value` holds as much as the MTU lets through.
  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter)

  /// The radio's state has changed.
  mutating func radioChanged(to state: RadioState)
}

extension GATTApplication where Self: ~Copyable {
  /// Every place.
  public var pendingConnections: ConnectionSet { .all }

  /// Nothing.
  public func prepareWrite(
    to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {}

  /// Nothing.
  public mutating func endWrite(at place: Int, isCommand: Bool) throws(GATTRefusal) {}
}

/// Why an application does not do at once what a central asks.
public enum GATTRefusal: Error, Equatable, Sendable {
  /// The central is told so.
  case error(ATTErrorCode)
  /// The answer is not known yet: once it is, `Host.resume(at:)` has the application asked again,
  /// for everything that the request is about. Until then the central waits, as the protocol has
  /// it ask one thing at a time; the others do not. Of a command nothing is kept: it needs no
  /// answer.
  ///
  /// A central gives up after 30 s. Core Specification, Vol 3, Part F, 3.3.3.
  case later
}
