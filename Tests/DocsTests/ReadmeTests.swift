import BallControl
import Expectations
import LinuxTestSupport

@Suite("README.md")
struct ReadmeTests {
  private let document: Document

  init() throws { document = try Document("README.md") }

  @Test("It has at most 200 lines")
  func length() {
    // What follows the last line break is not a line.
    expect(document.lines.count - 1 <= 200)
  }

  @Test("The trace is what --verbose prints")
  func trace() throws {
    var printed: [String] = []
    let trace = PacketTrace { printed.append($0) }
    for entry in Visit.asking("Will it rain?") where !entry.isBall {
      trace.note(entry.packet.span, entry.direction)
    }
    let block = try #require(document.blocks.first { $0.tag == "text trace" })
    let first = try #require(block.lines.first)
    let start = try #require(printed.firstIndex(of: first), "--verbose does not print: \(first)")
    expect(block.lines, is: Array(printed[start...].prefix(block.lines.count)))
  }

  @Test("The Swift that it needs is what the packages and the scripts demand")
  func swiftVersion() throws {
    let words = document.lines.joined(separator: " ").split(separator: " ")
    let index = try #require(words.firstIndex(of: "Swift"), "README.md names no version")
    let version = try #require(words.dropFirst(index + 1).first { $0.first?.isNumber ?? false })
    for package in ["", "Examples/", "PanelServer/"] {
      let manifest = try Document(package + "Package.swift")
      expect(manifest.lines.first, is: "// swift-tools-version: \(version)", "\(manifest.path)")
    }
    expect(try Repository.text(of: "scripts/lib.sh").contains("Swift \(version) or newer"))
    expect(try Repository.text(of: ".spi.yml").contains("swift_version: \"\(version)\""))
  }

  @Test("It links to each page")
  func pages() throws {
    let text = try Repository.text(of: "README.md")
    for page in try LinkTests.documentation() {
      expect(text.contains("](\(page))"), "README.md has no link to \(page)")
    }
  }

  @Test(
    "Every file and folder of the trees is there",
    arguments: [("README.md", 1), ("docs/design/architecture.md", 1)])
  func trees(page: String, count: Int) throws {
    let blocks = try Document(page).blocks.filter { $0.tag == "text tree" }
    expect(blocks.count, is: count)
    for path in blocks.flatMap({ walk($0.lines) }) {
      expect(Repository.exists(path), "\(page): there is no \(path)")
    }
  }

  @Test("The table of architecture.md has each module")
  func modules() throws {
    let rows = try Document("docs/design/architecture.md").rows(under: "## The modules")
    let names = rows.flatMap { $0[0].filter { $0 != "`" }.split(separator: ",") }.map { trim($0) }
    expect(names.sorted(), is: try Repository.files(in: "Sources").filter { !$0.hasPrefix(".") })
  }

  /// The paths that a tree names, each line two spaces deeper than its folder.
  private func walk(_ lines: [String]) -> [String] {
    var folders: [String] = []
    var paths: [String] = []
    for line in lines {
      let depth = line.prefix { $0 == " " }.count / 2
      folders.removeLast(max(0, folders.count - depth))
      let names = String(line.drop { $0 == " " }.split(separator: "  ").first ?? "")
      for name in names.split(separator: ",").map({ trim($0) }) {
        paths.append(folders.joined() + name)
      }
      if names.hasSuffix("/") { folders.append(names) }
    }
    return paths
  }
}
