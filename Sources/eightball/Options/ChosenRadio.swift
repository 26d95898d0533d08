import BallControl
import Boards
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// The radio that the command line or the board names, or else the default one.
struct ChosenRadio {
  var name: RadioAddress
  /// Why this one; `nil` if the command line named it.
  var reason: String?
  /// Whether it is the default radio, which neither the command line nor the board named.
  var isDefault = false

  /// - Parameters:
  ///   - board: Its file may name the radio.
  ///   - defaultRadio: The radio if neither names one.
  init(
    _ option: RadioAddress?, board: BoardDescription? = nil,
    defaultRadio: @autoclosure () -> DefaultRadio = .choose()
  ) {
    if let name = option {
      self.name = name
    } else if let name = board?.radioName {
      self.name = name
      reason = "the board says so"
    } else {
      let choice = defaultRadio()
      isDefault = true
      name = choice.name
      reason = choice.reason
    }
  }

  /// Which radio, and why, as a line.
  var sentence: String {
    let because = reason.map { " (\($0))" } ?? ""
    switch name.way {
    case .virtual:
      return "Radio: the virtual air\(because); other programs join with --radio virtual."
    case .tcpServer:
      return "Radio: \(name); waiting for a controller to connect."
    default:
      return "Radio: \(name)\(because)."
    }
  }
}

extension RadioOptions {
  /// The sinks that `--capture` and `--verbose` ask for.
  ///
  /// - Parameter note: Prints a line to standard error.
  func sinks(note: @escaping (String) -> Void = Terminal.note) throws -> [any PacketSink] {
    var sinks: [any PacketSink] = []
    if let capture {
      do throws(SystemError) {
        sinks.append(
          try Capture(
            path: capture,
            onFirstLoss: { failure in
              note(
                "Warning: packets are missing in the capture: \(sentence(failure.description))")
            }))
      } catch {
        throw SystemError(
          error.code, "keep packets in", capture,
          explanation:
            "\(error.explanation ?? error.code.description). Give --capture a file in a folder "
            + "that exists and that you may write to")
      }
    }
    if verbose { sinks.append(PacketTrace(print: note)) }
    return sinks
  }
}
