import BluetoothHost

/// A program on a radio: a Bluetooth host and its application.
///
/// The calls come from one thread, with the time of the monotonic clock.
public protocol RadioProgram: RadioDriver, ~Copyable {
  /// The radio is lost. It cannot be used until it is ready again.
  mutating func radioIsLost(_ error: RadioError, at now: Instant)

  /// When `advance(to:)` must be called next; `nil` to wait for a packet.
  var deadline: Instant? { mutating get }

  /// All received packets have been handled. Reporting events here does not delay an answer.
  mutating func turnEnded()

  /// The user ends the program: it disconnects its peers.
  mutating func shutDown(at now: Instant)

  /// Whether the program has ended.
  var isFinished: Bool { mutating get }
}
