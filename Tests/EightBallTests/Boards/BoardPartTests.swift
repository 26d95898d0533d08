import BluetoothHost
import Expectations

@testable import EightBall

@Suite("The motion sensor and the display of a board")
struct BoardPartTests {
  /// The board that settings describe, separated by blanks.
  private func board(
    _ settings: String, changing first: String = ""
  ) throws(BoardSettingError) -> BoardDescription {
    var changes = BoardChanges()
    for text in [first, settings] {
      changes = BoardChanges(to: changes.board)
      for setting in text.split(separator: " ") { try changes.add(setting.utf8.span, at: 0) }
      do throws(BoardChangeError) { try changes.complete() } catch { throw error.cause }
    }
    return changes.board
  }

  private func fault(_ settings: String, changing first: String = "") -> BoardSettingError? {
    do throws(BoardSettingError) {
      _ = try board(settings, changing: first)
      return nil
    } catch {
      return error
    }
  }

  private static func interrupt(
    _ number: Int, activeLow: Bool = false, bias: LineDescription.Bias = .pullDown
  ) -> LineDescription {
    LineDescription(
      name: LineName(gpioNumber: number), offset: number, activeLow: activeLow, bias: bias,
      debounceMilliseconds: 0)
  }

  @Test("A motion sensor needs its part, its bus and its line; the rest is as usual")
  func motion() throws {
    let board = try board("chip=c motion.part=lis3dh motion.bus=i2c-1 motion.line=GPIO17")
    expect(
      board.motion,
      is: MotionDescription(
        BusPart(.lis3dh, bus: 1, address: 0x18), line: Self.interrupt(17), threshold: 1_200))
    expect(board[onBus: .motion], is: BusPart(.lis3dh, bus: 1, address: 0x18))
    expect(board[.motion], is: Self.interrupt(17))
    expect(board.hasLines)
    expect(board.hasLine(of: .motion))
    expect(board.display, is: nil)
    expect(
      try self.board("chip=c motion.line=GPIO4 motion.bus=i2c-0 motion.part=mpu6050").motion,
      is: MotionDescription(BusPart(.mpu6050, bus: 0, address: 0x68), line: Self.interrupt(4)))
  }

  @Test("Each field of a motion sensor can be set, in any order")
  func everyField() throws {
    let expected = MotionDescription(
      BusPart(.mpu6050, bus: 255, address: 0x69),
      line: LineDescription(
        name: "INT", offset: 3, activeLow: true, bias: .none, debounceMilliseconds: 0),
      threshold: 8_000)
    let settings = [
      "chip=c", "motion.part=mpu6050", "motion.bus=i2c-255", "motion.address=0x69",
      "motion.line=INT", "motion.offset=3", "motion.active=low", "motion.bias=none",
      "motion.threshold=8000",
    ]
    for order in [settings, settings.reversed()] {
      expect(try board(order.joined(separator: " ")).motion, is: expected)
    }
  }

  @Test("A display needs its part and its bus, and neither a line nor a chip")
  func display() throws {
    for (name, part, address) in [
      ("ssd1306", PartModel.ssd1306, UInt8(0x3C)), ("hd44780", .hd44780, 0x27),
    ] {
      let board = try board("display.bus=i2c-3 display.part=\(name)")
      expect(board.display, is: BusPart(part, bus: 3, address: address))
      expect(board.display, is: BusPart(part, bus: 3))
      expect(!board.hasLines)
      expect(board[.display], is: nil)
      expect(board.chip, is: nil)
    }
  }

  @Test(
    "An address is a number from 0x03 to 0x77, in hexadecimal or in decimal",
    arguments: [
      ("0x03", 3), ("0x77", 0x77), ("0x3c", 0x3C), ("0x3C", 0x3C), ("0x0003", 3), ("3", 3),
      ("24", 24),
      ("119", 119), ("0x02", nil), ("0x78", nil), ("2", nil), ("120", nil), ("", nil), ("0x", nil),
      ("3C", nil), ("0x3G", nil), ("-3", nil), ("0X18", nil), ("0x100000018", nil),
      ("4294967320", nil),
    ] as [(String, UInt8?)])
  func addresses(text: String, address: UInt8?) {
    expect(BoardField.readAddress(text.utf8.span), is: address)
  }

  @Test(
    "Wrong values are refused",
    arguments: [
      ("motion.part=ssd1306", .wrongValue(.motionPart)), ("motion.part=", .wrongValue(.motionPart)),
      ("display.part=lis3dh", .wrongValue(.displayPart)),
      ("motion.part=LIS3DH", .wrongValue(.motionPart)),
      ("motion.bus=1", .wrongValue(.bus)), ("motion.bus=i2c-256", .wrongValue(.bus)),
      ("motion.bus=i2c-", .wrongValue(.bus)), ("display.bus=/dev/i2c-1", .wrongValue(.bus)),
      ("display.address=0x78", .wrongValue(.address)),
      ("motion.threshold=99", .wrongValue(.threshold)),
      ("motion.threshold=8001", .wrongValue(.threshold)),
      ("motion.threshold=1.5", .wrongValue(.threshold)),
      ("motion.debounce=5", .unknownField), ("display.line=GPIO4", .unknownField),
      ("display.threshold=500", .unknownField), ("shake.bus=i2c-1", .unknownField),
      ("motion.model=x", .unknownField), ("motion=lis3dh", .notNone(.motion)),
      ("display=on", .notNone(.display)),
      ("motion.bus=i2c-1", .noModel(.motion)), ("motion.line=GPIO4", .noModel(.motion)),
      ("motion.part=lis3dh", .noBus(.motion)), ("display.part=ssd1306", .noBus(.display)),
      ("display.address=0x3D", .noModel(.display)),
      ("motion.part=lis3dh motion.bus=i2c-1", .noLine(.motion)),
      ("motion.part=lis3dh motion.bus=i2c-1 motion.line=INT", .noOffset(.motion)),
      ("motion.part=lis3dh motion.bus=i2c-1 motion.line=GPIO4", .noChip),
    ] as [(String, BoardSettingError)])
  func wrong(settings: String, expected: BoardSettingError) {
    expect(fault(settings), is: expected)
  }

