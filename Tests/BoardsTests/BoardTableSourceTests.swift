import LinuxBoard
import LinuxTestSupport
import Testing

@Suite("The Swift file of a table of boards")
struct BoardTableSourceTests {
  private func source(_ files: [(name: String, text: String)]) throws -> String {
    let folder = try TemporaryDirectory()
    for file in files { try folder.write(file.text, to: file.name) }
    do {
      return try BoardTableSource(paths: files.map { "\(folder.path)/\($0.name)" }).text
    } catch {
      return error.errors.map(\.description).joined(separator: "\n")
        .replacing(folder.path + "/", with: "")
    }
  }

  @Test("It has one fact a line, and Swift reads it back unchanged")
  func text() throws {
    let text = try source([
      ("a.yml", "models: [Machine, Machine 2]\nradio: 'unix:/tmp/\"ü\\'"), ("b.yml", "chip: c"),
    ])
    #expect(
      text == """
        // board-table writes this file from board files. Do not edit it: a build overwrites it.

        import Boards

        extension BoardTable {
          /// The boards in this program: a, b.
          static var shipped: BoardTable {
            BoardTable(
              \"""
              @a
              =Machine
              =Machine 2
              radio=unix:/tmp/\\u{22}\\u{fc}\\u{5c}
              @b
              chip=c
              \""")
          }
        }

        """)
  }

  @Test("The most frequent setting of a field that all boards set is written once")
  func common() throws {
    let text = try source([
      ("a.yml", "chip: c\nradio: hci0"), ("b.yml", "chip: d\nradio: hci0"),
      ("e.yml", "chip: d"),
    ])
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix("@") || $0.contains("=") }
    #expect(
      lines == [
        "chip=d", "@a", "chip=c", "radio=hci0", "@b", "radio=hci0", "@e",
      ])
  }

  @Test("Only settings that others imply are left out")
  func fewestSettings() throws {
    let text = try source([
      (
        "a.yml",
        """
        chip: c
        shake: {line: GPIO5, offset: 5, active: low, bias: pull-up, debounce: 20}
        clear: {line: GPIO6, offset: 7, active: high, bias: none, debounce: 0}
        status: {line: LED, offset: 8, active: high}
        answer: {line: GPIO9, offset: 9, active: low, bias: pull-down}
        """
      )
    ])
    let settings = text.split(separator: "\n").filter { $0.contains("=") }
      .map { $0.replacing(" ", with: "") }
    #expect(
      settings == [
        "chip=c", "shake.line=GPIO5", "clear.line=GPIO6", "clear.offset=7", "clear.active=high",
        "clear.bias=none", "clear.debounce=0", "status.line=LED", "status.offset=8",
        "answer.line=GPIO9", "answer.active=low", "answer.bias=pull-down",
      ])
  }

  @Test("Every wrong file is reported with its line, the field and what was expected")
  func wrong() throws {
    let text = try source([
      ("a.yml", "chip: c\nshake:\n  line: GPIO1\n  offset: five"), ("b.yml", "chip: c"),
      ("c.yml", "chips: c"), ("none.yml", "chip: c"), ("b.yaml", "chip: c"),
      ("d.yml", "radio: \"unix:/a\\nb\""),
    ])
    #expect(
      text == """
        a.yml:4: shake.offset: expected a whole number from 0 to 1023, not "five"
        c.yml:1: chips: unknown field: expected models, chip, radio, shake, clear, status or answer
        none.yml: expected another name: --board none means no board
        b.yaml: another file also has the name "b"
        d.yml: expected no line break in "radio=unix:/a\u{FFFD}b"
        """)
  }
}
