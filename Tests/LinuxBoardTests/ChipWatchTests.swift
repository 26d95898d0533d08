import BluetoothHost
import Boards
import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing
import VirtualBoard

@testable import EightBall
@testable import LinuxBoard

/// Older kernels wake nobody who has lines of a chip that goes: here nobody listens to the lines'
/// descriptor until a test says so, and what tells of the chip is its name in a directory.
@Suite("A chip that goes and comes back, by its name in a directory")
struct ChipWatchTests {
  private let gone = "the GPIO chip “test-chip” has gone. It is used again when it comes back"

  @Test("The loss is told at once, though no light changes and no descriptor says a word")
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

  @Test("It is taken up in the turn in which it is back, with its light and its buttons")
  func back() throws {
    let bench = try ChipBench()
    bench.panel.show(BallLights(status: .connected, isAnswering: false), at: Instant(rawValue: 0))
    bench.turn(at: 1_000)
    try bench.unplug()
    bench.turn(at: 2_000)
    // Asked for in vain until the waits are 5 s long.
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

  @Test("Gone and back before anybody looks: told, and taken up at the first retry")
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

  @Test("Another chip that comes and goes, and a name that is removed, take nothing away")
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

  @Test("Between its return and its permissions nothing is told, and with them it is taken up")
  func permissions() throws {
    let bench = try ChipBench()
    bench.turn(at: 1_000)
    try bench.unplug()
    bench.turn(at: 2_000)
    try bench.plugIn()
    // Whoever may not have it yet is refused; here another has one of its lines.
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

  @Test("What is still in the way a quarter of a second after its return is told")
  func refusal() throws {
    let bench = try ChipBench()
    bench.turn(at: 1_000)
    try bench.unplug()
    bench.turn(at: 2_000)
    try bench.plugIn()
    let other = try bench.lines.chip.request(
      [LineSettings(offset: 5, direction: .input)], consumer: "other")
    bench.turn(at: 3_000)
    bench.turn(at: 3_250)
    #expect(bench.news.count == 2)
    #expect(bench.news.last == .lost(LineError(.busy, chip: "test-chip").description))
    other.release()
  }

  @Test("A board of lights alone hears of it, too")
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

  @Test("A panel that has been closed asks for nothing more")
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

  @Test("The chips of a machine are watched where they are, or not at all")
  func directory() throws {
    let loop = try EventLoop()
    let directory = try TemporaryDirectory()
    let lines = ChipLines(.test, directory: directory.path)
    let watch = try #require(lines.watchChips(in: loop))
    try directory.write("", to: "gpiochip3")
    try loop.wait(until: Instant(rawValue: 0))
    #expect(watch.takeChange())
    let nowhere = ChipLines(.test, directory: directory.path + "/missing")
    #expect(nowhere.watchChips(in: loop) == nil)
  }
}

/// A panel whose chip has a name in a directory of its own.
private final class ChipBench {
  let lines: VirtualLines
  let panel: PanelUnderTest
  private let directory: TemporaryDirectory
  private let loop: EventLoop
  /// Has the lines' descriptor, and is not asked.
  private let deaf: EventLoop

  init(_ board: BoardDescription = .test) throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    deaf = try EventLoop()
    lines = VirtualLines(board)
    try directory.write("", to: "gpiochip0")
    panel = PanelUnderTest(
      BoardPanel(
        board, lines: lines, loop: deaf,
        chips: try DirectoryWatch(directory.path, namesFrom: "gpiochip", loop: loop)))
  }

  var actions: [PanelAction] { panel.actions }
  var news: [PanelUnderTest.News] { panel.news }

  /// Whether the loop would wake for a name.
  var isWoken: Bool { (try? loop.wait(until: Instant(rawValue: 0))) ?? false }

  /// As the kernel does it: the chip is numb by the time that its name goes.
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

  /// As udev does it, after the name has come.
  func permit() throws {
    try #require(unsafe chmod(directory.path + "/gpiochip0", 0o660) == 0)
  }

  /// Hears of the lines' descriptor.
  func listen() { _ = try? deaf.wait(until: Instant(rawValue: 0)) }

  /// One turn of a loop.
  func turn(at time: UInt64) {
    _ = try? loop.wait(until: Instant(rawValue: 0))
    panel.turn(at: Instant(rawValue: time))
  }
}