  private static let whole =
    "chip=c motion.part=lis3dh motion.bus=i2c-1 motion.line=GPIO17 motion.threshold=900 "
    + "display.part=ssd1306 display.bus=i2c-1"

  @Test("none removes a part, and it can be added again, without its old values")
  func removed() throws {
    let without = try board("motion=none display=none", changing: Self.whole)
    expect(without, is: BoardDescription(name: "custom", chip: "c"))
    let again = try board(
      "motion=none motion.part=mpu6050 motion.bus=i2c-2 motion.line=GPIO4", changing: Self.whole)
    expect(again.motion, is: MotionDescription(BusPart(.mpu6050, bus: 2), line: Self.interrupt(4)))
    expect(fault("motion=none motion.threshold=900", changing: Self.whole), is: .noModel(.motion))
    expect(fault("display=none display.bus=i2c-1", changing: Self.whole), is: .noModel(.display))
  }

  @Test("A change keeps the other values; another model has its own usual address")
  func changed() throws {
    let faster = try board("motion.threshold=400 display.address=0x3D", changing: Self.whole)
    expect(
      faster.motion,
      is: MotionDescription(BusPart(.lis3dh, bus: 1), line: Self.interrupt(17), threshold: 400))
    expect(faster.display, is: BusPart(.ssd1306, bus: 1, address: 0x3D))
    let other = try board("motion.part=mpu6050 display.part=hd44780", changing: Self.whole)
    expect(
      other.motion,
      is: MotionDescription(BusPart(.mpu6050, bus: 1), line: Self.interrupt(17), threshold: 900))
    expect(other.display, is: BusPart(.hd44780, bus: 1, address: 0x27))
    for order in [
      "motion.part=mpu6050 motion.address=0x69", "motion.address=0x69 motion.part=mpu6050",
    ] {
      expect(try board(order, changing: Self.whole).motion?.part.address, is: 0x69)
    }
  }

  @Test("Two parts at one address of one bus, and an interrupt on another part's line")
  func clashes() {
    let address = BoardClash(part: .display, other: .motion, field: .address)
    expect(fault("display.address=0x18", changing: Self.whole), is: .clash(address))
    expect(fault("display.address=0x18 display.bus=i2c-2", changing: Self.whole), is: nil)
    let line = BoardClash(part: .motion, other: .shake, field: .line)
    expect(fault("shake.line=GPIO17", changing: Self.whole), is: .clash(line))
    let offset = BoardClash(part: .motion, other: .status, field: .offset)
    expect(fault("status.line=X status.offset=17", changing: Self.whole), is: .clash(offset))
  }

  @Test("Boards are equal if all values of their parts are")
  func equality() throws {
    let board = try board(Self.whole)
    expect(try self.board(Self.whole), is: board)
    for change in [
      "motion.part=mpu6050", "motion.bus=i2c-2", "motion.address=0x19", "motion.line=GPIO4",
      "motion.active=low", "motion.bias=none", "motion.threshold=901", "motion=none",
      "display.part=hd44780", "display.bus=i2c-2", "display.address=0x3D", "display=none",
    ] {
      expect(try self.board(change, changing: Self.whole) != board, "\(change)")
    }
    var copy = board
    copy.motion = board.motion
    copy.display = board.display
    expect(copy, is: board)
    copy.motion = nil
    expect(copy.motion, is: nil)
    expect(copy != board)
  }

  @Test("A file and a table have the same fields")
  func fileAndTable() throws {
    let lines = Self.whole.split(separator: " ").joined(separator: "\n")
    let file = try BoardFile(lines.utf8.span, name: "b").board
    expect(file.motion, is: try board(Self.whole).motion)
    expect(file.display, is: try board(Self.whole).display)
    let table = BoardTable(
      """
      chip=c
      [a]
      motion.part=mpu6050
      motion.bus=i2c-0
      motion.address=105
      motion.line=GPIO4
      display.part=hd44780
      display.bus=i2c-1
      """)
    expect(
      table.board(at: 0),
      is: BoardDescription(
        name: "a", chip: "c",
        motion: MotionDescription(
          BusPart(.mpu6050, bus: 0, address: 0x69), line: Self.interrupt(4)),
        display: BusPart(.hd44780, bus: 1)))
  }

  @Test("A part's place is written as in a file")
  func place() {
    let part = BusPart(.ssd1306, bus: 10, address: 0x3C)
    var bytes = [UInt8](repeating: 0, count: 32)
    var writer = ByteWriter(bytes.mutableSpan)
    part.writePlace(to: &writer)
    let count = writer.count
    expect(String(decoding: bytes.prefix(count), as: UTF8.self), is: "0x3C on i2c-10")
  }
}
