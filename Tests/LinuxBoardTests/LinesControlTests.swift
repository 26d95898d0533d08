import BluetoothHost
import EightBall
import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import LinuxBoard

@Suite("What can go wrong with lines, and the virtual board's socket")
struct LinesControlTests {
  @Test("A chip that is not there")
  func noChip() throws {
    let directory = try TemporaryDirectory()
    let lines = ChipLines(.test, directory: directory.path)
    #expect(throws: LineError(.noChip, chip: "test-chip")) { try lines.open() }
    // What is called a chip and is none is passed over.
    try directory.write("", to: "gpiochip0")
    #expect(throws: LineError(.noChip, chip: "test-chip")) { try lines.open() }
    #expect(lines.descriptor == -1)
    #expect(throws: LineError(.vanished, chip: "test-chip")) { try lines.nextEdge() }
  }

  @Test(
    "Each trouble has a remedy",
    arguments: [
      (LineError(.noChip, chip: "c"), "no GPIO chip “c”", "gpiodetect"),
      (
        LineError(.noPermission, chip: "c", path: "/dev/gpiochip0", group: "gpio"),
        "/dev/gpiochip0", "-aG gpio"
      ),
      (LineError(.noPermission, chip: "c", path: "/dev/gpiochip0"), "/dev/gpiochip0", "sudo"),
      (LineError(.noLine, chip: "c", line: "GPIO5"), "no line GPIO5", "gpioinfo"),
      (LineError(.busy, chip: "c", line: "GPIO5", user: "led"), "in use by “led”", "End that"),
      (LineError(.busy, chip: "c"), "a line of “c” is in use by another program", "End that"),
      (LineError(.vanished, chip: "c"), "has gone", "comes back"),
      (LineError(.other(.invalidArgument), chip: "c"), "Invalid argument", ""),
    ])
  func wording(_ error: LineError, _ reason: String, _ remedy: String) {
    #expect(error.description.contains(reason))
    #expect(remedy.isEmpty ? error.remedy == nil : error.remedy?.contains(remedy) == true)
  }

  struct Request: CustomTestStringConvertible {
    var text: String
    var answer: String
    var testDescription: String { "“\(text)”" }
  }

  @Test(
    "Requests and answers",
    arguments: [
      Request(text: "lights", answer: "status off answer off"),
      Request(text: "press shake 100", answer: "ok"),
      Request(text: "press clear 60000", answer: "ok"),
      Request(text: "press bell 100", answer: "error there is no button bell"),
      Request(text: "press shake 0", answer: "error a press takes 1 to 60000 milliseconds"),
      Request(text: "press shake 60001", answer: "error a press takes 1 to 60000 milliseconds"),
      Request(text: "press shake -1", answer: "error a press takes 1 to 60000 milliseconds"),
      Request(text: "", answer: "error expected press BUTTON MILLISECONDS, or lights"),
      Request(text: "press", answer: "error expected press BUTTON MILLISECONDS, or lights"),
      Request(text: "lights now", answer: "error expected press BUTTON MILLISECONDS, or lights"),
    ])
  func answers(_ request: Request) throws {
    let bench = try ControlBench()
    #expect(try bench.ask(request.text + "\n") == request.answer + "\n")
  }

  @Test("Who presses a button that is held down is told so")
  func held() throws {
    let bench = try ControlBench()
    #expect(try bench.ask("press clear 3000\n") == "ok\n")
    #expect(try bench.ask("press clear 100\n") == "error the button clear is held down\n")
    #expect(try bench.ask("press shake 100\n") == "ok\n")
  }

  @Test("The socket is this user's alone, and gone at the end")
  func socket() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/board"
    do {
      let loop = try EventLoop()
      let control = try BoardControl(VirtualLines(.test), loop: loop, path: path)
      var status = stat()
      #expect(unsafe stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(throws: SystemError.self) {
        try BoardControl(VirtualLines(.test), loop: loop, path: path)
      }
      control.close()
    }
    #expect(throws: SystemError.self) { try BoardControl.ask("lights", path: path) }
  }

  @Test("Those who connect and say nothing, or too much, keep nobody out")
  func silence() throws {
    let bench = try ControlBench()
    var silent: [ControllerEnd] = []
    for _ in 0..<20 {
      silent.append(try bench.connect())
      try bench.turn()
    }
    try silent.last?.write(Array(repeating: UInt8(ascii: "x"), count: 1_000))
    #expect(try bench.ask("lights\n") == "status off answer off\n")
  }

  @Test("A request that comes in pieces is answered when it is whole")
  func pieces() throws {
    let bench = try ControlBench()
    let end = try bench.connect()
    for piece in ["press ", "shake", " 10", "0\n"] {
      try end.write(Array(piece.utf8))
      try bench.turn()
    }
    #expect(String(decoding: try end.read(), as: UTF8.self) == "ok\n")
    #expect(bench.lines.isDown(.shake))
  }
}

/// A virtual board whose socket is served by hand.
private final class ControlBench {
  let lines = VirtualLines(.test)
  private let directory: TemporaryDirectory
  private let loop: EventLoop
  private let control: BoardControl

  init() throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    try lines.open()
    control = try BoardControl(
      lines, loop: loop, path: directory.path + "/board", clock: { Instant(rawValue: 1_000) })
  }

  func connect() throws -> ControllerEnd {
    ControllerEnd(try StreamSocket.connect(path: directory.path + "/board"))
  }

  /// Serves whatever is ready.
  func turn() throws {
    for _ in 0..<100 where try loop.wait(until: Instant(rawValue: 0)) == false { return }
  }

  func ask(_ text: String) throws -> String {
    let end = try connect()
    try end.write(Array(text.utf8))
    try turn()
    return String(decoding: try end.read(), as: UTF8.self)
  }
}
