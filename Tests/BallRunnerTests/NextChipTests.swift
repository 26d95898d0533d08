import BluetoothHost
import Expectations

@testable import BallRunner
@testable import EightBall

/// What a chip may leave for the next one.
private enum ChipState: CaseIterable {
  case idle, shakeHeld, clearHeld, bouncing, edgesWaiting, gateClosed, pulsing

  func enter(_ bench: PanelBench) {
    bench.turn(at: 1_000)
    switch self {
    case .idle: break
    case .shakeHeld: press(.shake, bench)
    case .clearHeld: press(.clear, bench)
    case .bouncing:
      press(.shake, bench)
      bench.lines.drive(.shake, isClosed: false, at: 2_001)
      bench.turn(at: 2_001)
    case .edgesWaiting:
      bench.lines.drive(.clear, isClosed: true, at: 2_000)
      bench.lines.drive(.clear, isClosed: false, at: 2_100)
    case .gateClosed: bench.chatter(.clear, at: 2_000)
    case .pulsing:
      bench.showAnswer(at: 2_000)
      bench.turn(at: 2_000)
      expect(bench.lines.lit.contains(.answer))
    }
    bench.actions = []
  }

  private func press(_ button: ButtonName, _ bench: PanelBench) {
    bench.lines.drive(button, isClosed: true, at: 2_000)
    bench.turn(at: 2_000)
    bench.turn(at: 2_000)
  }
}

/// How the machine reports that a chip has gone.
private enum ChipLoss: CaseIterable {
  case hungUp, chipChanged, readFails

  func happen(_ bench: PanelBench) {
    let changes: [ChipLoss: LinesChange] = [.hungUp: .hungUp, .chipChanged: .chipChanged]
    bench.lines.remove(changes[self] ?? .none)
    // A chattering button is not read for 100 ms.
    bench.run(from: 2_010, until: 2_200)
    // The user lets the buttons go meanwhile.
    for button in [ButtonName.shake, .clear] {
      bench.lines.drive(button, isClosed: false, at: 2_200)
    }
    bench.run(from: 2_200, until: 3_000)
    expect(bench.isLost)
  }
}

/// What must not outlive a chip: buttons held on it, their bounces, edges that were not read, a
/// rest after chatter, and the lights that it last had.
@Suite("The next chip")
struct NextChipTests {
  @Test("It inherits nothing from the lost one", arguments: ChipState.allCases, ChipLoss.allCases)
  fileprivate func nothing(state: ChipState, loss: ChipLoss) {
    let bench = PanelBench()
    bench.show(.connected, at: 0)
    state.enter(bench)
    loss.happen(bench)
    bench.lines.restore(.chipChanged)
    bench.run(from: 5_000, until: 5_000)
    expect(!bench.isLost)
    expect(bench.lines.isListening)
    // The ball advertises with no central: the status light is set anew.
    expect(bench.lines.lit.isSuperset(of: [.status]))
    expect(!bench.lines.lit.contains(.answer))
    // Nothing is held: no action, however long nothing is pressed.
    bench.run(from: 5_000, until: 30_000)
    expect(bench.actions, is: [])
    expect(bench.deadline, is: nil)
    // A press is one press, from its first moment.
    for (button, time) in [(ButtonName.shake, UInt64(40_000)), (.clear, 41_000)] {
      bench.lines.drive(button, isClosed: true, at: time)
      bench.turn(at: time)
      expect(bench.actions.count, is: button == .shake ? 1 : 2)
      bench.lines.drive(button, isClosed: false, at: time + 100)
      bench.run(from: time + 100, until: time + 900)
    }
    expect(bench.actions, is: [.shake, .clear])
  }
}
