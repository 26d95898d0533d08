import LinuxRadio
import Testing

@Suite("README.md")
struct ReadmeTests {
  private let document: Document

  init() throws {
    document = try Document("README.md")
  }

  @Test("the trace is what --verbose prints")
  func trace() throws {
    var printed: [String] = []
    let trace = PacketTrace { printed.append($0) }
    for entry in Visit.asking("Will it rain?") where !entry.isBall {
      trace.note(entry.packet.span, entry.direction == .toController ? .sent : .received)
    }
    let block = try #require(document.blocks.first { $0.tag == "text trace" })
    let first = try #require(block.lines.first)
    let start = try #require(printed.firstIndex(of: first), "--verbose does not print: \(first)")
    #expect(block.lines == Array(printed[start...].prefix(block.lines.count)))
  }

  @Test("the Swift that is shown is compiled and tested")
  func examples() throws {
    let examples = try ["Battery", "BatteryTests"].map {
      try Document.text(of: "Tests/DocsTests/Examples/\($0).swift")
    }
    let blocks = document.blocks.filter { $0.tag == "swift" }
    #expect(blocks.map { $0.text + "\n" } == examples)
  }

  @Test("every radio of the help is in the table, and every radio of the table is one")
  func radios() throws {
    let help = try Document("Sources/eightball/EightBallCommand.swift").lines
    let rows = document.rows(under: "## Radios")
    #expect(rows.count == 6)
    for row in rows {
      let names = row[0].filter { $0 != "`" }
      #expect(help.contains { trim($0).hasPrefix(names + " ") }, "\(names) is not in the help")
      for name in names.split(separator: ", ").map({ trim($0) }) {
        let whole = name.filter { $0 != "[" && $0 != "]" }
          .replacing("PORT", with: "7300").replacing("HOST", with: "127.0.0.1")
          .replacing("USER", with: "root").replacing("BAUD", with: "115200")
        #expect(throws: Never.self, "\(name)") { try RadioName(whole) }
        // What is in brackets may be left out.
        let least = name.split(separator: "[").first.map(String.init) ?? name
        if name.contains("[") {
          #expect(throws: Never.self, "\(name)") { try RadioName(least) }
        }
      }
    }
  }

  @Test("the exit statuses are those of the help")
  func exitStatuses() throws {
    let rows = document.rows(under: "## Exit statuses")
    for (column, command) in [(2, "Ask"), (3, "Doctor"), (4, "HostAir")] {
      let told = rows.filter { $0.count > column && !$0[column].isEmpty }
        .map { [$0[0], $0[column]] }
      #expect(told == statuses(in: try Document("Sources/eightball/Commands/\(command).swift")))
    }
    let run = statuses(in: try Document("Sources/eightball/Commands/Run.swift"))
    let others = rows.filter { !$0[1].isEmpty }
    #expect(others.map { $0[0] } == run.map { $0[0] })
    // A scan has no board.
    let scan = statuses(in: try Document("Sources/eightball/Commands/Scan.swift"))
    #expect(others.map { $0[0] }.filter { $0 != "78" } == scan.map { $0[0] })
  }

  @Test("the messages about adapters are the program's own")
  func messages() throws {
    let source = try Document.text(of: "Sources/LinuxErrors/RadioTrouble.swift")
    let rows = document.rows(under: "### Without a service").filter { !$0[0].hasPrefix("Radio:") }
    #expect(rows.count == 6)
    for row in rows {
      let message = row[0].replacing("hci0", with: "%s")
      #expect(source.contains(#""\#(message)""#), "no radio fails with: \(row[0])")
    }
  }

  @Test(
    "what is shown of the examples is what they are, and an app's test fits under 60 lines",
    arguments: [
      ("HeartRateTests.swift", "Tests/HeartRateTests/HeartRateTests.swift"),
      ("ask-a-ball/main.swift", "Sources/ask-a-ball/main.swift"),
    ])
  func example(tag: String, path: String) throws {
    let block = document.blocks.first { $0.tag == "swift \(tag)" }
    #expect(block.map { $0.text + "\n" } == (try Document.text(of: "Examples/\(path)")))
    #expect((block?.lines.count ?? 60) < 60)
  }

  @Test("every file and folder of the trees is there")
  func trees() throws {
    let blocks = document.blocks.filter { $0.tag == "text tree" }
    #expect(blocks.count == 2)
    for line in blocks.flatMap({ walk($0.lines) }) {
      #expect(Document.exists(line), "there is no \(line)")
    }
  }

  /// The numbers and explanations after EXIT STATUS.
  private func statuses(in source: Document) -> [[String]] {
    source.lines.drop { !$0.contains("EXIT STATUS") }.dropFirst().map { trim($0) }
      .prefix { $0.first?.isNumber ?? false }
      .map { line in
        let number = line.prefix { $0 != " " }
        return [String(number), trim(line.dropFirst(number.count))]
      }
  }

  /// The paths that a tree names, each line two spaces deeper than its folder.
  private func walk(_ lines: [String]) -> [String] {
    var folders: [String] = []
    var paths: [String] = []
    for line in lines {
      let depth = line.prefix { $0 == " " }.count / 2
      folders.removeLast(folders.count - depth)
      let names = String(line.drop { $0 == " " }.split(separator: "  ").first ?? "")
      for name in names.split(separator: ",").map({ trim($0) }) {
        paths.append(folders.joined() + name)
      }
      if names.hasSuffix("/") { folders.append(names) }
    }
    return paths
  }
}
