import EightBall
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import eightball

@Suite("Board files")
struct BoardFileTests {
  /// A file with every field.
  static let whole = """
    # My board
    model = Raspberry Pi 4 Model B
    chip = pinctrl-bcm2711
    radio = hci0

    shake.line = GPIO18    # pin 12
    shake.offset = 18
    shake.active = low
    shake.bias = pull-up
    shake.debounce = 20
    status.line=GPIO12
    status.offset=12
    \tstatus.active =high
    """

  /// A file in which nothing is as on the shipped boards.
  static let unusual = """
    model = a
    model = b
    chip = c
    clear.line = GPIO5
    clear.offset = 6
    clear.active = high
    clear.bias = none
    clear.debounce = 0
    status.line = LED
    status.offset = 7
    status.active = low
    status.bias = pull-down
    motion.part = mpu6050
    motion.bus = i2c-0
    motion.address = 0x69
    motion.threshold = 2000
    motion.line = GPIO8
    motion.offset = 9
    motion.active = low
    motion.bias = pull-up
    display.part = hd44780
    display.bus = i2c-1
    display.address = 0x3F

    """

  private func read(_ text: String) throws(BoardError) -> KnownBoard {
    try KnownBoard(Array(text.utf8), path: "./b.conf")
  }

  @Test("A file describes the board")
  func whole() throws {
    let known = try read(Self.whole)
    expect(known.models, is: ["Raspberry Pi 4 Model B"])
    expect(
      known.board,
      is: BoardDescription(
        name: "b", chip: "pinctrl-bcm2711",
        shake: .button(18),
        status: .light(12),
        radio: "hci0"))
    expect(known.board.radioName, is: .adapter(0))
  }

  @Test("What a file leaves out is as on the shipped boards")
  func defaults() throws {
    let board = try read("chip=c\nclear.line=GPIO5\nanswer.line=GPIO7").board
    expect(board, is: BoardDescription(name: "b", chip: "c", clear: .button(5), answer: .light(7)))
    expect(try read("radio=virtual").board, is: BoardDescription(name: "b", radio: "virtual"))
    expect(try read("model=a\nmodel=b").models, is: ["a", "b"])
    // A byte order mark, which some editors write.
    expect(try read("\u{FEFF}model=a").models, is: ["a"])
    expect(try read("\u{FEFF}radio=virtual").board, is: try read("radio=virtual").board)
  }

  @Test(
    "A # begins a comment at the start of a line or after a blank",
    arguments: [
      ("chip=a#b", "a#b"), ("chip=a #b", "a"), ("chip=a\t#b", "a"), ("#chip=x\nchip=a", "a"),
      ("  # chip=x\n\n \t\nchip =  a  ", "a"), ("chip=a # b # c", "a"), ("chip=a\r\n", "a"),
    ] as [(String, ChipLabel)])
  func comments(text: String, chip: ChipLabel) throws {
    expect(try read(text).board.chip, is: chip)
  }

  /// A wrong file, made from the complete one by replacing a text, and its error.
  struct Fault: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let message: String

