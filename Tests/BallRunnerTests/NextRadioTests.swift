import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

/// What a radio may leave for the next one.
private enum RadioState: CaseIterable {
  case advertising, connected, subscribed, fullHouse, halfPacketRead, halfPacketWritten,
    responseDue, silent,
    linesLeftOut

  func enter(_ bench: RunnerBench) {
    bench.turn(at: 0)
    guard self != .advertising else { return }
    bench.connect(at: 10)
    switch self {
    case .advertising, .connected: break
    case .subscribed:
      bench.subscribe(at: 20)
      bench.ask("First?", at: 30)
    case .fullHouse:
      for number in UInt8(1)...3 { bench.connect(link + number, at: 20) }
    case .halfPacketRead:
      let question = ScriptedController.question("Half?", on: link)
      bench.receive(Array(question.prefix(7)), at: 20)
    case .halfPacketWritten:
      bench.machine.writeLimits = [3, 0, 0, 0, 0, 0, 0, 0]
      bench.ask("Half?", at: 20)
    case .responseDue:
      // The controller gives no buffer back.
      bench.machine.controller = nil
      for number in 0..<9 { bench.ask("Due \(number)?", at: 20) }
    case .silent:
      bench.machine.controller = nil
      bench.disconnect(at: 20)
    case .linesLeftOut:
      bench.subscribe(at: 20)
      for _ in 0..<400 { bench.ask("Again?", at: 30) }
    }
  }
}

/// How a radio is lost.
private enum RadioEnd: CaseIterable {
  case closed, readFails, writeFails, noSync

  func happen(_ bench: RunnerBench) {
    let machine = bench.machine
    machine.writeLimits = []
    switch self {
    case .closed: machine.emptyRead = .closed
    case .readFails: machine.emptyRead = .failed
    case .writeFails:
      // The next command is the check of the advertising, or the response to the question.
      machine.isWriteFailing = true
      machine.controller = nil
      machine.incoming = [ScriptedController.connection(0x60)]
      bench.run(from: 100, until: 40_000)
    // They also end a packet that has come by half.
    case .noSync: machine.incoming = [[UInt8](repeating: 0x99, count: 40)]
    }
    bench.turn(at: 50_000)
    machine.emptyRead = .nothing
    machine.isWriteFailing = false
    machine.incoming = []
    machine.controller = ScriptedController.replies
  }
}

/// What must not outlive a radio: links, halves of packets in both directions, responses that are
/// due, commands without an answer.
@Suite("The next radio")
struct NextRadioTests {
  /// The packets of a ball that is new, with one question and one answer.
  private func visit(_ bench: RunnerBench, at time: UInt64) -> [[UInt8]] {
    let start = bench.machine.packets.count
    bench.run(from: time, until: time + 5_000)
    bench.connect(at: time + 6_000)
    bench.subscribe(at: time + 6_010)
    // A statement: its response has no answer of the seed.
    bench.ask("It will.", at: time + 6_020)
    expect(bench.runner.ball.host.connectionCount, is: 1)
    return Array(bench.machine.packets.dropFirst(start))
  }

  @Test("It inherits nothing from the lost one", arguments: RadioState.allCases, RadioEnd.allCases)
  fileprivate func nothing(state: RadioState, end: RadioEnd) {
    let fresh = visit(RunnerBench(), at: 0)
    expect(fresh.first, is: [0x01, 0x03, 0x0C, 0x00], "Reset comes first.")

    let bench = RunnerBench()
    state.enter(bench)
    end.happen(bench)
    expect(bench.machine.errorLines.contains { $0.hasPrefix("Radio: lost") })
    expect(bench.runner.ball.host.connectionCount, is: 0)
    expect(visit(bench, at: 60_000), is: fresh)
    expect(bench.machine.outputLines.contains("Radio: ready again."))
    // Each link that began has ended, but the last one.
    let lines = bench.machine.outputLines
    let begun = lines.count { $0.hasPrefix("Connected: ") }
    let ended = lines.count { $0.hasPrefix("Disconnected: ") }
    expect(begun, is: ended + 1)
  }
}
