import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("A ball's motion sensor and display")
struct PartsTests {
  @Test("A shake in the hand is a press of shake, and counts once")
  func shake() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.ask("Is it?", at: 1_000)
    let before = bench.machine.answers.count
    bench.machine.isShaken = true
    bench.turn(at: 2_000)
    bench.turn(at: 2_001)
    expect(bench.machine.answers.count, is: before + 1)
    expect(bench.machine.outputLines.filter { $0.hasPrefix("Shaken") }.count, is: 1)
  }

  @Test("The display gets the state, each new answer in the turn in which it is given, and a clear")
  func states() {
    let bench = RunnerBench(hasPanel: true)
    bench.turn(at: 0)
    expect(bench.machine.shown.last, is: BallState(status: .advertising))
    bench.listen()
    expect(bench.machine.shown.last, is: BallState(status: .connected))
    bench.ask("Is it?", at: 1_000)
    let given = bench.machine.shown.filter(\.isAnswerNew)
    expect(given.count, is: 1)
    expect(given.first?.answer, is: bench.machine.answers.last ?? nil)
    bench.turn(at: 1_010)
    expect(bench.machine.shown.last, is: BallState(status: .connected, answer: given.first?.answer))

    bench.ask("It is.", at: 2_000)
    expect(bench.machine.shown.last?.isRefusing, is: true)
    bench.run(from: 2_001, until: 3_000)
    expect(bench.machine.shown.last?.isRefusing, is: false)

    bench.lines.drive(.clear, isClosed: true, at: 4_000)
    bench.turn(at: 4_000)
    expect(bench.machine.shown.last?.answer, is: nil)
  }

  @Test("A part that stops working, or works again, is reported, and the ball goes on")
  func changes() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.machine.partChanges = [
      PartChange(part: .motion, event: .lost(.bus(.notAcknowledged))),
      PartChange(part: .display, event: .lost(.bus(.stuck))),
      PartChange(part: .display, event: .found), PartChange(part: .motion, event: .found),
    ]
    bench.turn(at: 1_000)
    expect(
      bench.machine.errorLines,
      is: [
        "Motion sensor: none for now; it does not answer. Check its wires.",
        "Display: none for now; it does not answer. Check its wires.",
      ])
    expect(bench.machine.outputLines.suffix(2), is: ["Display: ready.", "Motion sensor: ready."])
    bench.ask("Is it?", at: 2_000)
    expect(bench.machine.answers.count, is: 1)
  }

  @Test("A board without lines and parts is asked for neither")
  func none() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.isShaken = true
    bench.ask("Is it?", at: 1_000)
    expect(bench.machine.isShaken)
    expect(bench.machine.shown, is: [])
  }
}
