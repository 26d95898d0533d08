import BluetoothHost
import EightBall
import Expectations
import LinuxRadio
import VirtualBoard

@testable import eightball

@Suite("The line that draws the ball")
struct StatusLineTests {
  @Test("It shows exactly the lights and the keys of the buttons that the board has")
  func parts() throws {
    let parts: [([String], String)] = [
      ([], "(8) …   ○ status  ○ answer   [s]hake [c]lear [C]lear held [q]uit"),
      (["shake", "clear"], "(8) …   ○ status  ○ answer   [q]uit"),
      (["clear", "answer"], "(8) …   ○ status   [s]hake [q]uit"),
      (["shake", "status"], "(8) …   ○ answer   [c]lear [C]lear held [q]uit"),
      (["shake", "clear", "status", "answer"], "(8) …    [q]uit"),
    ]
    for (missing, text) in parts {
      expect(drawing(StatusLine(try lines(without: missing))), is: text)
    }
  }

  @Test("It shows a button that is down in capitals")
  func down() throws {
    let lines = try lines(without: ["answer"])
    lines.press(.clear, for: 100, at: Instant(rawValue: 0))
    expect(drawing(StatusLine(lines)), is: "(8) …   ○ status   [s]hake [C]LEAR [C]lear held [q]uit")
  }

  @Test("A question for the user comes before the lights")
  func question() throws {
    let line = StatusLine(try lines(without: ["answer"]))
    line.question = { .compareNumber(12_345) }
    expect(
      drawing(line),
      is: "(8) …   012345? [y]es [n]o   ○ status   [s]hake [c]lear [C]lear held [q]uit")
    line.question = { .showPasskey(12_345) }
    expect(drawing(line), is: "(8) …   ○ status   [s]hake [c]lear [C]lear held [q]uit")
  }

  @Test(
    "On a narrow terminal the keys stay whole, and the rest is shortened",
    arguments: [
      (82, "(8) Without a doubt.   ○ status  ○ answer   [s]hake [c]lear [C]lear held [q]uit"),
      (60, "(8) Without a doubt. ○ ○ [s]hake [c]lear [C]lear held [q]uit"),
      (50, "(8) Witho… ○ ○ [s]hake [c]lear [C]lear held [q]uit"),
      (43, "(8) ○ ○ [s]hake [c]lear [C]lear held [q]uit"),
      (39, "(8) [s]hake [c]lear [C]lear held [q]uit"),
    ])
  func narrow(columns: Int, text: String) throws {
    let line = StatusLine(try lines(without: []))
    line.answer = Answer(rawValue: 2)
    expect(String(writing: { line.compose(to: &$0, columns: columns) }), is: text)
  }

  @Test("On a narrow terminal a question for the user replaces the answer and the lights")
  func narrowQuestion() throws {
    let line = StatusLine(try lines(without: []))
    line.question = { .compareNumber(12_345) }
    expect(
      String(writing: { line.compose(to: &$0, columns: 60) }),
      is: "(8) 012345? [y]es [n]o [s]hake [c]lear [C]lear held [q]uit")
    expect(String(writing: { line.compose(to: &$0, columns: 39) }), is: "(8) 012345? [y]es [n]o")
  }

  private func drawing(_ line: StatusLine) -> String { String(writing: { line.compose(to: &$0) }) }

  private func lines(without missing: [String]) throws -> VirtualLines {
    var board = try KnownBoard.named("virtual").board
    try board.apply(missing.map { try BoardSetting("\($0)=none") })
    return VirtualLines(board)
  }
}
