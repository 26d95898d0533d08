import BallTestSupport
import EightBall
import Expectations
import LinuxTestSupport

@testable import eightball

@Suite("Errors of lines")
struct LineErrorTests {
  @Test("A missing chip is an error, and a file with a chip's name is not a chip")
  func noChip() throws {
    let directory = try TemporaryDirectory()
    let noChip = LineError(.noChip, chip: "test-chip")
    let board = BoardDescription(name: "test", chip: "test-chip", shake: .button(5))
    for _ in 0..<2 {
      #expect(throws: noChip) { try ChipSurvey(of: board, directory: directory.path) }
      try directory.write("", to: "gpiochip0")
    }
  }

  @Test(
    "Each error has a remedy",
    arguments: [
      (LineError(.noChip, chip: "c"), "no GPIO chip “c”", "gpiodetect"),
      (
        LineError(.notInGroup, chip: "c", path: "/dev/gpiochip0", group: "gpio"),
        "/dev/gpiochip0", "-aG gpio"
      ),
      (LineError(.noPermission, chip: "c", path: "/dev/gpiochip0"), "/dev/gpiochip0", "sudo"),
      (LineError(.noLine, chip: "c", line: "GPIO5"), "no line GPIO5", "gpioinfo"),
      (LineError(.busy, chip: "c", line: "GPIO5", user: "led"), "in use by “led”", "End that"),
      (LineError(.busy, chip: "c"), "a line of “c” is in use by another program", "End that"),
      (LineError(.vanished, chip: "c"), "has gone", "comes back"),
      (LineError(.other, chip: "c", code: .invalidArgument), "Invalid argument", ""),
    ])
  func wording(_ error: LineError, _ reason: String, _ remedy: String) {
    expect(error.description.contains(reason))
    expect(remedy.isEmpty ? error.remedy == nil : error.remedy?.contains(remedy) == true)
  }
}
