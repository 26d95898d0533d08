import Expectations
import LinuxTestSupport

@Suite("What hosts read of the repository")
struct RepositoryTests {
  @Test("The Swift Package Index builds the documentation of each module with a catalog")
  func catalogs() throws {
    let lines = try Document(".spi.yml").lines.map { trim($0) }
    let listed = lines.drop { $0 != "documentation_targets:" }.dropFirst()
      .prefix { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
    let modules = try Repository.files(in: "Sources").filter { module in
      module != ".." && Repository.exists("Sources/\(module)/\(module).docc")
    }
    expect(listed.sorted(), is: modules)
  }

  @Test("The changelog begins with the program's version, and its date")
  func version() throws {
    let headings = try Document("CHANGELOG.md").lines.filter { $0.hasPrefix("## ") }
    let released = try #require(headings.first { $0 != "## Unreleased" })
    let source = try Repository.text(of: "Sources/EightBall/EightBallProfile.swift")
    let version = try #require(released.split(separator: "]").first?.dropFirst("## [".count))
    expect(source.contains("static var version: StaticString { \"\(version)\" }"))
    let date: Substring = released.suffix("2026-11-23".count)
    let form: [Bool] = date.map { $0.isNumber }
    expect(form, is: "0000-00-00".map { $0 != "-" }, "\(released) has no date")
  }

  @Test("Hosted CI runs each part of .ci/run, with the Swift that README.md names")
  func workflow() throws {
    let lines = try Document(".github/workflows/ci.yml").lines.map { trim($0) }
    expect(lines.contains("run: .ci/run ${{ matrix.part }}"))
    let parts = lines.filter { $0.hasPrefix("- { part: ") }.compactMap { line in
      line.dropFirst("- { part: ".count).split(separator: ",").first.map(String.init)
    }
    // The parts are in the head of the script, three spaces deep.
    let listed = try Document(".ci/run").lines.prefix { $0.hasPrefix("#") }
      .filter { $0.hasPrefix("#   ") && $0.dropFirst(4).first != " " }
      .compactMap { $0.dropFirst(4).split(separator: " ").first.map(String.init) }
    expect(parts == listed && parts.count == 5)
    let manifest = try #require(try Document("Package.swift").lines.first)
    let version = try #require(manifest.split(separator: " ").last)
    expect(lines.contains { $0.hasPrefix("image: swift:\(version)-") })
  }

  @Test(
    "Each job has a time limit of at most half an hour", arguments: ["ci", "nightly", "release"])
  func limits(name: String) throws {
    let lines = try Document(".github/workflows/\(name).yml").lines.map { trim($0) }
    let limits = lines.filter { $0.hasPrefix("timeout-minutes: ") }
      .compactMap { Int($0.dropFirst("timeout-minutes: ".count)) }
    expect(limits.count, is: lines.count { $0.hasPrefix("runs-on: ") })
    expect(limits.allSatisfy { $0 <= 30 })
  }

  @Test("The container is built with the Swift of the packages")
  func container() throws {
    let lines = try Document("Containerfile").lines
    let version = try #require(
      try Document("Package.swift").lines.first?.split(separator: " ").last)
    expect(lines.contains { $0.hasPrefix("FROM docker.io/library/swift:\(version)-") })
  }
}
