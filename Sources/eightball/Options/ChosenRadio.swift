import Boards
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// The radio that a command was told to use, or that there is.
struct ChosenRadio {
  var name: RadioName
  /// Why this one, if it was not named.
  var reason: String?
  /// Whether nobody named it, and it is what there is.
  var isUsual = false

  /// - Parameters:
  ///   - board: Which may name the radio.
  ///   - usual: What there is, if nobody names one.
  init(
    _ options: RadioChoiceOptions, board: BoardDescription? = nil,
    usual: @autoclosure () -> DefaultRadio = .choose()
  ) {
    if let name = options.radio {
      self.name = name
    } else if let name = board?.radioName {
      self.name = name
      reason = "the board's file says so"
    } else {
      let usual = usual()
      isUsual = true
      name = usual.name
      reason = usual.reason
    }
  }

  /// Says which it is, and why.
  var sentence: String {
    let because = reason.map { " (\($0))" } ?? ""
    switch name {
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
  /// What sees the packets.
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
            "\(error.explanation ?? error.code.description). Name with --capture a file in a folder that there is, and "
            + "that you may write to")
      }
    }
    if verbose { sinks.append(PacketTrace(print: note)) }
    return sinks
  }
}
