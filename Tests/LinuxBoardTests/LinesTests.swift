import BluetoothHost
import BallRunner
import Boards
import Testing
import VirtualBoard

@testable import EightBall
@testable import LinuxBoard

@Suite("Buttons and lights on a board's lines")
struct LinesTests {
  @Test("A press is reported once, at its time, without bounces")
  func press() throws {
    let bench = try LinesBench()
    bench.turn(at: 1_000)
    bench.lines.press(.shake, for: 100, at: Instant(rawValue: 2_000))
    bench.bounce(.shake, at: 2_003)
    bench.turn(at: 2_010)
    #expect(bench.actions == [.shake])
    // The end of the bounce, and of the press.
    #expect(bench.deadline == Instant(rawValue: 2_020))
    bench.turn(at: 2_020)
    #expect(bench.deadline == Instant(rawValue: 2_100))
    bench.run(from: 2_100, until: 2_300)
    #expect(bench.actions == [.shake])
    #expect(bench.deadline == nil)
  }

  @Test("A button that is down is not pressed again, and its release time stays")
  func pressWhileHeld() throws {
    let bench = try LinesBench()
    bench.turn(at: 1_000)
    let press = { (button: ButtonName, duration: UInt32, time: UInt64) in
      bench.lines.press(button, for: duration, at: Instant(rawValue: time))
    }
    #expect(press(.clear, 3_000, 2_000) == .done)
    bench.run(from: 2_000, until: 3_000)
    #expect(press(.clear, 100, 3_000) == .alreadyDown)
    // The other button is independent.
    #expect(press(.shake, 100, 3_000) == .done)
    bench.run(from: 3_000, until: 4_999)
    #expect(bench.lines.isDown(.clear))
    // It is released at its time, even before the loop notices.
    #expect(press(.clear, 100, 5_000) == .done)
    bench.run(from: 5_000, until: 6_000)
    #expect(bench.actions == [.clear, .shake, .release, .clear])
  }

  @Test("A program presses a button like a contact, and holds it until it releases it")
  func programPress() throws {
    let bench = try LinesBench()
    bench.turn(at: 1_000)
    #expect(bench.press(.clear, isDown: true, at: 2_000) == .done)
    bench.run(from: 2_000, until: 4_999)
    #expect(bench.actions == [.clear])
    bench.run(from: 5_000, until: 5_100)
    #expect(bench.actions == [.clear, .release])
    #expect(bench.press(.clear, isDown: false, at: 6_000) == .done)
    bench.run(from: 6_000, until: 7_000)
    #expect(bench.press(.clear, isDown: true, at: 8_000) == .done)
    bench.turn(at: 8_000)
    #expect(bench.actions == [.clear, .release, .clear])
  }

  @Test("A program and a person cannot press a button that the other one holds")
  func programAndPerson() throws {
    let bench = try LinesBench()
    bench.turn(at: 1_000)
    bench.lines.press(.shake, for: 1_000, at: Instant(rawValue: 2_000))
    bench.run(from: 2_000, until: 2_100)
    #expect(bench.press(.shake, isDown: true, at: 2_100) == .isDown)
    bench.run(from: 3_000, until: 3_100)
    #expect(bench.press(.shake, isDown: true, at: 4_000) == .done)
    bench.run(from: 4_000, until: 4_100)
    #expect(bench.lines.press(.shake, for: 1_000, at: Instant(rawValue: 4_200)) == .alreadyDown)
    bench.run(from: 4_200, until: 6_000)
    #expect(bench.actions == [.shake, .shake])
    #expect(bench.press(.shake, isDown: false, at: 6_000) == .done)
    bench.run(from: 6_000, until: 6_100)
    #expect(bench.press(.shake, isDown: true, at: 7_000) == .done)
    bench.turn(at: 7_000)
    #expect(bench.actions == [.shake, .shake, .shake])
  }

