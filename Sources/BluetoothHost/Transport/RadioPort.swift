/// How a port answers when it is asked to open its radio.
public enum RadioOpening: Equatable, Sendable {
  /// Bytes can be read and written.
  case opened
  /// The controller has yet to come, or its host is being looked up. The loop wakes when there is news.
  case pending
  /// It cannot be opened now.
  case failed
}

/// What a read of a controller has given.
public enum RadioRead: Equatable, Sendable {
  /// So many bytes, at least one.
  case bytes(Int)
  /// Nothing now.
  case nothing
  /// The other side has closed the connection.
  case closed
  /// The read failed.
  case failed
}

/// What a write to a controller has come to.
public enum RadioWrite: Equatable, Sendable {
  /// The controller took so many bytes, perhaps none now.
  case taken(Int)
  /// The write failed.
  case failed
}

/// Which way a packet goes.
public enum PacketDirection: Equatable, Sendable {
  /// From the host to the controller.
  case sent
  /// From the controller to the host.
  case received
}

/// The bytes of a Bluetooth controller: what a host needs of the machine it runs on.
///
/// No call waits. The calls come from one thread.
public protocol RadioPort: ~Copyable {
  /// Opens the radio, for the first time or again.
  mutating func openRadio(at now: Instant) -> RadioOpening

  /// Closes the radio. What belongs to the machine is given back as it was.
  mutating func closeRadio()

  /// Whether each read and each write is one packet, as with an adapter's user channel; false for a
  /// stream.
  var isPacketwise: Bool { get }

  /// Reads what there is into the front of `space`.
  mutating func readRadio(into space: inout MutableSpan<UInt8>) -> RadioRead

  /// Writes the first of `bytes`, as many as are taken now. If that is not all of them, the loop wakes
  /// when more would be taken.
  mutating func writeRadio(_ bytes: Span<UInt8>) -> RadioWrite

  /// Sees a packet, H4's type byte first. The default does nothing.
  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection)
}

extension RadioPort where Self: ~Copyable {
  /// Does nothing.
  @inlinable
  public mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {}
}

/// What drives a controller: a host and what it is for.
public protocol RadioDriver: ~Copyable {
  /// The radio can be used, for the first time or again. The state of its controller is unknown.
  mutating func radioIsReady(at now: Instant)

  /// Takes a whole packet from the controller, H4's type byte first.
  mutating func receive(_ packet: Span<UInt8>, at now: Instant)

  /// Whether `nextPacket` is worth a call. The default is true.
  var mayHavePacket: Bool { get }

  /// Writes the next whole packet for the controller, H4's type byte first; `false` if there is none
  /// now.
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool

  /// What the last packet brought has been sent. The default does nothing.
  mutating func packetWasServed(at now: Instant)

  /// Lets time pass. Called in each turn of the loop, after the packets that it brought.
  mutating func advance(to now: Instant)
}

extension RadioDriver where Self: ~Copyable {
  /// `true`.
  @inlinable
  public var mayHavePacket: Bool { true }

  /// Does nothing.
  @inlinable
  public mutating func packetWasServed(at now: Instant) {}
}
