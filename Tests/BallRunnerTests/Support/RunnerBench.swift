import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

/// The connection handle of the tests' central.
let link: UInt8 = 0x40

/// A ball on a test machine, with injected times.
final class RunnerBench {
  let machine = TestMachine()
  var runner: BallRunner<4, 2_053, 8_192, 8_192, TestPort>

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

  /// Runs the loop at `time` until the ball would sleep.
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
      // The response to what was just sent is there at once, and a loop does not sleep until a time that
      // has come.
      if machine.incoming.isEmpty, deadline ?? .max > time { return true }
    }
    Issue.record("The ball never comes to rest.")
    return true
  }

  /// The ball advertises, and a central connects and subscribes.
  func listen() {
    turn(at: 0)
    receive(ScriptedController.connection(link), at: 10)
    receive(ScriptedController.subscription(true, on: link), at: 20)
  }

  /// Runs the turns that a loop would have, until `end`.
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

  /// Gives the ball packets from the controller, each in a separate read.
  func receive(_ packets: [UInt8]..., at time: UInt64) {
    machine.incoming += packets
    turn(at: time)
  }
}
