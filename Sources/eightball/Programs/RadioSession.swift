#if Tools
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// Opens a radio and runs a program on it, to its end.
///
/// - Parameter prepare: Gives the program what else it needs of the loop.
func runOnRadio<Program: RadioProgram & ~Copyable>(
  _ program: inout Program, _ name: RadioName, watchedBy sinks: [any PacketSink],
  prepare: (inout Program, EventLoop) throws -> Void
) throws {
  let loop = try EventLoop()
  let signals = try TerminationSignals(loop: loop)
  var radio = try Radio(name, loop: loop)
  radio.sinks = sinks
  try prepare(&program, loop)
  do throws(SystemError) {
    try RadioLoop.run(&program, on: &radio, in: loop, endedBy: signals)
  } catch {
    radio.close()
    throw error
  }
  radio.close()
  warn(ofFailuresOf: sinks)
}

/// Says so if a capture could not be written to its end.
func warn(ofFailuresOf sinks: [any PacketSink]) {
  for case let capture as Capture in sinks {
    guard let failure = capture.failure else { continue }
    Terminal.note("Warning: the capture is not whole: \(sentence(failure.description))")
  }
}

/// Runs `body`, and ends the program with the right status if it fails.
///
/// - Parameter complain: Is told what is wrong, and in a word for programs what kind of fault.
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
#endif
