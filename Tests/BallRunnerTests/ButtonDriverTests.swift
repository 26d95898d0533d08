import BluetoothHost
import Expectations

@testable import BallRunner
@testable import EightBall

private let gone = "the GPIO chip “test-chip” has gone. It is used again when it comes back"
private let busy = "a line of “test-chip” is in use"

@Suite("Buttons and lights on lines that come and go")
struct ButtonDriverTests {
  private let bench = Self.open()

  /// A panel whose lines are open, and whose lights are those of a connected ball with `isLit`.
  private static func open(
    isLit: Bool = false, _ prepare: (TestLines) -> Void = { _ in }
  ) -> PanelBench {
    let bench = PanelBench(prepare)
    if isLit { bench.show(.connected, at: 0) }
    bench.turn(at: 1_000)
    return bench
  }

  @Test("A press counts once, at its time, without its bounces")
  func press() {
    for (time, isClosed) in [(2_000, true), (2_003, false), (2_004, true)] as [(UInt64, Bool)] {
      bench.lines.drive(.shake, isClosed: isClosed, at: time)
    }
    bench.turn(at: 2_010)
    expect(bench.actions, is: [.shake])
    // The end of the bounce.
    expect(bench.deadline, is: 2_020)
    bench.turn(at: 2_020)
    bench.lines.drive(.shake, isClosed: false, at: 2_100)
    bench.run(from: 2_100, until: 2_300)
    expect(bench.actions, is: [.shake])
    expect(bench.deadline, is: nil)
  }

  @Test("Clear held for 3 s disconnects every central")
  func hold() {
    bench.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.run(from: 2_000, until: 5_000)
    bench.lines.drive(.clear, isClosed: false, at: 5_001)
    bench.run(from: 5_001, until: 6_000)
    expect(bench.actions, is: [.clear, .release])
    expect(bench.deadline, is: nil)
  }

  @Test("Lights are written only when they change")
  func lights() {
    let bench = Self.open(isLit: true)
    expect(bench.lines.lit, is: [.status])
    let writes = bench.lines.writes
    for time in 1_001...1_100 { bench.turn(at: UInt64(time)) }
    expect(bench.lines.writes, is: writes)
    bench.showAnswer(at: 1_200)
    bench.run(from: 1_200, until: 3_000)
    expect(bench.lines.writes, is: writes + 2)
    expect(bench.deadline, is: nil)
  }

  @Test("A removed chip is reported once, retried at growing intervals, and gets its lights back")
  func lostAndFound() {
    let bench = Self.open(isLit: true)
    bench.lines.remove(.hungUp)
    bench.turn(at: 2_000)
    expect(bench.events, is: [gone])
    expect(bench.lines.lit, is: [])
    expect(bench.deadline, is: 2_250)
    bench.run(from: 2_250, until: 60_000)
    expect(Set(bench.events), is: [gone])
    // 250 ms, then doubled each time, up to 5 s.
    expect((bench.deadline ?? 0) <= 65_000)

    bench.lines.restore()
    bench.run(from: 60_001, until: 66_000)
    expect(bench.events.last, is: "ready")
    expect(bench.lines.lit, is: [.status])
    bench.press(.shake, at: 70_000)
    expect(bench.actions, is: [.shake])
  }

  @Test("A removed chip is noticed at once, or at the next change of a light if nothing reports it")
  func losses() {
    let losses: [(what: String, LinesChange, buttons: Set<ButtonName>, (PanelBench) -> Void)] = [
      ("no light changes", .chipChanged, [.shake, .clear], { _ in }),
      ("the board has only lights", .chipChanged, [], { _ in }),
      ("its button rests", .hungUp, [.shake, .clear], { $0.chatter(.shake, at: 1_001) }),
      ("a light changes", .none, [.shake, .clear], { $0.show(.connected, at: 1_002) }),
    ]
    for (what, change, buttons, act) in losses {
      let bench = Self.open { $0.buttons = buttons }
      expect(bench.events.isEmpty && bench.deadline == nil, "\(what)")
      act(bench)
      bench.lines.remove(change)
      bench.turn(at: 1_002)
      expect(bench.events, is: [gone], "\(what)")
      expect(bench.deadline, is: 1_252, "\(what)")
    }
  }

  @Test("A chip that returns shows the present state at once: the radio has failed")
  func faultAfterReturn() {
    let bench = Self.open(isLit: true)
    bench.lines.remove(.hungUp)
    bench.turn(at: 2_000)
    bench.show(.fault, at: 2_100)
    bench.run(from: 2_100, until: 2_200)
    bench.lines.restore()
    bench.run(from: 2_200, until: 2_350)
    expect(bench.events.last, is: "ready")
    // It has been blinking since 2,100 ms, 100 ms on and 100 ms off.
    for time in stride(from: UInt64(2_450), through: 3_450, by: 100) {
      bench.run(from: time - 100, until: time)
      expect(bench.lines.lit.contains(.status), is: (time - 2_100) / 100 % 2 == 0, "at \(time) ms")
    }
  }

