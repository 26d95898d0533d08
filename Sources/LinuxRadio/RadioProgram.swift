import BluetoothHost

/// What runs on a radio until it ends: a Bluetooth host and what it is for.
///
/// The calls come from one thread, with the time of the monotonic clock.
public protocol RadioProgram: RadioDriver, ~Copyable {
  /// The radio cannot be used until it is ready again.
  mutating func radioIsLost(_ error: RadioError, at now: Instant)

  /// When `advance(to:)` must be called next; `nil` if only a packet can bring anything.
  var deadline: Instant? { mutating get }

  /// The packets that there were have been taken: a time to report what has happened, and not in the way
  /// of an answer.
  mutating func turnEnded()

  /// The user wants it to end: it says goodbye to its peers.
  mutating func shutDown(at now: Instant)

  /// Whether it has ended, of its own will or because it was asked to.
  var isFinished: Bool { mutating get }
}
