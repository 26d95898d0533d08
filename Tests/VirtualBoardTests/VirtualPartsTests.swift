import BallRunner
import BluetoothHost
import EightBall
import Expectations
import Testing
import VirtualBoard

/// The parts on their models, as a person sees and moves them. What the drivers do is in EightBallTests.
@Suite("The motion sensor and the display of a virtual board")
struct VirtualPartsTests {
  @Test("A picture comes when the screen is drawn to its end, and is that of the glass")
  func picture() throws {
    let ball = try Ball()
    expect(ball.parts.picture?.brightness, is: .off)
    ball.run(.advertising, until: 1_000)
    expect(ball.pictures.count, is: 1)
    let picture = try #require(ball.pictures.last)
    expect(picture.brightness, is: .lit)
    guard case .pixels(let bytes) = picture.content, let glass = ball.parts.pixels else {
      return expect(false, "a display of pixels")
    }
    expect(bytes.count, is: 1_024)
    var different = 0
    for y in 0..<64 {
      for x in 0..<128 where (bytes[y / 8 * 128 + x] >> UInt8(y % 8) & 1 == 1) != glass.isLit(x, y)
      {
        different += 1
      }
    }
    expect(different, is: 0)
    expect(bytes.contains { $0 != 0 })
    // The same screen is no new picture.
    ball.run(.advertising, until: 59_000)
    expect(ball.pictures.count, is: 1)
  }

  @Test(
    "However often the screen changes, a picture comes every 200 ms, and the last one in the end")
  func pace() throws {
    let ball = try Ball()
    ball.run(.advertising, until: 1_000)
    let first = ball.pictures.last
    for time in stride(from: 1_000, to: 2_000, by: 10) {
      ball.run(time % 20 == 0 ? .connected : .fault, until: UInt64(time + 10))
    }
    // The first, one at once, and four of another state at least 200 ms after the one before: 1,210, 1,420 and so on.
    expect(ball.pictures.count, is: 1 + 1 + 4)
    ball.run(.advertising, until: 3_000)
    expect(ball.pictures.last, is: first)
  }

  @Test(
    "A ball that is kept from running in the middle of a shake notices it",
    arguments: [100, 200, 300, 400, 500, 600, 700])
  func stall(_ time: UInt32) throws {
    let ball = try Ball()
    ball.run(.advertising, until: 1_000)
    ball.parts.shake(at: ball.now)
    ball.run(.advertising, until: 1_090)
    ball.stall(for: time)
    ball.run(.advertising, until: 4_000)
    expect(ball.shakes, is: 1)
  }

  @Test("After a minute the picture is dim, after five minutes off, and a shake lights it")
  func rest() throws {
    let ball = try Ball()
    ball.run(.advertising, until: 400_000)
    expect(ball.pictures.map(\.brightness), is: [.lit, .dim, .off])
    expect(ball.pictures[1].content, is: ball.pictures[0].content)
    expect(ball.pictures[2].content, is: .pixels([UInt8](repeating: 0, count: 1_024)))
    expect(ball.parts.deadline, is: nil, "a display that is off costs nothing")
    expect(ball.parts.shake(at: ball.now))
    ball.run(.advertising, until: 402_000)
    expect(ball.shakes, is: 1)
    expect(ball.pictures.last, is: ball.pictures.first)
  }

  @Test("A display of characters shows two lines, and is dim without its backlight")
  func characters() throws {
    let ball = try Ball("display.part=hd44780", "display.address=0x27")
    ball.run(.advertising, until: 400_000)
    let text = DisplayPicture.Content.characters(["      Ball      ", "     Ask me     "])
    let row = String(repeating: " ", count: 16)
    let blank = DisplayPicture.Content.characters([row, row])
    expect(
      ball.pictures,
      is: [DisplayPicture(text, .lit), DisplayPicture(text, .dim), DisplayPicture(blank, .off)])
  }

  @Test(
    "A shake is one, also if the ball is shaken in the middle of it; without a sensor there is none"
  )
  func shake() throws {
    let ball = try Ball("display=none")
    expect(ball.parts.picture, is: nil)
    ball.run(.advertising, until: 1_000)
    expect(ball.parts.shake(at: ball.now))
    ball.run(.advertising, until: 1_300)
    expect(ball.parts.shake(at: ball.now))
    ball.run(.advertising, until: 4_000)
    expect(ball.shakes, is: 1)
    let still = try Ball("motion=none")
    expect(still.parts.hasMotionSensor, is: false)
    expect(still.parts.shake(at: still.now), is: false)
  }

  @Test("A board without parts has none")
  func none() throws {
    expect(
      VirtualParts(BoardDescription(named: "test"), name: Ball.name, at: Instant(rawValue: 0))
        == nil)
  }

  @Test("The event of a picture is a line of JSON")
  func event() {
    expect(
      DisplayPicture(.pixels([0x00, 0x9F, 0xFF]), .lit).event,
      is: #"{"event":"screen","brightness":"lit","pixels":"009fff"}"#)
    expect(
      DisplayPicture(.characters([#"a"\"#, "→"]), .dim).event,
      is: #"{"event":"screen","brightness":"dim","lines":["a\"\\","→"]}"#)
  }
}

/// The parts of a ball, in its loop.
private final class Ball {
  static let name = DeviceName(StaticText("Ball"))

  let parts: VirtualParts
  private(set) var now = Instant(rawValue: 0)
  private(set) var pictures: [DisplayPicture] = []
  private(set) var shakes = 0

  /// Those of a virtual board with a motion sensor and a display, with settings.
  init(_ settings: String...) throws {
    let usual = [
      "chip=virtual", "motion.part=lis3dh", "motion.bus=i2c-1", "motion.line=GPIO17",
      "display.part=ssd1306", "display.bus=i2c-1",
    ]
    var changes = BoardChanges()
    for (index, setting) in (usual + settings).enumerated() {
      try changes.add(setting.utf8.span, at: index)
    }
    try changes.complete()
    parts = try #require(VirtualParts(changes.board, name: Self.name, at: now))
  }

  /// Does nothing for a time in milliseconds, whatever is due.
  func stall(for time: UInt32) { now = now.advanced(by: time) }

  /// Runs until a time in milliseconds, while the ball is in this state.
  func run(_ status: BallLights.Status, until end: UInt64) {
    while true {
      parts.advance(to: now)
      if parts.takeShake(at: now) { shakes += 1 }
      parts.show(BallState(status: status), at: now)
      if parts.takePictureChange(), let picture = parts.picture { pictures.append(picture) }
      guard let next = parts.deadline, next.rawValue < end else { break }
      now = max(now, next)
    }
    now = Instant(rawValue: end)
  }
}
