import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

/// 1,000 lines of one central.
@Suite("The printed lines of a central that floods the ball")
struct BallOutputTests {
  private let bench = RunnerBench()
  private var lines: [String] { Array(bench.machine.outputLines.dropFirst()) }

  init() {
    bench.turn(at: 0)
    expect(bench.machine.outputLines.count, is: 1, "It advertises.")
  }

  @Test("1,000 refused statements are printed up to the limit; the count follows within a second")
  func refusals() {
    bench.connect(at: 0)
    for _ in 0..<1_000 { bench.say("No.", at: 500) }
    // The connection and 499 statements are the burst of 500.
    let refusal = "Refused: not a question (it must end in “?”)."
    expect(lines, is: ["Connected: C0:00:00:00:00:40."] + [String](repeating: refusal, count: 499))
    // The second began with the connection.
    expect(bench.deadline, is: 1_000)
    bench.turn(at: 999)
    expect(lines.count, is: 500)
    bench.turn(at: 1_000)
    expect(lines.suffix(1), is: ["(501 lines of C0:00:00:00:00:40 were left out.)"])
    expect(bench.figures[.linesLimited], is: 501)
    expect(bench.deadline != 1_000)
    bench.say("No.", at: 1_001)
    expect(lines.suffix(1), is: [refusal])
  }

  @Test("Events without a line do not count")
  func unprinted() {
    bench.connect(at: 0)
    for number in 0..<1_000 { bench.subscribe(number % 2 == 0, at: 1) }
    bench.say("No.", at: 2)
    expect(
      lines, is: ["Connected: C0:00:00:00:00:40.", "Refused: not a question (it must end in “?”)."])
  }

  @Test("At the end of the program, the remaining count is printed")
  func programEnd() {
    for _ in 0..<300 {
      bench.connect(at: 0)
      bench.disconnect(at: 0)
    }
    expect(lines.count, is: 500)
    bench.machine.endRequests = 2
    expect(bench.runner.run(), is: .asked)
    expect(
      lines.suffix(2),
      is: [
        "Disconnected: C0:00:00:00:00:40, by the other side.",
        "(100 lines of C0:00:00:00:00:40 were left out.)",
      ])
  }
}
