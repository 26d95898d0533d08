import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

/// 1,000 lines of one central, and lines of others.
@Suite("The printed lines of a central that floods the ball")
struct BallOutputTests {
  @Test("1,000 refused statements are printed up to the limit; the count follows within a second")
  func refusals() {
    let bench = FloodBench()
    bench.connect(0x40, at: 0)
    for _ in 0..<1_000 { bench.say("No.", on: 0x40, at: 500) }
    // The connection and 499 statements are the burst of 500.
    let refusal = "Refused: not a question (it must end in “?”)."
    #expect(
      bench.lines == ["Connected: C0:00:00:00:00:40."] + [String](repeating: refusal, count: 499))
    // The second began with the connection.
    #expect(bench.runner.deadline == 1_000)
    bench.turn(at: 999)
    #expect(bench.lines.count == 500)
    bench.turn(at: 1_000)
    #expect(bench.lines.suffix(1) == ["(501 lines of C0:00:00:00:00:40 were left out.)"])
    #expect(bench.runner.deadline != 1_000)
    bench.say("No.", on: 0x40, at: 1_001)
    #expect(bench.lines.suffix(1) == [refusal])
  }

  @Test("A link's count precedes its end, and another central's lines are all printed")
  func end() {
    let bench = FloodBench()
    bench.connect(0x40, at: 0)
    bench.connect(0x41, at: 0)
    for _ in 0..<600 { bench.say("No.", on: 0x40, at: 1) }
    bench.say("Is it me?", on: 0x41, at: 2)
    bench.disconnect(0x40, at: 3)
    #expect(
      bench.lines.suffix(3) == [
        "Question: Is it me?", "(101 lines of C0:00:00:00:00:40 were left out.)",
        "Disconnected: C0:00:00:00:00:40, by the other side.",
      ])
  }

  @Test("Events without a line do not count")
  func unprinted() {
    let bench = FloodBench()
    bench.connect(0x40, at: 0)
    for number in 0..<1_000 { bench.subscribe(number % 2 == 0, on: 0x40, at: 1) }
    bench.say("No.", on: 0x40, at: 2)
    #expect(
      bench.lines == [
        "Connected: C0:00:00:00:00:40.", "Refused: not a question (it must end in “?”).",
      ])
  }

  @Test("At the end of the program, the remaining count is printed")
  func programEnd() {
    let bench = FloodBench()
    for _ in 0..<300 {
      bench.connect(0x40, at: 0)
      bench.disconnect(0x40, at: 0)
    }
    #expect(bench.lines.count == 500)
    bench.runner.machine.endRequests = 2
    #expect(bench.runner.runner.run() == .asked)
    #expect(
      bench.lines.suffix(2) == [
        "Disconnected: C0:00:00:00:00:40, by the other side.",
        "(100 lines of C0:00:00:00:00:40 were left out.)",
      ])
  }

  @Test("For programs, the count has its connection and its central")
  func json() {
    let bench = FloodBench(isJSON: true)
    bench.connect(0x40, at: 0)
    for _ in 0..<501 { bench.say("No.", on: 0x40, at: 500) }
    bench.turn(at: 1_000)
    #expect(
      bench.lines.suffix(1) == [
        #"{"event":"omitted","central":"C0:00:00:00:00:40","place":0,"count":2}"#
      ])
  }
}

/// An advertising ball, and centrals that flood it.
private final class FloodBench {
  let runner: RunnerBench
  private let beginning: Int
  var lines: [String] { Array(runner.machine.outputLines.dropFirst(beginning)) }

  init(isJSON: Bool = false) {
    runner = RunnerBench(isJSON: isJSON)
    runner.turn(at: 0)
    beginning = runner.machine.outputLines.count
  }

  func turn(at now: UInt64) { runner.turn(at: now) }

  func connect(_ handle: UInt8, at now: UInt64) {
    runner.receive(ScriptedController.connection(handle), at: now)
  }

  func disconnect(_ handle: UInt8, at now: UInt64) {
    runner.receive(ScriptedController.disconnection(handle), at: now)
  }

  func say(_ text: String, on handle: UInt8, at now: UInt64) {
    runner.receive(ScriptedController.statement(text, on: handle), at: now)
  }

  func subscribe(_ isOn: Bool, on handle: UInt8, at now: UInt64) {
    runner.receive(ScriptedController.subscription(isOn, on: handle), at: now)
  }
}
