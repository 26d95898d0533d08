import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

@Suite("Limits of the panel, and a port's defaults")
struct PanelTimingTests {
  private func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }

  @Test("The gate closes at the 65th edge of a period of 100 ms, for 100 ms")
  func gate() {
    var gate = EdgeGate()
    for _ in 0..<64 { gate.count(at: at(1_000)) }
    #expect(gate.opening == nil)
    gate.count(at: at(1_099))
    #expect(gate.opening == at(1_199))
    gate.open()
    #expect(gate.opening == nil)
    // After opening, the count starts again in the same period.
    for _ in 0..<64 { gate.count(at: at(1_099)) }
    #expect(gate.opening == nil)
    // A new period begins 100 ms after the first edge of the last one.
    for _ in 0..<64 { gate.count(at: at(1_100)) }
    #expect(gate.opening == nil)
    gate.count(at: at(1_199))
    #expect(gate.opening == at(1_299))
  }

  @Test("An edge's time counts unless it is 10 s old or in the future; it never goes back")
  func edgeTimes() {
    // A held clear button disconnects all 3 s after its edge.
    for (edge, now, expected) in [
      (UInt64(40_000), UInt64(40_000), UInt64(43_000)), (30_001, 40_000, 40_000),
      (30_000, 40_000, 43_000), (40_001, 40_000, 43_000), (39_000, 40_000, 42_000),
    ] {
      let machine = TestMachine()
      machine.lines.isThere = true
      var port = TestPort(machine: machine)
      var control = ButtonDriver()
      control.readButtons(from: &port, at: at(20_000))
      machine.lines.drive(.clear, isClosed: true, at: edge)
      control.readButtons(from: &port, at: at(now))
      // If the 3 s have passed by now, disconnecting includes clearing.
      if expected > now {
        #expect(control.nextAction() == .clear)
        control.readButtons(from: &port, at: at(expected - 1))
        #expect(control.nextAction() == nil, "\(edge)")
        control.readButtons(from: &port, at: at(expected))
      }
      #expect(control.nextAction() == .release, "\(edge)")
    }
  }

  @Test("A chip that is gone when the gate opens is lost")
  func goneAtOpening() {
    let machine = TestMachine()
    machine.lines.isThere = true
    var port = TestPort(machine: machine)
    var control = ButtonDriver()
    control.readButtons(from: &port, at: at(1_000))
    for edge in 0..<65 { machine.lines.drive(.shake, isClosed: edge % 2 == 0, at: 1_001) }
    control.readButtons(from: &port, at: at(1_001))
    _ = control.takeLinesEvent()
    // No change is reported, so only a read of the contacts can find out.
    machine.lines.remove()
    control.readButtons(from: &port, at: at(1_100))
    #expect(control.takeLinesEvent() == nil)
    control.readButtons(from: &port, at: at(1_101))
    #expect(control.takeLinesEvent() == .lost)
    #expect(control.deadline == at(1_351))
  }

  @Test("A ball whose board has no lines never touches them")
  func noPanel() {
    let bench = RunnerBench()
    bench.listen()
    bench.run(from: 100, until: 60_000)
    bench.runner.close()
    #expect(bench.machine.lines.openings == 0)
    #expect(bench.machine.lines.writes == 0)
  }

  @Test("A ball that ends has 2 s to disconnect, and not a millisecond more")
  func farewell() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.controller = nil
    bench.machine.endRequests = 1
    _ = bench.runner.turn(at: at(10_000))
    for (time, expected) in [(UInt64(10_000), false), (11_999, false), (12_000, true)] {
      let isFinished = bench.runner.isFinished(at: at(time))
      #expect(isFinished == expected)
    }
    bench.machine.endRequests = 2
    let isFinished = bench.runner.isFinished(at: at(10_001))
    #expect(isFinished)
  }

  @Test("A port that defines only what it must has no manager, socket, figures or user")
  func defaults() {
    var port = PlainPort()
    #expect(!port.hasServiceManager)
    #expect(port.watchdogTimeout == nil)
    let isReported = port.report([1].span)
    #expect(!isReported)
    #expect(port.keepsBonds)
    let isKept = port.keepBonds([1].span)
    #expect(isKept)
    let confirmation = port.takeConfirmation()
    #expect(confirmation == nil)
    #expect(!PlainPort.hasControl)
    #expect(!port.hasListeners)
    #expect(!port.hasControlEvent)
    #expect(!port.allowsRemoteButtons)
    let press = port.press(.shake, isDown: true)
    #expect(press == .noButton)
    var request = ByteBuffer<128>()
    let event = port.nextControlEvent(into: &request)
    #expect(event == nil)
    #expect(!port.has(.status))
    #expect(!PlainPort.Metrics.isPresent)
  }
}

/// A machine with a clock alone.
private struct PlainPort: ServicePort, BondPort, ControlPort, MetricsPort {}
