import BallTestSupport
import BluetoothHost
import Expectations
import Testing
import VirtualBoard

@testable import BallRunner
@testable import EightBall

/// The port that a virtual chip gives a panel. What the panel makes of a port, with a chip that comes and goes,
/// is in ButtonDriverTests of BallRunnerTests.
@Suite("Buttons and lights on the lines of a virtual chip")
struct VirtualLinesTests {
  private let now = Instant(rawValue: 1_000)

  private func openLines(_ board: BoardDescription = .test) -> VirtualLines {
    let lines = VirtualLines(board)
    expect(lines.openLines())
    return lines
  }

  private func error(of lines: VirtualLines) -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    var writer = ByteWriter(bytes.mutableSpan)
    lines.writeLinesError(to: &writer)
    let count = writer.count
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  @Test("A press is reported once, at its time, without bounces")
  func press() throws {
    let panel = Panel()
    panel.turn(at: 1_000)
    panel.lines.press(.shake, for: 100, at: Instant(rawValue: 2_000))
    // The contact opens for a millisecond.
    for (time, drive) in [(2_003, .nothing), (2_004, .low)] as [(UInt64, VirtualChip.Drive)] {
      panel.lines.chip.advance(to: time * 1_000_000)
      panel.lines.chip.drive(5, drive)
    }
    panel.turn(at: 2_010)
    expect(panel.actions, is: [.shake])
    // The end of the bounce, and of the press.
    expect(panel.deadline, is: Instant(rawValue: 2_020))
    panel.turn(at: 2_020)
    expect(panel.deadline, is: Instant(rawValue: 2_100))
    panel.run(from: 2_100, until: 2_300)
    expect(panel.actions, is: [.shake])
    expect(panel.deadline, is: nil)
  }

  @Test("A button that is down is not pressed again, and its release time stays")
  func pressWhileHeld() throws {
    let panel = Panel()
    panel.turn(at: 1_000)
    expect(panel.lines.press(.clear, for: 3_000, at: Instant(rawValue: 2_000)), is: .done)
    panel.run(from: 2_000, until: 3_000)
    expect(panel.lines.press(.clear, for: 100, at: Instant(rawValue: 3_000)), is: .alreadyDown)
    // The other button is independent.
    expect(panel.lines.press(.shake, for: 100, at: Instant(rawValue: 3_000)), is: .done)
    panel.run(from: 3_000, until: 4_999)
    expect(panel.lines.isDown(.clear))
    // It is released at its time, even before the loop notices.
    expect(panel.lines.press(.clear, for: 100, at: Instant(rawValue: 5_000)), is: .done)
    panel.run(from: 5_000, until: 6_000)
    expect(panel.actions, is: [.clear, .shake, .release, .clear])
  }

  @Test("A held button stays down until its release, and cannot be pressed meanwhile")
  func held() {
    let lines = openLines()
    expect(lines.hold(.clear, at: now), is: .done)
    expect(lines.isDown(.clear))
    expect(lines.hold(.clear, at: now), is: .alreadyDown)
    expect(lines.press(.clear, for: 100, at: now), is: .alreadyDown)
    expect(lines.press(.shake, for: 100, at: now), is: .done)
    lines.advance(to: now.advanced(by: 60_000))
    expect(!lines.isDown(.shake))
    expect(lines.isDown(.clear))
    expect(lines.contact(of: .clear), is: .closed)
    lines.releaseHeld(.clear)
    expect(lines.contact(of: .clear), is: .open)
    expect(lines.press(.clear, for: 100, at: now), is: .done)
    // Only a held button can be released.
    lines.releaseHeld(.clear)
    expect(lines.isDown(.clear))
  }

  @Test("A program and a person cannot press a button that the other one holds")
  func programAndPerson() {
    let lines = openLines()
    lines.press(.shake, for: 1_000, at: now)
    expect(lines.press(.shake, isDown: true, at: now.advanced(by: 999)), is: .isDown)
    expect(lines.press(.shake, isDown: true, at: now.advanced(by: 1_000)), is: .done)
    let later = now.advanced(by: 60_000)
    expect(lines.press(.shake, for: 1_000, at: later), is: .alreadyDown)
    expect(lines.contact(of: .shake), is: .closed)
    expect(lines.press(.shake, isDown: false, at: later), is: .done)
    expect(lines.contact(of: .shake), is: .open)
    expect(lines.press(.shake, isDown: true, at: later), is: .done)
  }

