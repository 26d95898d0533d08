import BluetoothHost
import EightBall

/// A listener's request: a line of words.
enum ControlRequest: Equatable {
  /// `down BUTTON`: the button goes down.
  case down(ButtonName)
  /// `up BUTTON`: the listener releases the button.
  case up(ButtonName)
  /// `packets`, or `packets off`: whether the listener gets each packet.
  case packets(Bool)
  /// `figures`: the listener receives all counts, once.
  case figures

  /// The request in `line`; `nil` for an unknown one.
  init?(_ line: Span<UInt8>) {
    if line.equals("down shake") {
      self = .down(.shake)
    } else if line.equals("down clear") {
      self = .down(.clear)
    } else if line.equals("up shake") {
      self = .up(.shake)
    } else if line.equals("up clear") {
      self = .up(.clear)
    } else if line.equals("packets") {
      self = .packets(true)
    } else if line.equals("packets off") {
      self = .packets(false)
    } else if line.equals("figures") {
      self = .figures
    } else {
      return nil
    }
  }
}

/// Why a request is refused.
enum ControlRequestError: Equatable {
  /// The line is not a request.
  case unknown
  /// The ball keeps no figures.
  case noMetrics
  /// The ball has no buttons.
  case noBoard
  /// Programs may not press the buttons of this board.
  case notAllowed
  /// The board has no such button.
  case noButton(ButtonName)
  /// The lines of the board cannot be used now.
  case noLines
  /// Another listener or a person holds the button down.
  case isDown(ButtonName)
  /// The listener does not hold the button.
  case isNotHeld(ButtonName)

  /// Writes what is wrong, and what to do.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .unknown:
      writer.write(
        text:
          "The requests are down BUTTON, up BUTTON, packets, packets off and figures. The buttons are shake and clear."
      )
    case .noMetrics: writer.write(text: "This ball keeps no figures.")
    case .noBoard:
      writer.write(
        text: "The ball has no buttons. Start one that has: eightball run --board virtual")
    case .notAllowed:
      writer.write(
        text:
          "Programs may not press the buttons of this board. Start the ball with --allow-remote-buttons."
      )
    case .noButton(let button): Self.write("The board has no button ", button, ".", to: &writer)
    case .noLines: writer.write(text: "The lines of the board cannot be used now.")
    case .isDown(let button): Self.write("The button ", button, " is held down.", to: &writer)
    case .isNotHeld(let button):
      Self.write("This connection does not hold the button ", button, ".", to: &writer)
    }
  }

  private static func write(
    _ start: StaticString, _ button: ButtonName, _ end: StaticString, to writer: inout ByteWriter
  ) {
    writer.write(text: start)
    writer.write(text: button == .shake ? "shake" : "clear")
    writer.write(text: end)
  }
}
