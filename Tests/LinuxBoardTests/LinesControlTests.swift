import BluetoothHost
import EightBall
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import LinuxBoard

@Suite("Errors of lines, and held buttons")
struct LinesControlTests {
  @Test("A missing chip is an error, and a file with a chip's name is not a chip")
  func noChip() throws {
    let directory = try TemporaryDirectory()
    let survey = { () throws(LineError) in try ChipSurvey(of: .test, directory: directory.path) }
    #expect(throws: LineError.noChip) { try survey() }
    // Skips a file with a chip's name that is not a chip.
    try directory.write("", to: "gpiochip0")
    #expect(throws: LineError.noChip) { try survey() }
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
    #expect(error.description.contains(reason))
    #expect(remedy.isEmpty ? error.remedy == nil : error.remedy?.contains(remedy) == true)
  }

  @Test("A held button stays down until its release, and cannot be pressed meanwhile")
  func held() throws {
    let lines = VirtualLines(.test)
    #expect(lines.openLines())
    let now = Instant(rawValue: 1_000)
    #expect(lines.hold(.clear, at: now) == .done)
    #expect(lines.isDown(.clear))
    #expect(lines.hold(.clear, at: now) == .alreadyDown)
    #expect(lines.press(.clear, for: 100, at: now) == .alreadyDown)
    #expect(lines.press(.shake, for: 100, at: now) == .done)
    lines.advance(to: now.advanced(by: 60_000))
    #expect(!lines.isDown(.shake))
    #expect(lines.isDown(.clear))
    #expect(lines.contact(of: .clear) == .closed)
    lines.releaseHeld(.clear)
    #expect(lines.contact(of: .clear) == .open)
    #expect(lines.press(.clear, for: 100, at: now) == .done)
    // Only a held button can be released.
    lines.releaseHeld(.clear)
    #expect(lines.isDown(.clear))
  }
}

extension LineError {
  /// The error of the board `test` on a machine without its chip.
  fileprivate static var noChip: LineError { LineError(.noChip, chip: "test-chip") }
}