  @Test("A chip that is removed while clear is held does not disconnect the centrals")
  func lostWhileHeld() {
    bench.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.run(from: 2_000, until: 3_000)
    bench.lines.remove(.hungUp)
    bench.run(from: 3_000, until: 9_000)
    expect(bench.actions, is: [.clear])
  }

  @Test("Lines that are refused are reported, and opened when they are free")
  func refused() {
    let bench = Self.open { $0.isRefused = true }
    expect(bench.events, is: [busy])
    bench.lines.isRefused = false
    bench.run(from: 1_250, until: 2_000)
    expect(bench.events.last, is: "ready")
  }

  @Test("A button that is down when the lines are opened is not a press")
  func downAtTheStart() {
    let bench = PanelBench { $0.drive(.clear, isClosed: true, at: 500) }
    bench.run(from: 1_000, until: 9_000)
    expect(bench.actions, is: [])
    bench.lines.drive(.clear, isClosed: false, at: 10_500)
    bench.run(from: 10_500, until: 11_000)
    bench.press(.clear, at: 12_000)
    expect(bench.actions, is: [.clear])
  }

  @Test("A chattering button wakes the loop ten times a second, not at every edge")
  func chatter() {
    var wakeUps = 0
    // 100 edges each millisecond for 2 s: a loop that listens wakes each time.
    for time in UInt64(1_001)...3_000 {
      for edge in 0..<100 { bench.lines.drive(.shake, isClosed: edge % 2 == 0, at: time) }
      if bench.deadline ?? .max <= time || bench.lines.isWaking {
        wakeUps += 1
        bench.turn(at: time)
      }
    }
    // The turns that reach the limit and those after the rest, each 100 ms for 2 s; and the ends of
    // bounces.
    expect(wakeUps <= 100)
    bench.run(from: 3_001, until: 4_000)
    expect(bench.deadline, is: nil)
    // A button that no longer chatters works again.
    let count = bench.actions.count
    bench.lines.drive(.shake, isClosed: true, at: 5_000)
    bench.run(from: 5_000, until: 6_000)
    expect(bench.actions.count, is: count + 1)
  }

  @Test("A board with one light or one button uses what it has")
  func fewLines() {
    let bench = PanelBench {
      $0.buttons = [.clear]
      $0.lights = [.status]
    }
    bench.show(.connected, at: 0)
    bench.showAnswer(at: 0)
    bench.turn(at: 1_000)
    expect(bench.events, is: [])
    expect(bench.lines.lit, is: [.status])
    bench.press(.clear, at: 2_000)
    expect(bench.actions, is: [.clear])
  }

  /// A held clear button disconnects all 3 s after its edge.
  @Test(
    "An edge's time counts unless it is 10 s old or in the future; it never goes back",
    arguments: [
      (40_000, 40_000, 43_000), (30_001, 40_000, 40_000), (30_000, 40_000, 43_000),
      (40_001, 40_000, 43_000), (39_000, 40_000, 42_000),
    ] as [(UInt64, UInt64, UInt64)])
  func edgeTimes(edge: UInt64, now: UInt64, expected: UInt64) {
    let bench = PanelBench()
    bench.turn(at: 20_000)
    bench.lines.drive(.clear, isClosed: true, at: edge)
    bench.turn(at: now)
    // If the 3 s have passed by now, disconnecting includes clearing.
    if expected > now {
      bench.turn(at: expected - 1)
      expect(bench.actions, is: [.clear])
      bench.actions = []
      bench.turn(at: expected)
    }
    expect(bench.actions, is: [.release])
  }

  @Test("At the end the lights are off and the lines free")
  func end() {
    let bench = Self.open(isLit: true)
    bench.close()
    expect(bench.lines.lit, is: [])
    expect(!bench.lines.isOpen)
    expect(bench.deadline, is: nil)
    let openings = bench.lines.openings
    bench.lines.change()
    bench.turn(at: 2_000)
    expect(bench.lines.openings, is: openings)
  }

  // MARK: Chips that are reported by name

