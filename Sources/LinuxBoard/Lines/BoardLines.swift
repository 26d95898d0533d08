import BallRunner
import BluetoothHost
import EightBall

/// The buttons and lights of a board, on lines of a GPIO chip.
///
/// Two implementations: `ChipLines` with libgpiod, and `VirtualLines`. After `open`, no call except
/// `close` allocates. After a call throws, the lines must be closed and opened again.
public protocol BoardLines<Failure>: AnyObject {
  /// Why the lines cannot be used, and what helps, as a sentence without its full stop.
  associatedtype Failure: Error, CustomStringConvertible

  /// Requests the lines: all, or none. The lights are off then.
  func open() throws(Failure)

  /// Releases the lines; does nothing if they are not open.
  func close()

  /// Readable while `nextEdge` has an edge; -1 unless the lines are open.
  var descriptor: Int32 { get }

  /// Takes the next edge of a button; `nil` if none is pending.
  func nextEdge() throws(Failure) -> ButtonEdge?

  /// Whether a button is down now; `nil` if the board lacks it.
  ///
  /// This does not say whether edges are pending.
  func isClosed(_ button: ButtonName) throws(Failure) -> Bool?

  /// Turns a light on or off; does nothing if the board lacks it.
  func set(_ light: LightName, isLit: Bool) throws(Failure)

  /// Throws if the lines are no longer usable. Changes nothing.
  func check() throws(Failure)

  /// The error to report if the chip hangs up without one.
  var vanished: Failure { get }

  /// When `advance(to:)` must be called; `nil` if it need not be.
  var deadline: Instant? { get }

  /// Sets the time, for lines without a clock.
  func advance(to now: Instant)
}

extension BoardLines {
  /// `nil`: the lines have a clock.
  public var deadline: Instant? { nil }
  /// Does nothing.
  public func advance(to now: Instant) {}
}
