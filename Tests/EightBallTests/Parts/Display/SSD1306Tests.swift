import BluetoothHost
import EightBall
import Expectations
import VirtualBoard

@Suite("The driver of an SSD1306")
struct SSD1306Tests {
  private let display = VirtualSSD1306()
  /// How long a byte takes at 400 kHz: nine clocks, in milliseconds.
  private static let byteTime = 9.0 / 400

  @Test("A new display is set up, drawn completely and lit, in this order and in less than 30 ms")
  func complete() {
    var rig = DisplayRig(SSD1306(), display)
    rig.show(.connected)
    // 13 commands, each with its address, two control bytes and a parameter or NOP. Each page in five runs of at most 26:
    // address, three positions of two bytes, control byte, then only address and control byte. On, contrast.
    let bytes = 13 * 5 + 8 * ((1 + 6 + 1) + 4 * (1 + 1) + 128) + (1 + 2 + 4)
    expect(rig.run(), is: bytes)
    expect(bytes, is: 1_224)
    expect(Double(bytes) * Self.byteTime < 30)
    expect(rig.events.map(\.event), is: [.found])
    expect(display.dataCount, is: 1_024)
    expect(display.commands.suffix(2), is: [0xAF, 0x81])
    expect(!display.commands.dropLast(2).contains { $0 == 0xAE || $0 == 0xAF })
  }

  @Test(
    "No call takes more than a millisecond of the bus, or than an SMBus controller sends: 33 bytes, and the address"
  )
  func calls() {
    var rig = DisplayRig(SSD1306(), display)
    for (_, screen) in TestScreens.all {
      rig.show(screen)
      rig.run()
    }
    expect(rig.longestCall, is: 34)
    expect(Double(rig.longestCall) * Self.byteTime < 1)
  }

  @Test("A change from one answer to another sends the columns that change, in less than 7 ms")
  func changes() {
    var rig = DisplayRig(SSD1306(), display)
    var counts: [Int] = []
    for (old, new) in pairs {
      rig.show(old)
      rig.run()
      let before = columns
      rig.show(new)
      let count = rig.run()
      expect(count, is: bytes(from: before, to: columns))
      counts.append(count)
    }
    expect(Double(counts.max() ?? 0) * Self.byteTime < 7)
  }

  /// How many bytes a change takes: runs from a column that changes to another, of at most 26 columns, in which less
  /// than eight in succession stay.
  private func bytes(from old: [[Bool]], to new: [[Bool]]) -> Int {
    var count = 0
    for page in 0..<8 {
      var rest = (0..<128).filter { old[page * 128 + $0] != new[page * 128 + $0] }[...]
      var end: Int?
      while let start = rest.first {
        // Address, position unless the run continues the last one, control byte.
        count += 1 + (start == end ? 0 : 6) + 1
        var last = start
        while let column = rest.first, column < start + 26, column - last <= 8 {
          last = column
          rest.removeFirst()
        }
        end = last + 1
        count += last + 1 - start
      }
    }
    return count
  }

  @Test("A small glass shows the part of the picture from its first page and column on")
  func smallGlass() throws {
    var rig = DisplayRig(SSD1306(firstColumn: 4, firstPage: 2), display)
    rig.show(.connected)
    rig.run()
    let whole = VirtualSSD1306()
    var other = DisplayRig(SSD1306(), whole)
    other.show(.connected)
    other.run()
    for y in 0..<48 {
      for x in 0..<124 { expect(display.isLit(x + 4, y), is: whole.isLit(x, y + 16), "\(x), \(y)") }
    }
  }

  @Test("A screen that changes while it is drawn is followed by the newest one")
  func overtaken() throws {
    for calls in [1, 5, 14, 20, 40] {
      var rig = DisplayRig(SSD1306(), display)
      rig.show(.starting)
      rig.run()
      for (_, screen) in TestScreens.answers {
        rig.show(screen)
        for _ in 0..<calls { _ = rig.step(until: rig.now) }
      }
      rig.run()
      expect(try ExpectedPicture.isEqual(display.text, "answer-19"), "\(calls)")
    }
  }

  @Test("A display whose glass begins at another column shows the same")
  func firstColumn() {
    // An SH1106 has 132 columns; this one has 128, and what is beyond begins again at the left.
    var rig = DisplayRig(SSD1306(firstColumn: 2), display)
    rig.show(.connected)
    rig.run()
    let shifted = pixels
    rig = DisplayRig(SSD1306(), display)
    rig.show(.connected)
    rig.run()
    for (row, other) in zip(shifted, pixels) {
      expect(Array(row.dropFirst(2)), is: Array(other.dropLast(2)))
    }
  }

  /// Each answer before another, 40 of the pairs.
  private var pairs: [(BallScreen, BallScreen)] {
    let answers = TestScreens.answers.map(\.screen)
    return [1, 7].flatMap { step in answers.indices.map { (answers[$0], answers[($0 + step) % 20]) }
    }
  }

  private var pixels: [[Bool]] {
    (0..<VirtualSSD1306.height).map { y in (0..<VirtualSSD1306.width).map { display.isLit($0, y) } }
  }

  /// Eight rows of each column, page by page.
  private var columns: [[Bool]] {
    (0..<1_024).map { place in (0..<8).map { display.isLit(place % 128, place / 128 * 8 + $0) } }
  }
}
