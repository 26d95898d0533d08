import EightBall
import Expectations
import LinuxRadio
import LinuxTestSupport

@testable import eightball

@Suite("Board settings")
struct BoardSettingTests {
  /// A board with a shake button and a status light.
  static let board = BoardDescription(
    name: "b", chip: "chip",
    shake: .button(18),
    status: .light(12))

  private func changed(_ texts: [String]) throws(BoardError) -> BoardDescription {
    var board = Self.board
    var settings: [BoardSetting] = []
    for text in texts { settings.append(try BoardSetting(text)) }
    try board.apply(settings)
    return board
  }

  @Test("Every field can be set")
  func every() throws {
    let board = try changed([
      "chip=virtual", "radio=hci1", "shake.line=X", "shake.offset=3", "shake.active=high",
      "shake.bias=pull-down", "shake.debounce=5",
    ])
    expect(
      board,
      is: BoardDescription(
        name: "b", chip: "virtual",
        shake: .button("X", 3, activeLow: false, bias: .pullDown, debounce: 5),
        status: Self.board.status, radio: "hci1"))
    expect(board.isVirtual)
    expect(board.radioName, is: .adapter(1))
  }

  @Test(
    "A name implies the offset, and an offset the name",
    arguments: [
      (["shake.line=GPIO23"], "GPIO23", 23),
      (["shake.offset=24"], "GPIO24", 24),
      (["shake.line=GPIO23", "shake.offset=4"], "GPIO23", 4),
      (["shake.offset=4", "shake.line=SDA1"], "SDA1", 4),
      (["shake.line=GPIO23", "shake.line=GPIO24"], "GPIO24", 24),
      (["shake=none", "shake.line=GPIO18"], "GPIO18", 18),
    ] as [([String], String, Int)])
  func nameAndOffset(texts: [String], name: String, offset: Int) throws {
    let board = try changed(texts)
    expect(board.shake?.name.description, is: name)
    expect(board.shake?.offset, is: offset)
  }

  @Test("A button or light can be added and removed")
  func addAndRemove() throws {
    let board = try changed(["shake=none", "clear.line=GPIO5", "answer.line=GPIO6"])
    expect(board.shake, is: nil)
    expect(board.clear, is: .button(5))
    expect(board.answer, is: .light(6))
  }

  @Test("Two parts may swap their lines")
  func swapped() throws {
    let board = try changed(["shake.line=GPIO12", "status.line=GPIO18"])
    expect(board.shake?.offset, is: 12)
    expect(board.status?.offset, is: 18)
  }

  @Test("The fewest settings leave out a part's usual address, wiring and threshold")
  func parts() throws {
    let settings = [
      "motion.part=lis3dh", "motion.bus=i2c-1", "motion.line=GPIO17", "display.part=hd44780",
      "display.bus=i2c-1",
    ]
    let board = try changed(settings)
    expect(board.fewestSettings.suffix(5), is: settings[...])
    expect(
      board.settings.filter { $0.hasPrefix("motion") || $0.hasPrefix("display") },
      is: [
        "motion.part=lis3dh", "motion.bus=i2c-1", "motion.address=0x18", "motion.threshold=1200",
        "motion.line=GPIO17", "motion.offset=17", "motion.active=high", "motion.bias=pull-down",
        "display.part=hd44780", "display.bus=i2c-1", "display.address=0x27",
      ])
    let other = [
      "motion.part=mpu6050", "motion.bus=i2c-0", "motion.address=0x69", "motion.threshold=900",
      "motion.line=INT", "motion.offset=17", "motion.active=low", "motion.bias=none",
      "display.part=ssd1306", "display.bus=i2c-255", "display.address=0x3D",
    ]
    expect(try changed(other).fewestSettings.suffix(11), is: other[...])
  }

  static let wrong = table(
    """
    shake | expected NAME=VALUE, such as shake.line=GPIO23
    shake=GPIO23 | expected shake=none to do without it, or a field of it, such as shake.line=GPIO23
    motion=lis3dh | expected motion=none to do without it, or a field of it, such as motion.bus=i2c-1
    shook.line=GPIO23 | unknown field "shook.line": expected chip, radio, one of shake, clear, status, answer and \
    motion with .line, .offset, .active, .bias or .debounce, or motion or display with .part, .bus, .address or .threshold
    shake.offset=1024 | expected a whole number from 0 to 1023
    shake.active=1 | expected high or low
    shake.bias=up | expected pull-up, pull-down or none
    shake.debounce=x | expected a whole number of milliseconds from 0 to 1000
    radio=x | expected a radio: \(RadioAddress.forms)
    shake.line=SDA1 | expected its offset too, such as shake.offset=23, since its name does not give it
    clear.offset=5 | the board has no clear: expected its line too, such as clear.line=GPIO23
    shake.line=GPIO12 | status.line: expected a line of its own, not that of shake
    shake.line=X,shake.offset=12 | status.offset: expected an offset of its own, not that of shake
    motion.part=adxl345 | expected lis3dh or mpu6050
    display.part=adxl345 | expected ssd1306 or hd44780
    motion.bus=1 | expected i2c- and a number from 0 to 255
    display.address=0x78 | expected a number from 0x03 to 0x77
    motion.threshold=99 | expected a whole number of milligravities from 100 to 8000
    motion.line=GPIO17 | the board has no motion: expected motion.part too, lis3dh or mpu6050
    display.bus=i2c-1 | the board has no display: expected display.part too, ssd1306 or hd44780
    display.part=ssd1306 | the board has no display: expected its bus too, such as display.bus=i2c-1
    motion.part=lis3dh,motion.bus=i2c-1 | the board has no motion: expected its line too, such as motion.line=GPIO23
    motion.part=lis3dh,motion.bus=i2c-1,motion.line=GPIO12 | motion.line: expected a line of its own, not that of status
    motion.part=lis3dh,motion.bus=i2c-1,motion.line=GPIO4,display.part=ssd1306,display.bus=i2c-1,display.address=0x18 | \
    display.address: expected an address of its own, not that of motion
    """)

  @Test("Wrong settings are refused", arguments: wrong)
  func refuses(row: [String]) {
    let settings = row[0].split(separator: ",").map(String.init)
    let error = #expect(throws: BoardError.self) { try changed(settings) }
    // The last setting of the part is the wrong one.
    expect(error?.description, is: "--set \(settings.last ?? ""): \(row[1])")
  }

  @Test("A board without a chip needs one with its first line")
  func chip() throws {
    var board = BoardDescription(name: "b")
    #expect(
      throws: BoardError("--set shake.line=GPIO5", "the board has no chip: expected chip=LABEL too")
    ) { try board.apply([BoardSetting("shake.line=GPIO5")]) }
    expect(board, is: BoardDescription(name: "b"))
    try board.apply([BoardSetting("shake.line=GPIO5"), BoardSetting("chip=c")])
    expect(board.chip, is: "c")
  }
}
