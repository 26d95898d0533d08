import Expectations
import LinuxTestSupport

@Suite("Sources/EightBallKit/EightBallKit.docc/UsingEightBallKit.md")
struct EightBallKitTests {
  private let document: Document
  private let declared: Set<String>

  init() throws {
    document = try Document("Sources/EightBallKit/EightBallKit.docc/UsingEightBallKit.md")
    declared = try ["", "/Central", "/Peripheral", "/Words"].reduce(into: []) {
      $0.formUnion(try Declarations.publicSymbols(in: "Sources/EightBallKit" + $1))
    }
  }

  @Test(
    "a type's table lists exactly its events, options and errors",
    arguments: [
      "BallCentral.Event", "BallPeripheral.Event", "NearbyDevices.Event", "BallCentral.Options",
      "BallPeripheral.Options", "BallPeripheral.AnswerStyle", "BallError", "RejectionReason",
    ])
  func table(type: String) {
    let rows = document.rows(under: "### `\(type)`")
    let listed = rows.map { String($0[0].filter { $0 != "`" && $0 != "." }.prefix { $0 != "(" }) }
    let prefix = type + "."
    // Members of every error. No table lists them.
    let common: Set =
      type.hasPrefix("Ball") && type != "BallError"
      ? [] : ["underlyingError", "slug", "rejection", "errorDescription"]
    let members = declared.filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
    .filter { !$0.contains("(") && $0 != "description" && !common.contains($0) }
    expect(!members.isEmpty)
    expect(listed.sorted(), is: members.sorted())
    expect(
      rows.allSatisfy { $0.count > 1 && !($0.last ?? "").isEmpty }, "each row has a description")
  }

  @Test("the defaults of the options match the source", arguments: ["Central", "Peripheral"])
  func defaults(side: String) throws {
    let source = try Document("Sources/EightBallKit/\(side)/Ball\(side).swift")
    let rows = document.rows(under: "### `Ball\(side).Options`")
    expect(!rows.isEmpty)
    for row in rows {
      let name = row[0].filter { $0 != "`" }
      let line = source.lines.first { trim($0).hasPrefix("public var \(name)") }
      let value = line.map { trim($0.split(separator: "=").dropFirst().joined()) }
      expect(row[1].filter { $0 != "`" } == (value == "" ? "nil" : value), "\(name)")
    }
  }

  @Test("the slugs of the errors match the source")
  func slugs() throws {
    let source = try Document("Sources/EightBallKit/BallError.swift")
    let ours = source.lines.map { trim($0) }.filter { $0.contains("\"ITCB-SDK-") }.map { line in
      let parts = line.split(separator: "\"")
      return [String(parts[0].dropFirst("case .".count).prefix { $0 != ":" }), String(parts[1])]
    }
    let listed = ["BallError", "RejectionReason"].flatMap { document.rows(under: "### `\($0)`") }
      .map { row in
        [String(row[0].filter { $0 != "`" && $0 != "." }.prefix { $0 != "(" }), row[1]]
          .map { $0.filter { $0 != "`" } }
      }
    expect(ours.count, is: 9)
    expect(listed, is: ours)
  }

  @Test("every method of an observer is named")
  func observers() {
    let text = document.lines.joined(separator: "\n")
    let methods = declared.filter {
      $0.hasPrefix("BallObserver.") || $0.hasPrefix("BallCentralObserver.")
        || $0.hasPrefix("BallPeripheralObserver.")
    }
    expect(methods.count, is: 8)
    for method in methods {
      let name = method.drop { $0 != "." }.dropFirst()
      expect(text.contains("`\(name)`"), "\(name) is not named")
    }
  }
}
