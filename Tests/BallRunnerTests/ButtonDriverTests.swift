import BluetoothHost
import Testing

@testable import BallRunner
@testable import EightBall

@Suite("Buttons and lights on lines that come and go")
struct ButtonDriverTests {
  private let gone = "the GPIO chip “test-chip” has gone. It is used again when it comes back"

  @Test("A press counts once, at its time, without its bounces")
  func press() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    bench.lines.drive(.shake, isClosed: true, at: 2_000)
    bench.lines.drive(.shake, isClosed: false, at: 2_003)
    bench.lines.drive(.shake, isClosed: true, at: 2_004)
    bench.turn(at: 2_010)
    #expect(bench.actions == [.shake])
    // The end of the bounce.
    #expect(bench.deadline == Instant(rawValue: 2_020))
    bench.turn(at: 2_020)
    bench.lines.drive(.shake, isClosed: false, at: 2_100)
    bench.run(from: 2_100, until: 2_300)
    #expect(bench.actions == [.shake])
    #expect(bench.deadline == nil)
  }

  @Test("Clear held for 3 s disconnects every central")
  func hold() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    bench.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.run(from: 2_000, until: 5_000)
    bench.lines.drive(.clear, isClosed: false, at: 5_001)
    bench.run(from: 5_001, until: 6_000)
    #expect(bench.actions == [.clear, .release])
    #expect(bench.deadline == nil)
  }

  @Test("Lights are written only when they change")
  func lights() {
    let bench = PanelBench()
    bench.show(.connected, at: 1_000)
    bench.turn(at: 1_000)
    #expect(bench.lines.lit == [.status])
    let writes = bench.lines.writes
    for time in 1_001...1_100 { bench.turn(at: UInt64(time)) }
    #expect(bench.lines.writes == writes)
    bench.control.showAnswer(at: Instant(rawValue: 1_200))
    bench.run(from: 1_200, until: 3_000)
    #expect(bench.lines.writes == writes + 2)
    #expect(bench.deadline == nil)
  }

  @Test(
    "A removed chip is reported once, retried at growing intervals, and gets its lights back")
  func lostAndFound() {
    let bench = PanelBench()
    bench.show(.connected, at: 0)
    bench.turn(at: 1_000)
    bench.lines.remove(.hungUp)
    bench.turn(at: 2_000)
    #expect(bench.events == [gone])
    #expect(bench.lines.lit == [])
    #expect(bench.deadline == Instant(rawValue: 2_250))
    bench.run(from: 2_250, until: 60_000)
    #expect(Set(bench.events) == [gone])
    // 250 ms, then doubled each time, up to 5 s.
    #expect((bench.deadline?.rawValue ?? 0) <= 65_000)

    bench.lines.restore()
    bench.run(from: 60_001, until: 66_000)
    #expect(bench.events.last == "ready")
    #expect(bench.lines.lit == [.status])
    bench.lines.drive(.shake, isClosed: true, at: 70_000)
    bench.lines.drive(.shake, isClosed: false, at: 70_050)
    bench.run(from: 70_050, until: 71_000)
    #expect(bench.actions == [.shake])
  }

  @Test("A chip that is removed without a report is noticed at the next change of a light")
  func lostWithLight() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    bench.lines.remove()
    bench.show(.connected, at: 2_000)
    bench.turn(at: 2_000)
    #expect(bench.events == [gone])
  }

  @Test("A chip that returns shows the present state at once: the radio has failed")
  func faultAfterReturn() {
    let bench = PanelBench()
    bench.show(.connected, at: 0)
    bench.turn(at: 1_000)
    bench.lines.remove(.hungUp)
    bench.turn(at: 2_000)
    bench.show(.fault, at: 2_100)
    bench.run(from: 2_100, until: 2_200)
    bench.lines.restore()
    bench.run(from: 2_200, until: 2_350)
    #expect(bench.events.last == "ready")
    // It has been blinking since 2,100 ms, 100 ms on and 100 ms off.
    for time in stride(from: UInt64(2_450), through: 3_450, by: 100) {
      bench.run(from: time - 100, until: time)
      #expect(bench.lines.lit.contains(.status) == ((time - 2_100) / 100 % 2 == 0), "at \(time) ms")
    }
  }

  @Test("A chip that is removed while clear is held does not disconnect the centrals")
  func lostWhileHeld() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    bench.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.run(from: 2_000, until: 3_000)
    bench.lines.remove(.hungUp)
    bench.run(from: 3_000, until: 9_000)
    #expect(bench.actions == [.clear])
  }

  @Test("Lines that are refused are reported, and opened when they are free")
  func busy() {
    let bench = PanelBench { $0.isRefused = true }
    bench.turn(at: 1_000)
    #expect(bench.events == ["a line of “test-chip” is in use"])
    bench.lines.isRefused = false
    bench.run(from: 1_250, until: 2_000)
    #expect(bench.events.last == "ready")
  }

  @Test("A button that is down when the lines are opened is not a press")
  func downAtTheStart() {
    let bench = PanelBench { $0.drive(.clear, isClosed: true, at: 500) }
    bench.run(from: 1_000, until: 9_000)
    #expect(bench.actions == [])
    bench.lines.drive(.clear, isClosed: false, at: 10_500)
    bench.run(from: 10_500, until: 11_000)
    bench.lines.drive(.clear, isClosed: true, at: 12_000)
    bench.lines.drive(.clear, isClosed: false, at: 12_050)
    bench.run(from: 12_050, until: 13_000)
    #expect(bench.actions == [.clear])
  }

  @Test("A chattering button wakes the loop ten times a second, not at every edge")
  func chatter() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    var wakeUps = 0
    // 100 edges each millisecond for 2 s: a loop that listens wakes each time.
    for time in UInt64(1_001)...3_000 {
      for edge in 0..<100 { bench.lines.drive(.shake, isClosed: edge % 2 == 0, at: time) }
      if bench.isWoken(by: time) {
        wakeUps += 1
        bench.turn(at: time)
      }
    }
    // The turns that reach the limit and those after the rest, each 100 ms for 2 s; and the ends of
    // bounces.
    #expect(wakeUps <= 100)
    bench.run(from: 3_001, until: 4_000)
    #expect(bench.deadline == nil)
    // A button that no longer chatters works again.
    let count = bench.actions.count
    bench.lines.drive(.shake, isClosed: true, at: 5_000)
    bench.run(from: 5_000, until: 6_000)
    #expect(bench.actions.count == count + 1)
  }

  @Test("A chip that is removed while its button is not listened to is noticed at once")
  func lostWhileResting() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    for _ in 0..<3 {
      for edge in 0..<30 { bench.lines.drive(.shake, isClosed: edge % 2 == 0, at: 1_001) }
      bench.turn(at: 1_001)
    }
    #expect(!bench.lines.isListening)
    bench.lines.remove(.hungUp)
    bench.turn(at: 1_002)
    #expect(bench.events == [gone])
  }

  @Test("A board with one light or one button uses what it has")
  func fewLines() {
    let bench = PanelBench {
      $0.buttons = [.clear]
      $0.lights = [.status]
    }
    bench.show(.connected, at: 0)
    bench.control.showAnswer(at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    #expect(bench.events == [])
    #expect(bench.lines.lit == [.status])
    bench.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.lines.drive(.clear, isClosed: false, at: 2_010)
    bench.run(from: 2_010, until: 3_000)
    #expect(bench.actions == [.clear])
  }

  @Test("An edge with a time of another clock counts as of now")
  func otherClock() {
    let bench = PanelBench()
    bench.turn(at: 100_000)
    bench.lines.drive(.clear, isClosed: true, at: 5)
    bench.run(from: 100_000, until: 102_999)
    #expect(bench.actions == [.clear])
    bench.run(from: 102_999, until: 103_000)
    #expect(bench.actions == [.clear, .release])
  }

  @Test("At the end the lights are off and the lines free")
  func end() {
    let bench = PanelBench()
    bench.show(.connected, at: 0)
    bench.turn(at: 1_000)
    bench.close()
    #expect(bench.lines.lit == [])
    #expect(!bench.lines.isOpen)
    #expect(bench.deadline == nil)
    let openings = bench.lines.openings
    bench.lines.change()
    bench.turn(at: 2_000)
    #expect(bench.lines.openings == openings)
  }

  // MARK: Chips that are reported by name

  @Test("The removal of a chip is reported at once, though no light changes")
  func chipLoss() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    #expect(bench.events == [])
    #expect(bench.deadline == nil)
    bench.lines.remove(.chipChanged)
    bench.turn(at: 60_000)
    #expect(bench.events == [gone])
    #expect(bench.deadline == Instant(rawValue: 60_250))
  }

  @Test("A returned chip is opened in the same turn, with its light and its buttons")
  func chipReturn() throws {
    let bench = PanelBench()
    bench.show(.connected, at: 0)
    bench.turn(at: 1_000)
    bench.lines.remove(.chipChanged)
    bench.turn(at: 2_000)
    // Retried without success until the interval is 5 s.
    while let retry = bench.deadline, retry.rawValue < 60_000 { bench.turn(at: retry.rawValue) }
    let retry = try #require(bench.deadline)
    #expect(retry > Instant(rawValue: 60_001))
    bench.lines.restore(.chipChanged)
    bench.turn(at: 60_001)
    #expect(Set(bench.events.dropLast()) == [gone])
    #expect(bench.events.last == "ready")
    #expect(bench.lines.lit == [.status])
    #expect(bench.deadline == nil)
    bench.lines.drive(.shake, isClosed: true, at: 70_000)
    bench.turn(at: 70_000)
    #expect(bench.actions == [.shake])
  }

  @Test("Another chip that comes and goes changes nothing")
  func otherChips() {
    let bench = PanelBench()
    bench.show(.connected, at: 0)
    bench.turn(at: 1_000)
    for time in UInt64(2)...4 {
      bench.lines.change()
      bench.turn(at: time * 1_000)
    }
    #expect(bench.events == [])
    #expect(bench.lines.lit == [.status])
    #expect(bench.deadline == nil)
  }

  @Test("Between its return and its permissions nothing is reported; then the chip is opened")
  func permissions() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    bench.lines.remove(.chipChanged)
    bench.turn(at: 2_000)
    bench.lines.isRefused = true
    bench.lines.restore(.chipChanged)
    bench.turn(at: 3_000)
    #expect(bench.events == [gone])
    #expect(bench.deadline == Instant(rawValue: 3_250))
    bench.lines.isRefused = false
    bench.lines.change()
    bench.turn(at: 3_010)
    #expect(bench.events == [gone, "ready"])
  }

  @Test("Trouble that lasts a quarter of a second after the return is reported")
  func refusal() {
    let bench = PanelBench()
    bench.turn(at: 1_000)
    bench.lines.remove(.chipChanged)
    bench.turn(at: 2_000)
    bench.lines.isRefused = true
    bench.lines.restore(.chipChanged)
    bench.turn(at: 3_000)
    bench.turn(at: 3_250)
    #expect(bench.events == [gone, "a line of “test-chip” is in use"])
  }
}

