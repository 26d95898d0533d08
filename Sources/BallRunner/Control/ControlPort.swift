import BluetoothHost
import EightBall

/// An event at a ball's control socket.
public enum ControlEvent: Equatable, Sendable {
  /// A program begins to listen, and needs the state. Each listener has a number.
  case joined(Int)
  /// A listener has sent a line.
  case request(Int)
  /// A listener has gone, or was too slow.
  case left(Int)
}

/// The result of a program's request to press or release a button.
public enum PressResult: Equatable, Sendable {
  /// The request was carried out.
  case done
  /// The board has no such button.
  case noButton
  /// The lines of the board cannot be used now.
  case noLines
  /// Another listener or a person holds the button down.
  case isDown
}

/// The connection to programs that watch a ball, and press its buttons. No call waits for them.
public protocol ControlPort: ~Copyable {
  /// Whether programs can listen at all. A constant, so that a ball without listeners has no code
  /// for them.
  static var hasControl: Bool { get }

  /// Whether a program listens.
  var hasListeners: Bool { get }

  /// Whether an event waits for `nextControlEvent`.
  var hasControlEvent: Bool { get }

  /// Whether programs may press the buttons.
  var allowsRemoteButtons: Bool { get }

  /// Presses or releases `button` for a program. The edges come through `nextEdge`.
  mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult

  /// Takes the oldest event of the socket; `nil` without one.
  ///
  /// - Parameter request: Receives the line of a request, without its end.
  mutating func nextControlEvent(into request: inout ByteBuffer<128>) -> ControlEvent?

  /// Sends whole lines to one listener, or to all if `listener` is `nil`. A listener that is too
  /// slow is dropped.
  mutating func send(_ lines: Span<UInt8>, to listener: Int?)

  /// Whether a listener receives each packet from now on.
  mutating func sendPackets(_ isWanted: Bool, to listener: Int)

  /// Whether the board has this light.
  func has(_ light: LightName) -> Bool

  /// Writes the board's name, such as `pi-4b`; "none" for no board.
  func writeBoardName(to writer: inout ByteWriter)

  /// Writes the version of the program.
  func writeVersion(to writer: inout ByteWriter)
}

extension ControlPort where Self: ~Copyable {
  /// `false`.
  @inlinable public static var hasControl: Bool { false }

  /// `false`.
  @inlinable public var hasListeners: Bool { false }

  /// `false`.
  @inlinable public var hasControlEvent: Bool { false }

  /// `false`.
  @inlinable public var allowsRemoteButtons: Bool { false }

  /// `noButton`.
  @inlinable public mutating func press(_ button: ButtonName, isDown: Bool) -> PressResult {
    .noButton
  }

  /// `nil`.
  @inlinable public mutating func nextControlEvent(into request: inout ByteBuffer<128>)
    -> ControlEvent?
  { nil }

  /// Does nothing.
  @inlinable public mutating func send(_ lines: Span<UInt8>, to listener: Int?) {}

  /// Does nothing.
  @inlinable public mutating func sendPackets(_ isWanted: Bool, to listener: Int) {}

  /// `false`.
  @inlinable public func has(_ light: LightName) -> Bool { false }

  /// Writes nothing.
  @inlinable public func writeBoardName(to writer: inout ByteWriter) {}

  /// Writes nothing.
  @inlinable public func writeVersion(to writer: inout ByteWriter) {}
}
