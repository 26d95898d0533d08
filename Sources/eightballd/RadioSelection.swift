import BluetoothHost
import Boards
import LinuxPort

/// The radio that the ball uses, and why.
struct RadioSelection {
  /// Why a radio was chosen.
  enum Reason {
    /// `--radio` names it.
    case named
    /// The board names it.
    case board
    /// Nothing names another.
    case usual
  }

  /// Which one it is.
  var choice: RadioChoice
  /// Why this one.
  var reason: Reason

  /// The radio of `--radio`, or of the board, or the first adapter.
  ///
  /// - Throws: What is wrong with the one that the board names.
  init(_ option: RadioChoice?, boards radio: RadioText?) throws(RadioChoiceError) {
    reason = .named
    if let option {
      choice = option
    } else if let radio {
      reason = .board
      choice = try RadioChoice(radio.span)
    } else {
      reason = .usual
      choice = .usual
    }
  }

  /// Writes which radio it is, and why, as a sentence.
  func write(to writer: inout ByteWriter) {
    writer.write(text: "Radio: ")
    choice.write(to: &writer)
    if case .tcpServer = choice.way {
      return writer.write(text: "; waiting for a controller to connect.")
    }
    switch reason {
    case .named: break
    case .board: writer.write(text: " (the board's file says so)")
    case .usual: writer.write(text: " (neither --radio nor the board names another)")
    }
    writer.write(text: ".")
  }
}