  @Test("Lights of both polarities are written and read; a missing part is none")
  func parts() throws {
    let lines = openLines()
    var changes = 0
    lines.onChange = { changes += 1 }
    for light in [LightName.status, .answer] {
      expect(lines.isLit(light), is: false)
      expect(lines.set(light, isLit: true))
      expect(lines.isLit(light), is: true)
    }
    expect(changes, is: 2)

    var board = BoardDescription.test
    (board.shake, board.answer) = (nil, nil)
    let few = openLines(board)
    expect(few.set(.answer, isLit: true))
    expect(few.isLit(.answer), is: nil)
    expect(few.press(.shake, for: 10, at: now), is: .noButton)
    expect(few.press(.shake, isDown: true, at: now), is: .noButton)
    expect(few.contact(of: .shake), is: .none)
    expect(few.press(.clear, isDown: true, at: now), is: .done)
    expect(openLines(BoardDescription(named: "none")).checkLines())
  }

  @Test("A removed chip is lost in each call")
  func lost() throws {
    let lines = openLines()
    lines.chip.remove()
    expect(lines.nextEdge(), is: .lost)
    expect(lines.contact(of: .shake), is: .lost)
    expect(!lines.checkLines())
    expect(!lines.set(.status, isLit: true))
    expect(!lines.openLines())
    expect(
      error(of: lines),
      is: "the GPIO chip “test-chip” has gone. It is used again when it comes back")
  }

  @Test("The lines of a chip work again once it is back")
  func lostAndFound() throws {
    let panel = Panel()
    panel.show(.connected, at: 0)
    panel.turn(at: 1_000)
    let lines = panel.lines
    expect(lines.isLit(.status), is: true)
    lines.chip.remove()
    panel.turn(at: 2_000)
    expect(lines.isLit(.status), is: false)
    panel.run(from: 2_250, until: 60_000)

    lines.chip.restore()
    panel.run(from: 60_001, until: 66_000)
    expect(lines.isLit(.status), is: true)
    lines.press(.shake, for: 50, at: Instant(rawValue: 70_000))
    panel.run(from: 70_000, until: 71_000)
    expect(panel.actions, is: [.shake])

    // Removed and back between two turns: the open lines are dead.
    lines.chip.remove()
    lines.chip.restore()
    panel.turn(at: 80_000)
    panel.run(from: 80_001, until: 81_000)
    lines.press(.shake, for: 50, at: Instant(rawValue: 82_000))
    panel.run(from: 82_000, until: 83_000)
    expect(panel.actions, is: [.shake, .shake])
  }

  @Test("A line in use is reported, and used when it is free; closed lines are free")
  func busy() throws {
    let lines = VirtualLines(.test)
    let other = try lines.chip.request(
      [LineSettings(offset: 5, direction: .input)], consumer: "other")
    expect(!lines.openLines())
    expect(error(of: lines), is: "a line of “test-chip” is in use by another program")
    other.release()
    expect(lines.openLines())
    expect(try lines.chip.info(of: 5).consumer != nil)
    lines.closeLines()
    expect(try lines.chip.info(of: 5).consumer, is: nil)
  }
}

/// A panel on virtual lines, at times that the test chooses.
private final class Panel {
  private(set) var lines = VirtualLines(.test)
  private(set) var actions: [FrontPanelAction] = []
  private var control = ButtonDriver()

  var deadline: Instant? { Instant.earlier(control.deadline, lines.deadline) }

  func show(_ status: BallLights.Status, at time: UInt64) {
    control.show(BallLights(status: status, isAnswering: false), at: Instant(rawValue: time))
  }

  /// One turn of a loop.
  func turn(at time: UInt64) {
    let now = Instant(rawValue: time)
    lines.advance(to: now)
    control.readButtons(from: &lines, at: now)
    while let action = control.nextAction() { actions.append(action) }
    control.light(&lines, at: now)
    _ = control.takeLinesEvent()
  }

  /// Turns at each deadline until `end`.
  func run(from start: UInt64, until end: UInt64) {
    turn(at: start)
    for _ in 0..<10_000 {
      guard let deadline, deadline.rawValue <= end else { return }
      turn(at: max(start, deadline.rawValue))
    }
    Issue.record("It never comes to rest.")
  }
}

extension BoardDescription {
  /// Two buttons to ground, a light to ground and one to the supply.
  static var test: BoardDescription {
    BoardDescription(
      name: "test", chip: "test-chip", shake: .button(5),
      clear: .button("GPIO6", 6, activeLow: false, bias: .pullDown), status: .light(12),
      answer: .light("GPIO13", 13, activeLow: true))
  }
}
