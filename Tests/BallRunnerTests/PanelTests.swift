import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("A ball's panel, and a port's defaults")
struct PanelTests {
  @Test("A refused statement is shown by the lights, an answer otherwise, and both come to an end")
  func refusal() {
    func lights(_ text: String?) -> [Set<LightName>] {
      let bench = RunnerBench(hasPanel: true)
      bench.listen()
      if let text { bench.ask(text, at: 1_000) }
      return (0..<400).map { number in
        bench.turn(at: 1_000 + UInt64(number) * 25)
        return bench.lines.lit
      }
    }
    let (rest, refused, answered) = (lights(nil), lights("No."), lights("Is it?"))
    expect(refused != rest)
    expect(answered != rest)
    expect(refused != answered)
    expect(refused.last, is: rest.last)
    expect(answered.last, is: rest.last)
  }

  @Test("A lost radio is shown, although pairing is open")
  func fault() {
    func lights(_ protection: BallProtection) -> [Set<LightName>] {
      let machine = TestMachine()
      let bench = PairingBench(protection, machine: machine)
      machine.openings = [.failed]
      machine.emptyRead = .closed
      var lights: [Set<LightName>] = []
      for number in UInt64(0)..<60 {
        machine.now = Instant(rawValue: 1_000 + number * 50)
        bench.turn()
        lights.append(machine.lines.lit)
      }
      expect(bench.side.ball.radio != .advertising)
      return lights
    }
    // A ball without protection never opens pairing.
    expect(lights(.encrypted), is: lights(.none))
  }

  @Test("A ball whose board has no lines never touches them")
  func noPanel() {
    let bench = RunnerBench()
    bench.listen()
    bench.run(from: 100, until: 60_000)
    bench.runner.close()
    expect(bench.lines.openings, is: 0)
    expect(bench.lines.writes, is: 0)
  }

  @Test("A port that defines only what it must has no manager, socket, figures or user")
  func defaults() {
    var port = PlainPort()
    expect(!port.hasServiceManager)
    expect(port.watchdogTimeout, is: nil)
    expect(!port.report([1].span))
    expect(port.keepsBonds)
    expect(port.keepBonds([1].span))
    expect(port.takeConfirmation(), is: nil)
    expect(!PlainPort.hasControl)
    expect(!port.hasListeners)
    expect(!port.hasControlEvent)
    expect(!port.allowsRemoteButtons)
    expect(port.press(.shake, isDown: true), is: .noButton)
    var request = ByteBuffer<128>()
    expect(port.nextControlEvent(into: &request), is: nil)
    expect(!port.has(.status))
    expect(!PlainPort.hasParts)
    expect(!port.takeShake(at: Instant(rawValue: 0)))
    port.show(BallState(status: .off), at: Instant(rawValue: 0))
    expect(port.takePartChange(), is: nil)
    expect(!PlainPort.Metrics.isPresent)
  }
}

/// A machine with a clock alone.
private struct PlainPort: PartsPort, ServicePort, BondPort, ControlPort, MetricsPort {}
