import BluetoothHost
import EightBall

/// The parts of a board beside its buttons and lights: a motion sensor and a display.
///
/// The runner calls these only if the board has a panel, after the radio was served. A machine whose type has no
/// parts has nothing of them in its program.
public protocol PartsPort: ~Copyable {
  /// Whether the machine can have such parts.
  static var hasParts: Bool { get }

  /// When `takeShake` and `show` must be called next; `nil` if the parts have nothing to do.
  var partsDeadline: Instant? { mutating get }

  /// Reads the motion sensor if that is due; `true` once for each shake of the ball.
  mutating func takeShake(at now: Instant) -> Bool

  /// Shows the state of the ball on the display, as much as one transfer of about 1 ms can. If there is more,
  /// `partsDeadline` is `now`.
  mutating func show(_ state: BallState, at now: Instant)

  /// Takes a change in whether a part works; `nil` without one.
  mutating func takePartChange() -> PartChange?

  /// Writes why a part cannot be used and what to do: one or two sentences in UTF-8, without the
  /// last full stop.
  func write(_ error: PartError, of part: BoardPart, to writer: inout ByteWriter)
}

/// A part has stopped working, or works.
public struct PartChange: Equatable, Sendable {
  /// The motion sensor or the display.
  public var part: BoardPart
  /// What has happened to it.
  public var event: PartEvent

  /// What has happened to `part`.
  public init(part: BoardPart, event: PartEvent) {
    self.part = part
    self.event = event
  }
}

extension PartsPort where Self: ~Copyable {
  /// `false`.
  @inlinable public static var hasParts: Bool { false }

  /// `nil`.
  @inlinable public var partsDeadline: Instant? { nil }

  /// `false`.
  @inlinable public mutating func takeShake(at now: Instant) -> Bool { false }

  /// Does nothing.
  @inlinable public mutating func show(_ state: BallState, at now: Instant) {}

  /// `nil`.
  @inlinable public mutating func takePartChange() -> PartChange? { nil }

  /// Nothing.
  @inlinable public func write(
    _ error: PartError, of part: BoardPart, to writer: inout ByteWriter
  ) {}
}
