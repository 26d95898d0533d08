import Expectations
import LinuxRadio
import LinuxTestSupport

@Suite("The pages of docs/")
struct PageTests {
  @Test(
    "The Swift that a page shows is compiled: a whole file, or lines of one",
    arguments: [
      ("README.md", 2), ("docs/own-peripheral.md", 2), ("docs/testing-apps.md", 4),
      ("Sources/CoreBluetooth/CoreBluetooth.docc/PortingYourCode.md", 5),
    ])
  func swift(page: String, count: Int) throws {
    let blocks = try Document(page).blocks.filter { $0.tag.hasPrefix("swift") }
    expect(blocks.count, is: count)
    for block in blocks {
      let location = "\(page):\(block.line)"
      let path = try #require(block.tag.split(separator: " ").dropFirst().first, "\(location)")
      let source = try Repository.text(of: String(path))
      if block.text.hasPrefix("import ") || block.text.hasPrefix("// swift-tools-version") {
        expect(block.text + "\n", is: source, "\(location) is not \(path)")
      } else {
        // Lines from the middle of a file may have a lesser indentation.
        let shown = block.lines.map { trim($0) }.joined(separator: "\n")
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
          .map { trim($0) }.joined(separator: "\n")
        expect(lines.contains(shown), "\(location) is not in \(path)")
      }
    }
  }

  @Test("The file of a peripheral that the page shows is the example")
  func peripheralFile() throws {
    let path = "Examples/peripherals/heart-rate.conf"
    let blocks = try Document("docs/own-peripheral.md").blocks.filter { $0.tag == "conf \(path)" }
    expect(blocks.map { $0.text + "\n" }, is: [try Repository.text(of: path)])
  }

  @Test("The test of an app fits under 60 lines")
  func shortTest() throws {
    let path = "Examples/HeartRate/Tests/HeartRateTests/HeartRateTests.swift"
    expect(try Document(path).lines.count <= 60)
  }

  @Test("The libraries of own-peripheral.md are those of Package.swift")
  func libraries() throws {
    let rows = try Document("docs/own-peripheral.md").rows(under: "## The package")
    let listed = rows.map { $0[0].filter { $0 != "`" } }
    let declared = try Document("Package.swift").lines.compactMap { line -> String? in
      let parts = line.split(separator: "\"")
      return parts.first.map { trim($0) } == ".library(name:" ? String(parts[1]) : nil
    }
    expect(listed.sorted(), is: declared.sorted())
  }

  @Test("A page shows its package, and names each file by its path there")
  func packages() throws {
    let pages = ["own-peripheral": "Examples/Battery", "testing-apps": "Examples/HeartRate"]
    for (page, folder) in pages {
      let document = try Document("docs/\(page).md")
      let shown = document.blocks.map(\.tag).filter { $0.hasPrefix("swift \(folder)/") }
      expect(shown.contains("swift \(folder)/Package.swift"))
      let prose = document.lines.joined(separator: " ")
      for tag in shown { expect(prose.contains("`\(tag.dropFirst(7 + folder.count))`"), "\(tag)") }
      let name = folder.dropFirst("Examples/".count)
      for part in ["Sources/\(name)/", "Tests/\(name)Tests/"] {
        for file in try Repository.files(in: "\(folder)/\(part)") where file.hasSuffix(".swift") {
          expect(prose.contains(part + file), "\(page).md does not name \(part)\(file)")
        }
      }
    }
    let client = try Repository.text(of: "scripts/check")
    for folder in pages.values { expect(client.contains(folder.dropFirst("Examples/".count))) }
  }

  @Test("The setting for a database of one's own is that of Package.swift")
  func setting() throws {
    let blocks = try Document("docs/own-peripheral.md").blocks.filter { $0.tag.isEmpty }
    let setting = ".enableExperimentalFeature(\"Lifetimes\")"
    expect(blocks.flatMap { $0.lines }, is: ["swiftSettings: [\(setting)]"])
    expect(try Repository.text(of: "Package.swift").contains(setting))
  }

