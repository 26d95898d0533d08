import BluetoothHost
import EightBall
import Linux
import LinuxPort

/// The ball's radio, and why it was chosen.
struct RadioSelection {
  /// Why a radio was chosen.
  enum Reason {
    /// `--radio` was given.
    case named
    /// The board has a radio.
    case board
    /// The default.
    case usual
  }

  /// The radio.
  var choice: RadioAddress
  /// Why it was chosen.
  var reason: Reason

  /// The radio of `--radio`, or of the board, or the first adapter.
  ///
  /// - Throws: What is wrong with the board's radio.
  init(_ option: RadioAddress?, boards radio: RadioText?) throws(RadioAddressError) {
    reason = .named
    if let option {
      choice = option
    } else if let radio {
      reason = .board
      choice = try RadioAddress(numeric: radio.span)
    } else {
      reason = .usual
      choice = .adapter(0)
    }
  }

  /// Writes the radio and why it was chosen, as a sentence.
  func write(to writer: inout ByteWriter) {
    writer.write(text: "Radio: ")
    choice.write(to: &writer)
    if case .tcpServer = choice.way {
      return writer.write(text: "; waiting for a controller to connect.")
    }
    switch reason {
    case .named: break
    case .board: writer.write(text: " (the board says so)")
    case .usual: writer.write(text: " (neither --radio nor the board names another)")
    }
    writer.write(text: ".")
  }
}
