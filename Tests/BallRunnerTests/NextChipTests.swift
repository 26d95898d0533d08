import BluetoothHost
import Testing

@testable import BallRunner
@testable import EightBall

/// What a chip may leave for the next one.
private enum ChipState: CaseIterable {
  case idle, shakeHeld, clearHeld, bouncing, edgesWaiting, gateClosed, pulsing

  func enter(_ bench: ChipBench) {
    bench.turn(at: 1_000)
    switch self {
    case .idle: break
    case .shakeHeld: press(.shake, bench)
    case .clearHeld: press(.clear, bench)
    case .bouncing:
      press(.shake, bench)
      bench.machine.lines.drive(.shake, isClosed: false, at: 2_001)
      bench.turn(at: 2_001)
    case .edgesWaiting:
      bench.machine.lines.drive(.clear, isClosed: true, at: 2_000)
      bench.machine.lines.drive(.clear, isClosed: false, at: 2_100)
    case .gateClosed:
      for _ in 0..<3 {
        for edge in 0..<30 {
          bench.machine.lines.drive(.clear, isClosed: edge % 2 == 0, at: 2_000)
        }
        bench.turn(at: 2_000)
      }
      #expect(!bench.machine.lines.isListening)
    case .pulsing:
      bench.control.showAnswer(at: Instant(rawValue: 2_000))
      bench.turn(at: 2_000)
      #expect(bench.machine.lines.lit.contains(.answer))
    }
    bench.actions = []
  }

  private func press(_ button: ButtonName, _ bench: ChipBench) {
    bench.machine.lines.drive(button, isClosed: true, at: 2_000)
    bench.turn(at: 2_000)
    bench.turn(at: 2_000)
  }
}

/// How the machine reports that a chip has gone.
private enum ChipLoss: CaseIterable {
  case hungUp, chipChanged, readFails

  func happen(_ bench: ChipBench) {
    switch self {
    case .hungUp: bench.machine.lines.remove(.hungUp)
    case .chipChanged: bench.machine.lines.remove(.chipChanged)
    case .readFails: bench.machine.lines.remove()
    }
    // A chattering button is not read for 100 ms.
    bench.run(from: 2_010, until: 2_200)
    // The user lets the buttons go meanwhile.
    for button in [ButtonName.shake, .clear] {
      bench.machine.lines.drive(button, isClosed: false, at: 2_200)
    }
    bench.run(from: 2_200, until: 3_000)
    #expect(bench.isLost)
  }
}

/// What must not outlive a chip: buttons held on it, their bounces, edges that were not read, a
/// rest after chatter, and the lights that it last had.
@Suite("The next chip")
struct NextChipTests {
  @Test(
    "It inherits nothing from the lost one", arguments: ChipState.allCases, ChipLoss.allCases)
  fileprivate func nothing(state: ChipState, loss: ChipLoss) {
    let bench = ChipBench()
    state.enter(bench)
    loss.happen(bench)
    bench.machine.lines.restore(.chipChanged)
    bench.run(from: 5_000, until: 5_000)
    #expect(!bench.isLost)
    #expect(bench.machine.lines.isListening)
    // The ball advertises with no central: the status light is set anew.
    #expect(bench.machine.lines.lit.isSuperset(of: [.status]))
    #expect(!bench.machine.lines.lit.contains(.answer))
    // Nothing is held: no action, however long nothing is pressed.
    bench.run(from: 5_000, until: 30_000)
    #expect(bench.actions == [])
    #expect(bench.control.deadline == nil)
    // A press is one press, from its first moment.
    for (button, time) in [(ButtonName.shake, UInt64(40_000)), (.clear, 41_000)] {
      bench.machine.lines.drive(button, isClosed: true, at: time)
      bench.turn(at: time)
      #expect(bench.actions.count == (button == .shake ? 1 : 2))
      bench.machine.lines.drive(button, isClosed: false, at: time + 100)
      bench.run(from: time + 100, until: time + 900)
    }
    #expect(bench.actions == [.shake, .clear])
  }
}

/// A panel whose chip is lost and found, with injected times.
private final class ChipBench {
  let machine = TestMachine()
  var control = ButtonDriver()
  var actions: [FrontPanelAction] = []
  private(set) var isLost = false
  private var port: TestPort

  init() {
    port = TestPort(machine: machine)
    machine.lines.isThere = true
    control.show(BallLights(status: .connected, isAnswering: false), at: Instant(rawValue: 0))
  }

  func turn(at time: UInt64) {
    let now = Instant(rawValue: time)
    control.readButtons(from: &port, at: now)
    while let action = control.nextAction() { actions.append(action) }
    control.light(&port, at: now)
    switch control.takeLinesEvent() {
    case .lost: isLost = true
    case .ready: isLost = false
    case nil: break
    }
  }

  /// Has the turns that a loop would have, until `end`.
  func run(from start: UInt64, until end: UInt64) {
    turn(at: start)
    var time = start
    for _ in 0..<1_000 {
      if machine.lines.isWaking {
        turn(at: time)
      } else if let deadline = control.deadline, deadline.rawValue <= end {
        time = max(time, deadline.rawValue)
        turn(at: time)
      } else {
        return
      }
    }
    Issue.record("It never comes to rest.")
  }
}
