import Boards
import Glibc
import LinuxRadio
import LinuxTestSupport
import Testing

@testable import LinuxBoard

/// The folder of the shipped files.
let shippedBoards = String(
  #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
    separator: "/")
    + "/boards")

@Suite("Board files")
struct BoardFileTests {
  /// A file with every field.
  static let whole = """
    models:
      - Raspberry Pi 4 Model B
    chip: pinctrl-bcm2711
    radio: hci0
    shake:
      line: GPIO18
      offset: 18
      active: low
      bias: pull-up
      debounce: 20
    status:
      line: GPIO12
      offset: 12
      active: high
    """

  @Test("A file describes the board")
  func whole() throws {
    let file = try BoardFile.parse(Self.whole, name: "b", path: "b.yml")
    #expect(file.models == ["Raspberry Pi 4 Model B"])
    #expect(
      file.board
        == BoardDescription(
          name: "b", chip: "pinctrl-bcm2711",
          shake: LineDescription(
            name: "GPIO18", offset: 18, activeLow: true, bias: .pullUp, debounceMilliseconds: 20),
          status: LineDescription(
            name: "GPIO12", offset: 12, activeLow: false, bias: .none, debounceMilliseconds: 0),
          radio: "hci0"))
    #expect(file.board.radioName == .adapter(0))
  }

  @Test("A board may have nothing but a radio")
  func radioOnly() throws {
    let board = try BoardFile.parse("radio: virtual", name: "b", path: "b.yml").board
    #expect(board == BoardDescription(name: "b", radio: "virtual"))
    #expect(board.radioName == .virtual)
    #expect(!board.hasLines)
  }

  /// A wrong file, made from the complete one by replacing a text, and its error.
  struct Fault: CustomTestStringConvertible {
    let what: String
    let text: String
    let message: String
    var testDescription: String { what }

    init(_ what: String, _ old: String, _ new: String, _ message: String) {
      self.what = what
      var text = BoardFileTests.whole
      if let range = text.firstRange(of: old) { text.replaceSubrange(range, with: new) }
      self.text = text
      self.message = message
    }

    init(_ what: String, _ text: String, _ message: String) {
      self.what = what
      self.text = text
      self.message = message
    }
  }

  static let faults = [
    Fault(
      "empty", "",
      "b.yml: the file has no fields: expected one or more of the fields models, chip, radio, shake, "
        + "clear, status and answer"),
    Fault(
      "only a comment", "# nothing\n",
      "b.yml: the file has no fields: expected one or more of the fields models, chip, radio, shake, "
        + "clear, status and answer"),
    Fault(
      "no fields", "hello",
      "b.yml:1: expected one or more of the fields models, chip, radio, shake, clear, status and "
        + "answer, not \"hello\""),
    Fault(
      "a list", "- chip\n",
      "b.yml:1: expected one or more of the fields models, chip, radio, shake, clear, status and "
        + "answer, not a list"),
    Fault(
      "unknown field", "radio:", "wireless:",
      "b.yml:4: wireless: unknown field: expected models, chip, radio, shake, clear, status or "
        + "answer"),
    Fault(
      "unknown field of a button", "bias:", "pull:",
      "b.yml:9: shake.pull: unknown field: expected line, offset, active, bias or debounce"),
    Fault(
      "a light that bounces", "active: high", "debounce: 5",
      "b.yml:14: status.debounce: unknown field: expected line, offset, active or bias"),
    Fault(
      "unknown field that a terminal would obey", "radio:", "\"\\e[2J\":",
      "b.yml:4: \u{FFFD}[2J: unknown field: expected models, chip, radio, shake, clear, status or "
        + "answer"),
    Fault(
      "twice", "radio: hci0", "chip: other",
      "b.yml:4: chip: expected once, but line 3 already has it"),
    Fault(
      "twice, far apart", "status:\n", "chip: other\nstatus:\n",
      "b.yml:11: chip: expected once, but line 3 already has it"),
    Fault(
      "two fields twice", "status:\n", "radio: hci1\n\"chip\" : other\nstatus:\n",
      "b.yml:12: chip: expected once, but line 3 already has it"),
    Fault(
      "a button twice", "status:\n", "shake:\n",
      "b.yml:11: shake: expected once, but line 5 already has it"),
    Fault(
      "a field of a button twice", "  debounce: 20\n",
      "  debounce: 20\n  # Once more.\n  offset: 5\n",
      "b.yml:12: shake.offset: expected once, but line 7 already has it"),
    Fault(
      "a field of a light twice, within braces",
      "status:\n  line: GPIO12\n", "status: {line: GPIO12, line: GPIO13}\n",
      "b.yml:11: status.line: expected once, but it is there again"),
    Fault(
      "twice, all within braces", "{chip: a, chip: b}",
      "b.yml:1: chip: expected once, but it is there again"),
    Fault(
      "a light that is nothing", "status:\n  line: GPIO12\n  offset: 12\n  active: high",
      "status:",
      "b.yml:11: status: expected the fields line, offset and active, and perhaps bias, not nothing"
    ),
    Fault(
      "no chip", "chip: pinctrl-bcm2711\n", "",
      "b.yml:1: chip: missing: expected the label of a GPIO chip, such as pinctrl-bcm2711, or "
        + "virtual"),
    Fault(
      "an empty chip", "chip: pinctrl-bcm2711", "chip:",
      "b.yml:3: chip: expected the label of a GPIO chip, such as pinctrl-bcm2711, or virtual, not "
        + "nothing"),
    Fault(
      "a chip that is a list", "chip: pinctrl-bcm2711", "chip: [a]",
      "b.yml:3: chip: expected the label of a GPIO chip, such as pinctrl-bcm2711, or virtual, not "
        + "a list"),
    Fault(
      "models that are text", "models:\n  - Raspberry Pi 4 Model B", "models: Raspberry Pi 4",
      "b.yml:1: models: expected a list, not \"Raspberry Pi 4\""),
    Fault(
      "a model that is nothing", "- Raspberry Pi 4 Model B", "-",
      "b.yml:1: models: expected how a device tree's model begins: 1 to 127 characters of ASCII, "
        + "without quotes, not nothing"),
    Fault(
      "a model that is not ASCII", "- Raspberry Pi 4 Model B", "- Räspberry",
      "b.yml:2: models: expected how a device tree's model begins: 1 to 127 characters of ASCII, "
        + "without quotes, not \"Räspberry\""),
    Fault(
      "no such radio", "radio: hci0", "radio: bluetooth",
      "b.yml:4: radio: expected a radio: \(RadioName.forms), not \"bluetooth\""),
    Fault(
      "a button that is text",
      "shake:\n  line: GPIO18\n  offset: 18\n  active: low\n"
        + "  bias: pull-up\n  debounce: 20", "shake: GPIO18",
      "b.yml:5: shake: expected the fields line, offset, active, bias and debounce, "
        + "not \"GPIO18\""),
    Fault(
      "a button that is nothing",
      "shake:\n  line: GPIO18\n  offset: 18\n  active: low\n"
        + "  bias: pull-up\n  debounce: 20", "shake:",
      "b.yml:5: shake: expected the fields line, offset, active, bias and debounce, not nothing"),
    Fault(
      "no line", "  line: GPIO18\n", "",
      "b.yml:5: shake.line: missing: expected the name of a line, such as GPIO18: 1 to 31 "
        + "characters of ASCII, without quotes"),
    Fault(
      "no offset", "  offset: 18\n", "",
      "b.yml:5: shake.offset: missing: expected a whole number from 0 to 1023"),
    Fault(
      "no level of a light", "\n  active: high", "",
      "b.yml:11: status.active: missing: expected high or low"),
    Fault(
      "no debounce", "  debounce: 20\n", "",
      "b.yml:5: shake.debounce: missing: expected a whole number of milliseconds from 0 to 1000"),
    Fault(
      "an offset in words", "offset: 18", "offset: eighteen",
      "b.yml:7: shake.offset: expected a whole number from 0 to 1023, not \"eighteen\""),
    Fault(
      "an offset too high", "offset: 18", "offset: 1024",
      "b.yml:7: shake.offset: expected a whole number from 0 to 1023, not \"1024\""),
    Fault(
      "an offset below 0", "offset: 18", "offset: -1",
      "b.yml:7: shake.offset: expected a whole number from 0 to 1023, not \"-1\""),
    Fault(
      "an offset with a sign", "offset: 18", "offset: +1",
      "b.yml:7: shake.offset: expected a whole number from 0 to 1023, not \"+1\""),
    Fault(
      "an offset too large for any number", "offset: 18", "offset: 99999999999999999999",
      "b.yml:7: shake.offset: expected a whole number from 0 to 1023, "
        + "not \"99999999999999999999\""),
    Fault(
      "an offset in groups", "offset: 18", "offset: {a: 1}",
      "b.yml:7: shake.offset: expected a whole number from 0 to 1023, not a group of fields"),
    Fault(
      "a level", "active: low", "active: yes",
      "b.yml:8: shake.active: expected high or low, not \"yes\""),
    Fault(
      "a bias", "bias: pull-up", "bias: up",
      "b.yml:9: shake.bias: expected pull-up, pull-down or none, not \"up\""),
    Fault(
      "a long debounce", "debounce: 20", "debounce: 1001",
      "b.yml:10: shake.debounce: expected a whole number of milliseconds from 0 to 1000, "
        + "not \"1001\""),
    Fault(
      "one offset twice", "offset: 12", "offset: 18",
      "b.yml:13: status.offset: expected an offset of its own, not that of shake"),
    Fault(
      "one line twice", "line: GPIO12", "line: GPIO18",
      "b.yml:12: status.line: expected a line of its own, not that of shake"),
    Fault(
      "no YAML", "radio: hci0", "radio: \"hci0",
      "b.yml:14: expected YAML: found unexpected end of stream"),
    Fault(
      "a tab", "  offset: 18", "\toffset: 18",
      "b.yml:7: expected YAML: found a tab character that violates indentation"),
    Fault(
      "two documents", "status:", "---\nstatus:",
      "b.yml:11: expected YAML: but found another document"),
    Fault("no such anchor", "hci0", "*x", "b.yml:4: expected YAML: found undefined alias"),
  ]

  @Test("An error has its line, its field and what was expected", arguments: faults)
  func refuses(_ fault: Fault) {
    #expect(message(fault.text) == fault.message)
  }

  @Test("Lines may end as on Windows")
  func carriageReturns() {
    let text = { (old: String, new: String) in
      Self.whole.replacing(old, with: new).replacing("\n", with: "\r\n")
    }
    #expect(message(text("", "")) == nil)
    #expect(
      message(text("radio: hci0", "radio: \"hci0"))
        == "b.yml:14: expected YAML: found unexpected end of stream")
    #expect(
      message(text("debounce: 20", "offset: 5"))
        == "b.yml:10: shake.offset: expected once, but line 7 already has it")
  }

  @Test("A file truncated anywhere or with any byte changed is read or refused")
  func damaged() {
    let bytes = Array(Self.whole.utf8)
    for count in bytes.indices {
      _ = message(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
    for index in bytes.indices {
      for byte in [UInt8(0), 9, 10, 32, 34, 38, 42, 45, 58, 91, 123, 125, 255] {
        var damaged = bytes
        damaged[index] = byte
        _ = message(String(decoding: damaged, as: UTF8.self))
      }
    }
    #expect(message(String(repeating: "[", count: BoardFile.capacity)) != nil)
  }

  @Test("A missing file, a device, a folder and a file over 64 kB are refused with the reason")
  func files() {
    #expect(
      error(ofFile: "/nowhere/b.yml")
        == "/nowhere/b.yml: cannot read the board's file: No such file or directory. "
        + BoardCatalog.howToName)
    #expect(
      error(ofFile: "/dev/zero")
        == "/dev/zero: cannot read the board's file: it is a device, not a regular file")
    #expect(
      error(ofFile: shippedBoards)
        == "\(shippedBoards): cannot read the board's file: Is a directory")
    #expect(error(ofFile: "/proc/self/exe") == "/proc/self/exe: expected at most 65536 bytes")
  }

  @Test("A pipe is refused without waiting for its writer")
  func pipe() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/b.yml"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    #expect(
      error(ofFile: path)
        == "\(path): cannot read the board's file: it is a pipe, not a regular file")
    // One in a folder of boards does not block other boards.
    let catalog = BoardCatalog(folders: [directory.path, shippedBoards])
    #expect(try catalog.board("pi-5").name == "pi-5")
  }

  private func message(_ text: String) -> String? {
    do throws(BoardError) {
      _ = try BoardFile.parse(text, name: "b", path: "b.yml")
      return nil
    } catch {
      return error.description
    }
  }

  private func error(ofFile path: String) -> String? {
    do throws(BoardError) {
      _ = try BoardFile.read(path)
      return nil
    } catch {
      return error.description
    }
  }
}
