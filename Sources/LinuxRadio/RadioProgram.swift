import BluetoothHost

/// What drives a controller: a Bluetooth host and what it is for.
///
/// The calls come from one thread, with the time of the monotonic clock.
public protocol RadioProgram: ~Copyable {
  /// The radio can be used, for the first time or again: its controller is in an unknown state.
  mutating func radioIsReady(at now: Instant)

  /// The radio can be used no more, until it is ready again.
  mutating func radioIsLost(_ error: RadioError, at now: Instant)

  /// A whole packet has come from the controller, H4's type byte first.
  mutating func receive(_ packet: Span<UInt8>, at now: Instant)

  /// Writes the next whole packet for the controller, H4's type byte first; `false` if there is
  /// none now.
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool

  /// When `advance(to:)` must be called next; `nil` if only a packet can bring anything.
  var deadline: Instant? { mutating get }

  /// Lets time pass. Called in every turn of the loop, after what the turn brought.
  mutating func advance(to now: Instant)

  /// The packets that there were have been taken: a time to tell whoever watches what has
  /// happened, and not in the way of an answer.
  mutating func turnEnded()

  /// The user wants it to end: it says goodbye to its peers.
  mutating func shutDown(at now: Instant)

  /// Whether it has ended, of its own will or because it was told to.
  var isFinished: Bool { mutating get }
}
