import Testing

@Suite("Links")
struct LinkTests {
  @Test(
    "lead to files of the repository",
    arguments: [
      "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/data-path.md",
      "docs/gatt-profile.md", "docs/porting.md", "docs/virtual-radio.md",
    ])
  func links(path: String) throws {
    let folder = path.contains("/") ? "docs/" : ""
    for line in try Document(path).prose {
      for part in line.split(separator: "](").dropFirst() {
        let target = part.prefix { $0 != ")" && $0 != "#" }
        guard !target.isEmpty, !target.hasPrefix("https://") else { continue }
        #expect(Document.exists(folder + target), "\(path): there is no \(target)")
      }
    }
  }
}
