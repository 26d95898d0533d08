import LinuxBoard
import LinuxRadio
import LinuxSystem

/// Says how many packets are missing in a capture, if any.
func warn(ofFailuresOf sinks: [any PacketSink]) {
  for case let capture as Capture in sinks {
    guard let failure = capture.failure else { continue }
    let count = capture.losses == 1 ? "1 packet is" : "\(capture.losses) packets are"
    Terminal.note("Warning: \(count) missing in the capture: \(sentence(failure.description))")
  }
}

/// Runs `body`, and ends the program with the right status if it fails.
///
/// - Parameter complain: Says what is wrong, and in a word for programs what kind of fault.
func endingWell(
  complain: (_ text: String, _ reason: String) -> Void, _ body: () throws -> Void
) throws {
  do {
    try body()
  } catch let error as RadioError {
    complain(sentence(error.description), "radio")
    throw ExitStatus.unavailable
  } catch let error as SystemError {
    complain(sentence(error.description), "system")
    throw ExitStatus.unexpected
  } catch let error as BoardError {
    complain(sentence(printable(error.description)), "board")
    throw ExitStatus.board
  }
}
