import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

/// A ball on a machine of the test's, at times of the test's choosing.
final class RunnerBench {
  let machine = TestMachine()
  var runner: BallRunner<4, 2_053, 8_192, TestPort>

  init(
    isJSON: Bool = false, isQuiet: Bool = false, prepare: (TestMachine) -> Void = { _ in }
  ) {
    prepare(machine)
    runner = BallRunner(
      BallConfiguration(
        host: HostConfiguration(
          name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
        seed: 8, lines: isQuiet ? .none : isJSON ? .json : .words),
      on: TestPort(machine: machine))
  }

  /// How often the loop has had a turn.
  private(set) var turns = 0

  var deadline: UInt64? { runner.deadline?.rawValue }

  /// Turns of the loop at `time`, until the ball would sleep.
  @discardableResult
  func turn(at time: UInt64) -> Bool {
    machine.now = Instant(rawValue: time)
    for _ in 0..<1_000 {
      turns += 1
      switch runner.turn(at: machine.now) {
      case nil: return false
      case true?: continue
      case false?: break
      }
      // The answer to what was just sent is there at once.
      if machine.incoming.isEmpty { return true }
    }
    Issue.record("The ball never comes to rest.")
    return true
  }

  /// Turns whenever a loop would wake, until `end`.
  func run(from start: UInt64, until end: UInt64) {
    turn(at: start)
    var time = start
    for _ in 0..<10_000 {
      if machine.lines.isWaking {
        turn(at: time)
      } else if let deadline, deadline <= end {
        time = max(time, deadline)
        turn(at: time)
      } else {
        return
      }
    }
    Issue.record("It never comes to rest.")
  }

  /// Packets come from the controller, each in a read of its own.
  func receive(_ packets: [UInt8]..., at time: UInt64) {
    machine.incoming += packets
    turn(at: time)
  }
}
