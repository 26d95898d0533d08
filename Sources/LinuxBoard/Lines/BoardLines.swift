import BallRunner
import BluetoothHost
import EightBall

/// The buttons and lights of a board, as the chip that has their lines gives them.
///
/// Two implementations: `ChipLines` by way of libgpiod, and `VirtualLines`. After `open`, no call
/// but `close` allocates. A call that throws leaves the lines of no use until they have been
/// closed and opened again.
public protocol BoardLines<Failure>: AnyObject {
  /// Why the lines cannot be used, and what helps, as a sentence without its full stop.
  associatedtype Failure: Error, CustomStringConvertible

  /// Asks for the lines: all, or none. Its lights are dark then.
  func open() throws(Failure)

  /// Gives the lines back; nothing happens if they are not open.
  func close()

  /// Readable while `nextEdge` has something to tell; -1 unless the lines are open.
  var descriptor: Int32 { get }

  /// Takes the next edge of a button; `nil` if there is none now.
  func nextEdge() throws(Failure) -> ButtonEdge?

  /// Whether a button is down just now; `nil` if the board has none.
  ///
  /// This does not say whether there are edges that have not been taken.
  func isClosed(_ button: ButtonName) throws(Failure) -> Bool?

  /// Turns a light on or off; nothing happens if the board has none.
  func set(_ light: LightName, isLit: Bool) throws(Failure)

  /// Looks whether the lines are still of use; throws if they are not. Changes nothing.
  func check() throws(Failure)

  /// What is wrong when the chip hangs up without an error.
  var vanished: Failure { get }

  /// When `advance(to:)` must be called; `nil` if it need not be.
  var deadline: Instant? { get }

  /// Lets time pass: for those that have no clock of their own.
  func advance(to now: Instant)
}

extension BoardLines {
  /// When time has to be let pass next; `nil` if it need not be.
  public var deadline: Instant? { nil }
  /// Lets time pass.
  public func advance(to now: Instant) {}
}
