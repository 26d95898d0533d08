import LinuxBoard
import LinuxRadio
import LinuxSystem

/// Prints how many packets are missing in a capture, if any.
///
/// - Parameter note: Prints a line to standard error.
func warn(ofFailuresOf sinks: [any PacketSink], note: (String) -> Void = Terminal.note) {
  for case let capture as Capture in sinks {
    guard let failure = capture.failure else { continue }
    let count = capture.losses == 1 ? "1 packet is" : "\(capture.losses) packets are"
    note("Warning: \(count) missing in the capture: \(sentence(failure.description))")
  }
}

/// Runs `body`. If it fails, prints why and throws the exit status.
///
/// - Parameter complain: Prints the error, with a word for programs for its kind.
func reportingErrors(
  with complain: (_ text: String, _ reason: String) -> Void, _ body: () throws -> Void
) throws {
  do {
    try body()
  } catch let error as RadioError {
    complain(sentence(error.description), "radio")
    throw ExitStatus.unavailable
  } catch let error as MetricsError {
    complain(sentence(error.description), "metrics")
    throw ExitStatus.unavailable
  } catch let error as SystemError {
    complain(sentence(error.description), "system")
    throw ExitStatus.unexpected
  } catch let error as BoardError {
    complain(sentence(printable(error.description)), "board")
    throw ExitStatus.board
  }
}