  @Test("A program cannot press a missing button")
  func programWithoutButton() throws {
    var board = BoardDescription.test
    board.clear = nil
    let bench = try LinesBench(board)
    bench.turn(at: 1_000)
    #expect(bench.press(.clear, isDown: true, at: 1_000) == .noButton)
    #expect(bench.press(.shake, isDown: true, at: 1_000) == .done)
  }

  @Test("Lights are written when they change, and only then")
  func lights() throws {
    let bench = try LinesBench()
    bench.panel.show(lights(.connected), at: Instant(rawValue: 1_000))
    bench.turn(at: 1_000)
    #expect(bench.lines.isLit(.status) == true)
    #expect(bench.lines.isLit(.answer) == false)
    let writes = bench.writes
    for time in 1_001...1_100 { bench.turn(at: UInt64(time)) }
    #expect(bench.writes == writes)
    bench.panel.showAnswer(at: Instant(rawValue: 1_200))
    bench.run(from: 1_200, until: 3_000)
    #expect(bench.writes == writes + 2)
    #expect(bench.deadline == nil)
  }

  @Test(
    "A removed chip is reported once, retried at growing intervals, and gets its lights back")
  func lostAndFound() throws {
    let bench = try LinesBench()
    bench.panel.show(lights(.connected), at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    bench.lines.chip.remove()
    bench.turn(at: 2_000)
    let loss =
      "the GPIO chip “test-chip” has gone. It is used again when it comes back"
    #expect(bench.news == [.lost(loss)])
    #expect(bench.lines.isLit(.status) == false)
    #expect(bench.deadline == Instant(rawValue: 2_250))
    bench.run(from: 2_250, until: 60_000)
    #expect(bench.news == [.lost(loss)])
    // 250 ms, then twice as long each time, up to 5 s.
    #expect((bench.deadline?.rawValue ?? 0) <= 65_000)

    bench.lines.chip.restore()
    bench.run(from: 60_001, until: 66_000)
    #expect(bench.news == [.lost(loss), .ready])
    #expect(bench.lines.isLit(.status) == true)
    bench.lines.press(.shake, for: 50, at: Instant(rawValue: 70_000))
    bench.run(from: 70_000, until: 71_000)
    #expect(bench.actions == [.shake])
  }

  @Test("A line in use is reported, and used when it is free")
  func busy() throws {
    let bench = try LinesBench()
    let other = try bench.lines.chip.request(
      [LineSettings(offset: 5, direction: .input)], consumer: "other")
    bench.turn(at: 1_000)
    #expect(bench.news.count == 1)
    guard case .lost(let text)? = bench.news.first else { return }
    #expect(text.contains("in use"))
    other.release()
    bench.run(from: 1_250, until: 2_000)
    #expect(bench.news.last == .ready)
  }

  @Test("A chattering button wakes the loop ten times a second, not with every edge")
  func chatter() throws {
    let bench = try LinesBench()
    bench.turn(at: 1_000)
    var wakeUps = 0
    // 100 edges each millisecond for 2 s: each would wake a listening loop.
    for time in UInt64(1_001)...3_000 {
      bench.lines.chip.advance(to: time * 1_000_000)
      for edge in 0..<100 { bench.lines.chip.drive(5, edge % 2 == 0 ? .low : .nothing) }
      if bench.isWoken(by: time) {
        wakeUps += 1
        bench.turn(at: time)
      }
    }
    // One turn that reaches the limit and one after the pause, every 100 ms for 2 s; and turns in
    // which a bounce ends.
    #expect(wakeUps <= 100)
    bench.run(from: 3_001, until: 4_000)
    #expect(bench.deadline == nil)
    // It is reported again when it stops chattering.
    let count = bench.actions.count
    bench.lines.press(.shake, for: 100, at: Instant(rawValue: 5_000))
    bench.run(from: 5_000, until: 6_000)
    #expect(bench.actions.count == count + 1)
  }

  @Test("A board with one light or one button works")
  func fewLines() throws {
    var board = BoardDescription.test
    board.shake = nil
    board.answer = nil
    let bench = try LinesBench(board)
    bench.panel.show(lights(.connected), at: Instant(rawValue: 0))
    bench.panel.showAnswer(at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    #expect(bench.news == [])
    #expect(bench.lines.isLit(.status) == true)
    #expect(bench.lines.isLit(.answer) == nil)
    let isPressed = bench.lines.press(.shake, for: 10, at: Instant(rawValue: 2_000))
    #expect(isPressed == .noButton)
    bench.lines.press(.clear, for: 10, at: Instant(rawValue: 2_000))
    bench.run(from: 2_000, until: 3_000)
    #expect(bench.actions == [.clear])
  }

  @Test("At the end the lights are off and the lines free")
  func end() throws {
    let bench = try LinesBench()
    bench.panel.show(lights(.connected), at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    bench.panel.close()
    #expect(bench.lines.isLit(.status) == false)
    #expect(try bench.lines.chip.info(of: 5).consumer == nil)
    #expect(bench.deadline == nil)
  }

  private func lights(_ status: BallLights.Status) -> BallLights {
    BallLights(status: status, isAnswering: false)
  }
}

extension BoardDescription {
  /// Two buttons to ground, a light to ground and one to the supply.
  static var test: BoardDescription {
    BoardDescription(
      name: "test", chip: "test-chip",
      shake: LineDescription(
        name: "GPIO5", offset: 5, activeLow: true, bias: .pullUp, debounceMilliseconds: 20),
      clear: LineDescription(
        name: "GPIO6", offset: 6, activeLow: false, bias: .pullDown, debounceMilliseconds: 20),
      status: LineDescription(
        name: "GPIO12", offset: 12, activeLow: false, bias: .none, debounceMilliseconds: 0),
      answer: LineDescription(
        name: "GPIO13", offset: 13, activeLow: true, bias: .none, debounceMilliseconds: 0))
  }
}

extension LineName {
  /// The line's name on Raspberry Pis.
  static func gpio(_ number: Int) -> LineName { LineName("GPIO\(number)") ?? LineName() }
}

/// A panel on a virtual chip, in a loop, at times that the test chooses.
private final class LinesBench {
  let lines: VirtualLines
  let panel: PanelUnderTest
  private(set) var writes = 0
  private let watched: WatchedLines

  init(_ board: BoardDescription = .test) throws {
    lines = VirtualLines(board)
    watched = WatchedLines(lines)
    panel = PanelUnderTest(watched)
    lines.onChange = { [unowned self] in
      if !lines.isDown(.shake), !lines.isDown(.clear) { writes += 1 }
    }
  }

  var actions: [FrontPanelAction] { panel.actions }
  var news: [PanelUnderTest.News] { panel.news }
  var deadline: Instant? { panel.deadline }

  /// A program presses or releases a button.
  func press(_ button: ButtonName, isDown: Bool, at time: UInt64) -> PressResult {
    lines.press(button, isDown: isDown, at: Instant(rawValue: time))
  }

  /// Whether a loop would wake at this time: for a descriptor or a deadline.
  func isWoken(by time: UInt64) -> Bool {
    if let deadline, deadline.rawValue <= time { return true }
    return watched.poll()
  }

  /// One turn of a loop.
  func turn(at time: UInt64) {
    _ = watched.poll()
    panel.turn(at: Instant(rawValue: time))
  }

  /// Turns whenever a loop would, until `end`.
  func run(from start: UInt64, until end: UInt64) {
    turn(at: start)
    var time = start
    for _ in 0..<10_000 {
      if watched.poll() {
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

  /// The contact opens for a millisecond.
  func bounce(_ button: ButtonName, at time: UInt64) {
    let offset = button == .shake ? 5 : 6
    lines.chip.advance(to: time * 1_000_000)
    lines.chip.drive(offset, .nothing)
    lines.chip.advance(to: (time + 1) * 1_000_000)
    lines.chip.drive(offset, .low)
  }
}
