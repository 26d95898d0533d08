import BallTestSupport
import BluetoothHost
import Expectations

@testable import BallRunner
@testable import EightBall

/// The connection handle of the tests' central.
let link: UInt8 = 0x40

/// A loop on a test machine, with injected times.
protocol Bench: AnyObject {
  var machine: TestMachine { get }
  var deadline: UInt64? { get }
  /// The loop's turns at this time.
  func turn(at time: UInt64)
}

extension Bench {
  var lines: TestLines { machine.lines }

  /// Runs the turns that a loop would have, until `end`.
  func run(from start: UInt64, until end: UInt64) {
    turn(at: start)
    var time = start
    for _ in 0..<10_000 {
      if lines.isWaking {
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

  /// Presses a button for 50 ms, and waits as long again.
  func press(_ button: ButtonName, at time: UInt64) {
    lines.drive(button, isClosed: true, at: time)
    run(from: time, until: time + 50)
    lines.drive(button, isClosed: false, at: time + 50)
    run(from: time + 50, until: time + 100)
  }

  /// A button chatters in the turns of one moment, until it is not listened to.
  func chatter(_ button: ButtonName, at time: UInt64) {
    for _ in 0..<3 {
      for edge in 0..<30 { lines.drive(button, isClosed: edge % 2 == 0, at: time) }
      turn(at: time)
    }
    expect(!lines.isListening)
  }
}

/// A ball whose controller is scripted.
final class RunnerBench: Bench {
  let machine = TestMachine()
  var runner: BallRunner<4, 2_053, 8_192, 8_192, TestMachine>
  /// How often the loop has had a turn.
  private(set) var turns = 0

  init(
    isJSON: Bool = false, isQuiet: Bool = false, hasPanel: Bool = false,
    prepare: (TestMachine) -> Void = { _ in }
  ) {
    machine.lines.isThere = hasPanel
    prepare(machine)
    runner = BallRunner(.test(isQuiet ? .none : isJSON ? .json : .words), on: machine)
  }

  var deadline: UInt64? { runner.deadline?.rawValue }
  var figures: BallFigures { runner.figures }
  func turn(at time: UInt64) { _ = rest(at: time) }

  /// Runs the loop at `time` until the ball would sleep; `false` if it cannot run.
  func rest(at time: UInt64) -> Bool {
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

  // MARK: Centrals

  /// Gives the ball packets from the controller, each in a separate read.
  func receive(_ packets: [UInt8]..., at time: UInt64) {
    machine.incoming += packets
    turn(at: time)
  }

  /// The ball advertises, and a central connects and subscribes.
  func listen() {
    turn(at: 0)
    connect(at: 10)
    subscribe(at: 20)
  }

  func connect(_ handle: UInt8 = link, at time: UInt64) {
    receive(ScriptedController.connection(handle), at: time)
  }

  func disconnect(_ handle: UInt8 = link, at time: UInt64) {
    receive(ScriptedController.disconnection(handle), at: time)
  }

  func subscribe(_ isOn: Bool = true, on handle: UInt8 = link, at time: UInt64) {
    receive(ScriptedController.subscription(isOn, on: handle), at: time)
  }

  func ask(_ text: String, on handle: UInt8 = link, at time: UInt64) {
    receive(ScriptedController.question(text, on: handle), at: time)
  }

  /// Writes without a response.
  func say(_ text: String, on handle: UInt8 = link, at time: UInt64) {
    receive(ScriptedController.statement(text, on: handle), at: time)
  }

  // MARK: Listeners

  /// Programs join, and their first lines are taken.
  func join(_ listeners: Int..., at time: UInt64) {
    for listener in listeners { machine.control.join(listener) }
    turn(at: time)
    for listener in listeners { _ = takeLines(of: listener) }
  }

  func request(_ line: String, as listener: Int = 1, at time: UInt64) {
    machine.control.ask(line, as: listener)
    turn(at: time)
  }

  func takeLines(of listener: Int = 1) -> [String] { machine.control.takeLines(of: listener) }
}

/// Buttons and lights without a ball.
final class PanelBench: Bench {
  let machine = TestMachine()
  var control = ButtonDriver()
  var actions: [FrontPanelAction] = []
  /// Each reported trouble with the lines, and "ready".
  private(set) var events: [String] = []
  private(set) var isLost = false
  private var port: TestMachine

  init(_ prepare: (TestLines) -> Void = { _ in }) {
    port = machine
    machine.lines.isThere = true
    prepare(machine.lines)
  }

  var deadline: UInt64? { control.deadline?.rawValue }

  func show(_ status: BallLights.Status, at time: UInt64) {
    control.show(BallLights(status: status, isAnswering: false), at: Instant(rawValue: time))
  }

  func showAnswer(at time: UInt64) { control.showAnswer(at: Instant(rawValue: time)) }

  func turn(at time: UInt64) {
    read(at: time)
    light(at: time)
  }

  /// The first half of a turn.
  func read(at time: UInt64) {
    control.readButtons(from: &port, at: Instant(rawValue: time))
    while let action = control.nextAction() { actions.append(action) }
    takeEvent()
  }

  /// The second half of a turn.
  func light(at time: UInt64) {
    control.light(&port, at: Instant(rawValue: time))
    takeEvent()
  }

  private func takeEvent() {
    switch control.takeLinesEvent() {
    case .lost:
      isLost = true
      if events.last != lines.trouble { events.append(lines.trouble) }
    case .ready:
      isLost = false
      if !events.isEmpty { events.append("ready") }
    case nil: break
    }
  }

  func close() { control.close(&port) }
}

extension BallConfiguration {
  static func test(_ lines: LineFormat = .words) -> BallConfiguration {
    BallConfiguration(
      host: HostConfiguration(
        name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
      seed: 8, lines: lines)
  }
}

/// What `body` writes, as text.
func written(_ body: (inout ByteWriter) -> Void) -> String {
  var storage = [UInt8](repeating: 0, count: 1_024)
  var writer = ByteWriter(storage.mutableSpan)
  body(&writer)
  let count = writer.count
  return String(decoding: storage.prefix(count), as: UTF8.self)
}
