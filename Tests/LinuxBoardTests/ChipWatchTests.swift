import BluetoothHost
import Boards
import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing
import VirtualBoard

@testable import EightBall
@testable import LinuxBoard

/// Older kernels do not hang up the lines of a removed chip: here no test watches the lines'
/// descriptor unless it says so, and the chip's name in a directory shows whether it is there.
@Suite("A chip that is removed and added again, seen by its name in a directory")
struct ChipWatchTests {
  private let gone = "the GPIO chip “test-chip” has gone. It is used again when it comes back"

  @Test("The loss is reported at once, even without a light change or a descriptor event")
  func loss() throws {
    let bench = try ChipBench()
    bench.turn(at: 1_000)
    #expect(bench.news == [])
    #expect(bench.panel.deadline == nil)
    try bench.unplug()
    #expect(bench.isWoken)
    bench.turn(at: 60_000)
    #expect(bench.news == [.lost(gone)])
    #expect(!bench.isWoken)
    #expect(bench.panel.deadline == Instant(rawValue: 60_250))
  }

  @Test("It is used again in the turn in which it is back, with its light and its buttons")
  func back() throws {
    let bench = try ChipBench()
    bench.panel.show(BallLights(status: .connected, isAnswering: false), at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    try bench.unplug()
    bench.turn(at: 2_000)
    // Retries fail until the intervals are 5 s long.
    while let retry = bench.panel.deadline, retry.rawValue < 60_000 {
      bench.turn(at: retry.rawValue)
    }
    let retry = try #require(bench.panel.deadline)
    #expect(retry > Instant(rawValue: 60_001))
    try bench.plugIn()
    #expect(bench.isWoken)
    bench.turn(at: 60_001)
    #expect(bench.news == [.lost(gone), .ready])
    #expect(bench.lines.isLit(.status) == true)
    #expect(bench.panel.deadline == nil)

    bench.lines.press(.shake, for: 50, at: Instant(rawValue: 70_000))
    bench.listen()
    bench.turn(at: 70_000)
    #expect(bench.actions == [.shake])
  }

  @Test("Removed and added between two turns: reported, and used again at the first retry")
  func blink() throws {
    let bench = try ChipBench()
    bench.turn(at: 1_000)
    try bench.unplug()
    try bench.plugIn()
    bench.turn(at: 2_000)
    #expect(bench.news == [.lost(gone)])
    bench.turn(at: 2_250)
    #expect(bench.news == [.lost(gone), .ready])
    bench.lines.press(.shake, for: 50, at: Instant(rawValue: 3_000))
    bench.listen()
    bench.turn(at: 3_000)
    #expect(bench.actions == [.shake])
  }

  @Test("Changes of another chip, and a removed name, do not affect the lines")
  func others() throws {
    let bench = try ChipBench()
    bench.panel.show(BallLights(status: .connected, isAnswering: false), at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    try bench.make("gpiochip7")
    bench.turn(at: 2_000)
    try bench.remove("gpiochip7")
    bench.turn(at: 3_000)
    // By hand: the chip is still there.
    try bench.remove("gpiochip0")
    bench.turn(at: 4_000)
    #expect(bench.news == [])
    #expect(bench.lines.isLit(.status) == true)
    #expect(bench.panel.deadline == nil)
  }

  @Test("Until its permissions are set nothing is reported; then it is used again")
  func permissions() throws {
    let bench = try ChipBench()
    bench.turn(at: 1_000)
    try bench.unplug()
    bench.turn(at: 2_000)
    try bench.plugIn()
    // Without permissions the lines are refused; here another program has one of them.
    let other = try bench.lines.chip.request(
      [LineSettings(offset: 5, direction: .input)], consumer: "other")
    bench.turn(at: 3_000)
    #expect(bench.news == [.lost(gone)])
    #expect(bench.panel.deadline == Instant(rawValue: 3_250))
    other.release()
    try bench.permit()
    #expect(bench.isWoken)
    bench.turn(at: 3_010)
    #expect(bench.news == [.lost(gone), .ready])
  }

  @Test("A board with only lights notices it too")
  func lightsAlone() throws {
    var board = BoardDescription.test
    board.shake = nil
    board.clear = nil
    let bench = try ChipBench(board)
    bench.turn(at: 1_000)
    try bench.unplug()
    bench.turn(at: 2_000)
    #expect(bench.news == [.lost(gone)])
  }

  @Test("A closed panel requests no lines")
  func closed() throws {
    let bench = try ChipBench()
    bench.turn(at: 1_000)
    bench.panel.close()
    try bench.make("gpiochip7")
    #expect(!bench.isWoken)
    bench.turn(at: 2_000)
    #expect(try bench.lines.chip.info(of: 5).consumer == nil)
    #expect(bench.panel.deadline == nil)
  }
}

/// A panel with a chip whose name is in a separate directory.
private final class ChipBench {
  let lines: VirtualLines
  let panel: PanelUnderTest
  private let directory: TemporaryDirectory
  private let loop: EventLoop
  private let watched: WatchedLines

  init(_ board: BoardDescription = .test) throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    lines = VirtualLines(board)
    try directory.write("", to: "gpiochip0")
    watched = WatchedLines(
      lines, chips: try DirectoryWatch(directory.path, namesFrom: "gpiochip", loop: loop))
    panel = PanelUnderTest(watched)
  }

  var actions: [FrontPanelAction] { panel.actions }
  var news: [PanelUnderTest.News] { panel.news }

  /// Whether the loop would wake for a change of a name.
  var isWoken: Bool { (try? loop.wait(until: Instant(rawValue: 0))) ?? false }

  /// As the kernel does it: the chip is already dead when its name is removed.
  func unplug() throws {
    lines.chip.remove()
    try remove("gpiochip0")
  }

  func plugIn() throws {
    lines.chip.restore()
    try make("gpiochip0")
  }

  func make(_ name: String) throws { try directory.write("", to: name) }

  func remove(_ name: String) throws {
    try #require(unsafe unlink(directory.path + "/" + name) == 0)
  }

  /// As udev does it, after the name was added.
  func permit() throws {
    try #require(unsafe chmod(directory.path + "/gpiochip0", 0o660) == 0)
  }

  /// Handles the lines' descriptor.
  func listen() { _ = watched.poll() }

  /// One turn of a loop.
  func turn(at time: UInt64) {
    _ = try? loop.wait(until: Instant(rawValue: 0))
    panel.turn(at: Instant(rawValue: time))
  }
}
