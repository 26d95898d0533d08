import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

/// A chip that goes while the panel uses it: each call on its lines may be the first to fail.
@Suite("Each line of a panel that may be the first to fail")
struct PanelLossTests {
  private let machine = TestMachine()

  /// A panel with open lines, at rest; its lights are set if `isLit`.
  private func open(_ port: inout TestPort, isLit: Bool = true) -> ButtonDriver {
    machine.lines.isThere = true
    var control = ButtonDriver()
    control.readButtons(from: &port, at: at(1_000))
    if isLit { control.light(&port, at: at(1_000)) }
    _ = control.takeLinesEvent()
    return control
  }

  private func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }

  @Test("A button that cannot be read when the lines are opened", arguments: ButtonName.both)
  func opening(button: ButtonName) {
    machine.lines.isThere = true
    machine.lines.lostButtons = [button]
    var port = TestPort(machine: machine)
    var control = ButtonDriver()
    control.readButtons(from: &port, at: at(1_000))
    #expect(control.takeLinesEvent() == .lost)
    #expect(machine.lines.closings == 1)
    #expect(control.deadline == at(1_250))
    machine.lines.lostButtons = []
    control.readButtons(from: &port, at: at(1_249))
    #expect(control.takeLinesEvent() == nil)
    control.readButtons(from: &port, at: at(1_250))
    #expect(control.takeLinesEvent() == .ready)
    #expect(control.deadline == nil)
  }

  @Test("A button that cannot be read after a chatter", arguments: ButtonName.both)
  func settling(button: ButtonName) {
    var port = TestPort(machine: machine)
    var control = open(&port)
    for edge in 0..<80 { machine.lines.drive(.shake, isClosed: edge % 2 == 0, at: 1_000) }
    control.readButtons(from: &port, at: at(1_000))
    #expect(!machine.lines.isListening, "The gate is closed.")
    machine.lines.lostButtons = [button]
    control.readButtons(from: &port, at: at(1_100))
    #expect(control.takeLinesEvent() == .lost)
    #expect(!machine.lines.isOpen)
  }

  @Test("A light that cannot be set", arguments: [LightName.status, .answer])
  func light(light: LightName) {
    var port = TestPort(machine: machine)
    var control = open(&port, isLit: false)
    machine.lines.lostLights = [light]
    control.light(&port, at: at(1_000))
    #expect(control.takeLinesEvent() == .lost)
    #expect(!machine.lines.isOpen)
    // No light is set on closed lines.
    let count = machine.lines.writes
    control.light(&port, at: at(1_001))
    #expect(machine.lines.writes == count)
    machine.lines.lostLights = []
    control.readButtons(from: &port, at: at(1_250))
    control.light(&port, at: at(1_250))
    #expect(control.takeLinesEvent() == .ready)
    #expect(machine.lines.writes == count + 2, "Both lights are set anew.")
  }

  @Test("The edges that cannot be read while the lines are open")
  func edges() {
    var port = TestPort(machine: machine)
    var control = open(&port)
    machine.lines.remove()
    control.readButtons(from: &port, at: at(2_000))
    #expect(control.takeLinesEvent() == .lost)
    #expect(control.takeLinesEvent() == nil)
  }

  @Test(
    "A panel without lines turns no light off and releases no line at its end, and never retries")
  func end() {
    machine.lines.isThere = true
    machine.lines.isRefused = true
    var port = TestPort(machine: machine)
    var control = ButtonDriver()
    control.readButtons(from: &port, at: at(1_000))
    let closings = machine.lines.closings
    control.close(&port)
    #expect(machine.lines.writes == 0)
    #expect(machine.lines.closings == closings)
    #expect(control.deadline == nil)
    machine.lines.isRefused = false
    control.readButtons(from: &port, at: at(100_000))
    #expect(machine.lines.openings == 1)
  }

  @Test("A refused statement is shown by the lights, an answer otherwise, and both come to an end")
  func refusal() {
    func lights(_ text: String?) -> [Set<LightName>] {
      let bench = RunnerBench { $0.lines.isThere = true }
      bench.listen()
      if let text { bench.receive(ScriptedController.question(text, on: link), at: 1_000) }
      return (0..<400).map { number in
        bench.turn(at: 1_000 + UInt64(number) * 25)
        return bench.machine.lines.lit
      }
    }
    let (rest, refused, answered) = (lights(nil), lights("No."), lights("Is it?"))
    #expect(refused != rest)
    #expect(answered != rest)
    #expect(refused != answered)
    #expect(refused.last == rest.last)
    #expect(answered.last == rest.last)
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
        _ = bench.ball.turn(at: machine.now)
        lights.append(machine.lines.lit)
      }
      #expect(bench.ball.radio != .advertising)
      return lights
    }
    // A ball without protection never opens pairing.
    #expect(lights(.encrypted) == lights(.none))
  }
}

extension ButtonName {
  fileprivate static let both: [ButtonName] = [.shake, .clear]
}