  @Test(
    "Messages that a page quotes are the program's",
    arguments: [
      ("command-line", " were left out.)", "BallRunner/Output/BallLines"),
      ("command-line", " lines dropped: output was not read.)", "BallRunner/Output/LineQueue"),
      ("raspberry-pi", "Buttons and lights: none for now; ", "BallRunner/Output/BallPrinter"),
      ("raspberry-pi", "Buttons and lights: ready.", "BallRunner/Output/BallPrinter"),
    ])
  func messages(page: String, message: String, source: String) throws {
    let text = try Document("docs/\(page).md").lines.joined(separator: " ")
    expect(text.contains(message))
    expect(try Repository.text(of: "Sources/\(source).swift").contains(message))
  }

  @Test("Every radio of the help is in the table, and every radio of the table is valid")
  func radios() throws {
    let help = try Document("Sources/eightball/CommandLine/Help.swift").lines
    let rows = try Document("docs/command-line.md").rows(under: "## Radios")
    expect(rows.count, is: 7)
    for row in rows {
      let names = row[0].filter { $0 != "`" }
      expect(help.contains { trim($0).hasPrefix(names + " ") }, "\(names) is not in the help")
      for name in names.split(separator: ", ").map({ trim($0) }) {
        let whole = name.filter { $0 != "[" && $0 != "]" }
          .replacing("PORT", with: "7300").replacing("HOST", with: "127.0.0.1")
          .replacing("USER", with: "root").replacing("BAUD", with: "115200")
        #expect(throws: Never.self, "\(name)") { try RadioAddress(whole) }
        // What is in brackets may be left out.
        let least = name.split(separator: "[").first.map(String.init) ?? name
        if name.contains("[") {
          #expect(throws: Never.self, "\(name)") { try RadioAddress(least) }
        }
      }
    }
  }

  @Test("The exit statuses are those of the help")
  func exitStatuses() throws {
    let rows = try Document("docs/command-line.md").rows(under: "## Exit statuses")
    expect(!rows.isEmpty)
    for (column, command) in [
      (1, "Run"), (2, "ListDevices"), (3, "Ask"), (4, "Doctor"), (5, "HostAir"),
    ] {
      let listed = rows.filter { $0.count > column && !$0[column].isEmpty }
        .map { [$0[0], $0[column]] }
      expect(listed, is: statuses(in: try Document("Sources/eightball/Commands/\(command).swift")))
    }
  }

  @Test("The messages about adapters are the program's own")
  func adapterMessages() throws {
    let source = try Repository.text(of: "Sources/Linux/RadioAccessError.swift")
    let rows = try Document("docs/troubleshooting.md").rows(under: "## Messages about adapters")
      .filter { !$0[0].hasPrefix("Radio:") }
    expect(rows.count, is: 7)
    for row in rows {
      let message = row[0].replacing("hci0", with: "%s")
      expect(source.contains(#""\#(message)""#), "no radio fails with: \(row[0])")
    }
  }

  @Test("One spelling, recognise, in the pages and in the help")
  func spelling() throws {
    var paths = try LinkTests.pages() + ["Sources/eightballd/Console.swift", "docs/ask.html"]
    for folder in [
      "Sources/eightball/Commands/", "Sources/eightball/CommandLine/",
      "Sources/LinuxPort/CommandLine/",
    ] {
      paths += try Repository.files(in: folder).filter { $0.hasSuffix(".swift") }.map {
        folder + $0
      }
    }
    for path in paths {
      expect(!(try Repository.text(of: path).lowercased().contains("recogniz")), "\(path)")
    }
  }

  @Test("Every script that a page names is there", arguments: try LinkTests.pages())
  func scripts(page: String) throws {
    // Old versions of the changelog name scripts that have gone.
    guard page != "CHANGELOG.md" else { return }
    for line in try Document(page).lines {
      for part in line.components(of: "scripts/").dropFirst() {
        let name = part.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "/" || $0 == "." }
        let path = "scripts/" + (name.last == "." ? name.dropLast() : name)
        expect(Repository.exists(path), "\(page) names \(path), which is not there")
      }
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
}

extension String {
  /// The parts of the text between the places where `separator` is.
  fileprivate func components(of separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