  @Test("A returned chip is opened in the same turn, with its light and its buttons")
  func chipReturn() throws {
    let bench = Self.open(isLit: true)
    bench.lines.remove(.chipChanged)
    bench.turn(at: 2_000)
    // Retried without success until the interval is 5 s.
    while let retry = bench.deadline, retry < 60_000 { bench.turn(at: retry) }
    expect(try #require(bench.deadline) > 60_001)
    bench.lines.restore(.chipChanged)
    bench.turn(at: 60_001)
    expect(Set(bench.events.dropLast()), is: [gone])
    expect(bench.events.last, is: "ready")
    expect(bench.lines.lit, is: [.status])
    expect(bench.deadline, is: nil)
    bench.lines.drive(.shake, isClosed: true, at: 70_000)
    bench.turn(at: 70_000)
    expect(bench.actions, is: [.shake])
  }

  @Test("Another chip that comes and goes changes nothing")
  func otherChips() {
    let bench = Self.open(isLit: true)
    for time in UInt64(2)...4 {
      bench.lines.change()
      bench.turn(at: time * 1_000)
    }
    expect(bench.events, is: [])
    expect(bench.lines.lit, is: [.status])
    expect(bench.deadline, is: nil)
  }

  @Test(
    "Between its return and its permissions nothing is reported for a quarter of a second",
    arguments: [true, false])
  func permissions(areGiven: Bool) {
    bench.lines.remove(.chipChanged)
    bench.turn(at: 2_000)
    bench.lines.isRefused = true
    bench.lines.restore(.chipChanged)
    bench.turn(at: 3_000)
    expect(bench.events, is: [gone])
    expect(bench.deadline, is: 3_250)
    if areGiven {
      bench.lines.isRefused = false
      bench.lines.change()
      bench.turn(at: 3_010)
    } else {
      bench.turn(at: 3_250)
    }
    expect(bench.events, is: [gone, areGiven ? "ready" : busy])
  }

  // MARK: Each call that may be the first to fail

  @Test("A button that cannot be read when the lines are opened", arguments: ButtonName.both)
  func opening(button: ButtonName) {
    let bench = PanelBench { $0.lostButtons = [button] }
    bench.read(at: 1_000)
    expect(bench.isLost)
    expect(bench.lines.closings, is: 1)
    expect(bench.deadline, is: 1_250)
    bench.lines.lostButtons = []
    bench.read(at: 1_249)
    expect(bench.isLost)
    bench.read(at: 1_250)
    expect(!bench.isLost)
    expect(bench.deadline, is: nil)
  }

  // No change is reported, so only a read of the contacts can find out.
  @Test("A button that cannot be read after a chatter", arguments: ButtonName.both)
  func settling(button: ButtonName) {
    let bench = Self.open(isLit: true)
    bench.chatter(.shake, at: 1_001)
    bench.lines.lostButtons = [button]
    bench.read(at: 1_100)
    expect(!bench.isLost)
    bench.read(at: 1_101)
    expect(bench.isLost)
    expect(!bench.lines.isOpen)
    expect(bench.deadline, is: 1_351)
  }

  @Test("A light that cannot be set", arguments: [LightName.status, .answer])
  func light(light: LightName) {
    let bench = PanelBench()
    bench.read(at: 1_000)
    bench.lines.lostLights = [light]
    bench.light(at: 1_000)
    expect(bench.isLost)
    expect(!bench.lines.isOpen)
    // No light is set on closed lines.
    let count = bench.lines.writes
    bench.light(at: 1_001)
    expect(bench.lines.writes, is: count)
    bench.lines.lostLights = []
    bench.turn(at: 1_250)
    expect(!bench.isLost)
    expect(bench.lines.writes, is: count + 2, "Both lights are set anew.")
  }

  @Test("The edges that cannot be read while the lines are open")
  func edges() {
    let bench = Self.open(isLit: true)
    bench.lines.remove()
    bench.read(at: 2_000)
    expect(bench.isLost)
    expect(bench.control.takeLinesEvent(), is: nil)
  }

  @Test(
    "A panel without lines turns no light off and releases no line at its end, and never retries")
  func endWithoutLines() {
    let bench = PanelBench { $0.isRefused = true }
    bench.read(at: 1_000)
    let closings = bench.lines.closings
    bench.close()
    expect(bench.lines.writes, is: 0)
    expect(bench.lines.closings, is: closings)
    expect(bench.deadline, is: nil)
    bench.lines.isRefused = false
    bench.read(at: 100_000)
    expect(bench.lines.openings, is: 1)
  }

  // MARK: The limit on edges

  @Test("The gate closes at the 65th edge of a period of 100 ms, for 100 ms")
  func gate() {
    func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }
    var gate = EdgeGate()
    for _ in 0..<64 { gate.count(at: at(1_000)) }
    expect(gate.opening, is: nil)
    gate.count(at: at(1_099))
    expect(gate.opening, is: at(1_199))
    gate.open()
    expect(gate.opening, is: nil)
    // After opening, the count starts again in the same period.
    for _ in 0..<64 { gate.count(at: at(1_099)) }
    expect(gate.opening, is: nil)
    // A new period begins 100 ms after the first edge of the last one.
    for _ in 0..<64 { gate.count(at: at(1_100)) }
    expect(gate.opening, is: nil)
    gate.count(at: at(1_199))
    expect(gate.opening, is: at(1_299))
  }
}

extension ButtonName {
  fileprivate static let both: [ButtonName] = [.shake, .clear]
}