    /// A row: what is wrong, what is replaced, by what, and the message after the path; ¶ ends a line.
    init(_ row: [String]) {
      testDescription = row[0]
      let new = row[2].replacing("¶", with: "\n")
      let whole = BoardFileTests.whole
      text =
        row[1] == "whole"
        ? new : whole.replacing(row[1].replacing("¶", with: "\n"), with: new, maxReplacements: 1)
      message = "./b.conf" + row[3]
    }
  }

  private static let fields =
    "expected chip, radio, one of shake, clear, status, answer and motion with .line, .offset, "
    + ".active, .bias or .debounce, or motion or display with .part, .bus, .address or .threshold"

  static let faults = table(
    """
    empty | whole |  | : the file has no fields: expected settings such as shake.line=GPIO23
    only a comment | whole | # nothing¶¶ | : the file has no fields: expected settings such as shake.line=GPIO23
    no setting | whole | hello | :1: expected NAME=VALUE, such as shake.line=GPIO23, not "hello"
    the name of a board | whole | [b] | :1: expected NAME=VALUE, such as shake.line=GPIO23, not "b"
    YAML | radio = hci0 | radio: hci0 | :4: expected NAME=VALUE, such as shake.line=GPIO23, not "radio: hci0"
    unknown field | radio | wireless | :4: unknown field "wireless": \(fields)
    unknown field of a button | shake.bias | shake.pull | :9: unknown field "shake.pull": \(fields)
    a light that bounces | status.active =high | status.debounce = 5 | \
    :13: unknown field "status.debounce": \(fields)
    unknown field that a terminal would obey | radio | \u{1B}[2J | :4: unknown field "\u{FFFD}[2J": \(fields)
    twice | radio = hci0 | chip=other | :4: chip: expected once, but line 3 already has it
    twice, far apart | status.offset=12 | shake.offset = 3 | \
    :12: shake.offset: expected once, but line 7 already has it
    no chip | chip = pinctrl-bcm2711¶ |  | :12: status.active: the board has no chip: expected chip=LABEL too
    an empty chip | chip = pinctrl-bcm2711 | chip =  # none | \
    :3: chip: expected the label of a GPIO chip, such as pinctrl-bcm2711, or virtual, not nothing
    a model that is nothing | model = Raspberry Pi 4 Model B | model= | \
    :2: model: expected how a device tree's model begins: 1 to 127 characters of ASCII, without quotes, not nothing
    a model that is not ASCII | Raspberry Pi 4 Model B | Räspberry | \
    :2: model: expected how a device tree's model begins: 1 to 127 characters of ASCII, without quotes, not \
    "Räspberry"
    no such radio | radio = hci0 | radio = bluetooth | \
    :4: radio: expected a radio: \(RadioAddress.forms), not "bluetooth"
    a button that is text | shake.line = GPIO18 | shake = GPIO18 | \
    :6: shake: expected shake=none to do without it, or a field of it, such as shake.line=GPIO23, not "GPIO18"
    a line without an offset | shake.line = GPIO18    # pin 12¶shake.offset = 18 | shake.line = SDA1¶ | \
    :6: shake.line: expected its offset too, such as shake.offset=23, since its name does not give it
    no line | whole | chip=c¶shake.active=low | \
    :2: shake.active: the board has no shake: expected its line too, such as shake.line=GPIO23
    an offset in words | shake.offset = 18 | shake.offset = eighteen | \
    :7: shake.offset: expected a whole number from 0 to 1023, not "eighteen"
    an offset too high | shake.offset = 18 | shake.offset = 1024 | \
    :7: shake.offset: expected a whole number from 0 to 1023, not "1024"
    a level | shake.active = low | shake.active = yes | :8: shake.active: expected high or low, not "yes"
    a bias | pull-up | up | :9: shake.bias: expected pull-up, pull-down or none, not "up"
    a long debounce | debounce = 20 | debounce = 1001 | \
    :10: shake.debounce: expected a whole number of milliseconds from 0 to 1000, not "1001"
    one offset twice | status.offset=12 | status.offset=18 | \
    :13: status.offset: expected an offset of its own, not that of shake
    no such sensor | radio = hci0 | motion.part = mpu9250 | \
    :4: motion.part: expected lis3dh or mpu6050, not "mpu9250"
    a bus by its path | radio = hci0 | display.bus = /dev/i2c-1 | \
    :4: display.bus: expected i2c- and a number from 0 to 255, not "/dev/i2c-1"
    an address in words | radio = hci0 | display.address = default | \
    :4: display.address: expected a number from 0x03 to 0x77, not "default"
    a sensor without a line | radio = hci0 | motion.part = lis3dh¶motion.bus = i2c-1 | \
    :5: motion.bus: the board has no motion: expected its line too, such as motion.line=GPIO23
    a display without a bus | radio = hci0 | display.part = ssd1306 | \
    :4: display.part: the board has no display: expected its bus too, such as display.bus=i2c-1
    a display without a model | radio = hci0 | display.bus = i2c-1 | \
    :4: display.bus: the board has no display: expected display.part too, ssd1306 or hd44780
    an interrupt on a light's line | radio = hci0 | motion.part=lis3dh¶motion.bus=i2c-1¶motion.line=GPIO12 | \
    :6: motion.line: expected a line of its own, not that of status
    two parts at one address | radio = hci0 | motion.part=lis3dh¶motion.bus=i2c-1¶motion.line=GPIO4¶\
    display.part=ssd1306¶display.bus=i2c-1¶display.address=24 | \
    :9: display.address: expected an address of its own, not that of motion
    one line twice | status.line=GPIO12 | status.line=GPIO18 | \
    :13: status.line: expected a line of its own, not that of shake
    """
  ).map { Fault($0) }

  @Test("An error has its line, its field and what was expected", arguments: faults)
  func refuses(_ fault: Fault) {
    expect(message(fault.text), is: fault.message)
    // Lines may end as on Windows.
    expect(message(fault.text.replacing("\n", with: "\r\n")), is: fault.message)
  }

  @Test("A file truncated anywhere or with any byte changed is read or refused")
  func damaged() {
    let bytes = Array(Self.whole.utf8)
    func tryReading(_ bytes: [UInt8]) {
      do throws(BoardError) {
        _ = try KnownBoard(bytes, path: "b.conf")
      } catch {
        expect(!error.description.isEmpty)
      }
    }
    for count in bytes.indices { tryReading(Array(bytes.prefix(count))) }
    for index in bytes.indices {
      for byte in [UInt8(0), 9, 10, 13, 32, 34, 35, 46, 58, 61, 91, 93, 255] {
        var damaged = bytes
        damaged[index] = byte
        tryReading(damaged)
      }
    }
    for byte in UInt8.min...UInt8.max {
      tryReading([UInt8](repeating: byte, count: BoardFile.capacity))
    }
  }

  @Test("A missing file, a device, a folder and a file over 8 kB are refused with the reason")
  func files() {
    expect(
      error(ofFile: "/nowhere/b.conf"),
      is: "/nowhere/b.conf: cannot read the board's file: No such file or directory. "
        + KnownBoard.howToName)
    expect(
      error(ofFile: "/dev/zero"),
      is: "/dev/zero: cannot read the board's file: it is a device, not a regular file")
    expect(error(ofFile: "/tmp/"), is: "/tmp/: cannot read the board's file: Is a directory")
    expect(error(ofFile: "/proc/self/exe"), is: "/proc/self/exe: expected at most 8192 bytes")
  }

  @Test("A pipe is refused without waiting for its writer")
  func pipe() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/b.conf"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    expect(
      error(ofFile: path),
      is: "\(path): cannot read the board's file: it is a pipe, not a regular file")
  }

  private func message(_ text: String) -> String? {
    do throws(BoardError) {
      _ = try read(text)
      return nil
    } catch {
      return error.description
    }
  }

  private func error(ofFile path: String) -> String? {
    do throws(BoardError) {
      _ = try KnownBoard(file: path)
      return nil
    } catch {
      return error.description
    }
  }
}
