import Expectations
import LinuxTestSupport

@Suite("Links")
struct LinkTests {
  /// The pages at the top of the repository, and all of docs/ and its folder of the design.
  static func pages() throws -> [String] {
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
    return top + (try documentation()) + ["boards/README.md"]
  }

  /// The pages of docs/, and of its folder of the design.
  static func documentation() throws -> [String] {
    try ["docs/", "docs/design/"].flatMap { folder in
      try Repository.files(in: folder).filter { $0.hasSuffix(".md") }.map { folder + $0 }
    }
  }

  @Test("Links lead to files and headings of the repository", arguments: try pages())
  func links(path: String) throws {
    let folder = path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    for line in try Document(path).prose {
      for part in line.split(separator: "](").dropFirst() {
        let target = part.prefix { $0 != ")" }
        guard !target.hasPrefix("https://") else { continue }
        let parts = target.split(separator: "#", omittingEmptySubsequences: false)
        let file = parts[0].isEmpty ? path : resolve(folder + parts[0])
        expect(Repository.exists(file), "\(path): there is no \(file)")
        if parts.count > 1, file.hasSuffix(".md"), Repository.exists(file) {
          let anchors = try Document(file).prose.filter { $0.hasPrefix("#") }.map { anchor(of: $0) }
          expect(anchors.contains(String(parts[1])), "\(path): \(file) has no #\(parts[1])")
        }
      }
    }
  }

  @Test(
    "Each page of the tutorial ends with a link to the next",
    arguments: [
      ("README.md", "docs/first-evening.md"), ("docs/first-evening.md", "raspberry-pi.md"),
      ("docs/raspberry-pi.md", "testing-apps.md"), ("docs/testing-apps.md", "own-peripheral.md"),
    ])
  func tutorial(page: String, next: String) throws {
    let lines = try Document(page).lines.reversed().drop { $0.isEmpty }
    expect(lines.prefix { !$0.isEmpty }.contains { $0.contains("](\(next))") })
  }

  /// A path without the folders that `..` leaves.
  private func resolve(_ path: String) -> String {
    var folders: [Substring] = []
    for part in path.split(separator: "/") {
      if part == "..", !folders.isEmpty { folders.removeLast() } else { folders.append(part) }
    }
    return folders.joined(separator: "/")
  }

  /// The anchor of a heading, as GitHub makes it.
  private func anchor(of heading: String) -> String {
    trim(heading.drop { $0 == "#" }).lowercased()
      .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
      .map { $0 == " " ? "-" : String($0) }.joined()
  }
}