/// A panel on test lines, with injected times.
private final class PanelBench {
  let machine = TestMachine()
  var lines: TestLines { machine.lines }
  var control = ButtonDriver()
  private(set) var actions: [FrontPanelAction] = []
  /// Each reported trouble with the lines, and "ready".
  private(set) var events: [String] = []
  private var port: TestPort

  init(_ prepare: (TestLines) -> Void = { _ in }) {
    port = TestPort(machine: machine)
    machine.lines.isThere = true
    prepare(machine.lines)
  }

  var deadline: Instant? { control.deadline }

  func isWoken(by time: UInt64) -> Bool {
    if let deadline, deadline.rawValue <= time { return true }
    return lines.isWaking
  }

  func show(_ status: BallLights.Status, at time: UInt64) {
    control.show(BallLights(status: status, isAnswering: false), at: Instant(rawValue: time))
  }

  /// One turn of the loop.
  func turn(at time: UInt64) {
    let now = Instant(rawValue: time)
    control.readButtons(from: &port, at: now)
    while let action = control.nextAction() { actions.append(action) }
    control.light(&port, at: now)
    switch control.takeLinesEvent() {
    case .lost: if events.last != lines.trouble { events.append(lines.trouble) }
    case .ready: if !events.isEmpty { events.append("ready") }
    case nil: break
    }
  }

  /// Runs the turns that a loop would have, until `end`.
  func run(from start: UInt64, until end: UInt64) {
    turn(at: start)
    var time = start
    for _ in 0..<10_000 {
      if lines.isWaking {
        turn(at: time)
      } else if let deadline, deadline.rawValue <= end {
        time = max(time, deadline.rawValue)
        turn(at: time)
      } else {
        return
      }
    }
    Issue.record("It never comes to rest.")
  }

  func close() { control.close(&port) }
}
