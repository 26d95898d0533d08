import Expectations
import LinuxTestSupport

@Suite("Sources/CoreBluetooth/CoreBluetooth.docc/CoreBluetoothOnLinux.md")
struct CoreBluetoothTests {
  private let document: Document
  private let declared: Set<String>

  /// Members that every type has, or that the language requires. No table lists them.
  private static let unlisted: Set<String> = [
    "isEqual(_:)", "hash", "description", "copy(with:)", "rawValue", "init(rawValue:)", "init(_:)",
    "code", "errorDomain", "errorDescription", "==(one:other:)", "hash(into:)", "hashValue",
    // Foundation uses these to get the NSError of an error.
    "_nsError", "_nsErrorDomain", "init(_nsError:)", "_ErrorType", "_bridgeToObjectiveC()",
    "_forceBridgeFromObjectiveC(_:result:)", "_conditionallyBridgeFromObjectiveC(_:result:)",
    "_unconditionallyBridgeFromObjectiveC(_:)",
  ]

  init() throws {
    document = try Document("Sources/CoreBluetooth/CoreBluetooth.docc/CoreBluetoothOnLinux.md")
    declared = try Declarations.publicSymbols(in: "Sources/CoreBluetooth/API")
  }

  /// Every row of the tables of symbols.
  private var rows: [(symbol: String, status: String, note: String)] {
    document.lines.filter { $0.hasPrefix("### ") }.flatMap { document.rows(under: $0) }.map { row in
      (trim(row[0].filter { $0 != "`" }), row[1], row.count > 2 ? row[2] : "")
    }
  }

  @Test("a symbol that is done or differs exists, and an absent one does not")
  func statuses() {
    for row in rows {
      switch row.status {
      case "done", "differs":
        expect(declared.contains(row.symbol), "\(row.symbol) should exist")
        expect(row.status == "done" || !row.note.isEmpty, "\(row.symbol): how does it differ?")
      case "absent":
        expect(!row.note.isEmpty, "\(row.symbol): why?")
        let isShell = row.note == "declared, and not there yet"
        expect(declared.contains(row.symbol), is: isShell, "\(row.symbol) should be absent")
      default: Issue.record("\(row.symbol): \(row.status)")
      }
    }
  }

  @Test("every public symbol is listed once")
  func complete() {
    let symbols = rows.map(\.symbol)
    let listed = Set(symbols)
    expect(symbols.count, is: listed.count)
    let ours = Set(
      ["## Symbols that Apple's framework lacks", "## What Foundation lacks on Linux"]
        .flatMap { document.rows(under: $0) }.map { trim($0[0].filter { $0 != "`" }) })
    for symbol in declared.subtracting(listed).subtracting(ours).sorted() {
      let parts = symbol.split(separator: ".")
      let member = String(parts.last ?? "")
      // `CBError.unknown` is another way to write `CBError.Code.unknown`.
      let code = parts.count == 2 ? "\(parts[0]).Code.\(member)" : ""
      expect(Self.unlisted.contains(member) || listed.contains(code), "\(symbol) is in no table")
    }
  }

  @Test("the example is compiled with these tests")
  func example() throws {
    let source = try Repository.text(of: "Tests/DocsTests/Examples/Finder.swift")
    expect(document.blocks.first.map { ($0.text + "\n").hasPrefix(source) }, is: true)
  }

  @Test("the example of errors is compiled without a warning in another package")
  func errors() throws {
    let source = try Repository.text(of: "Examples/Tests/PortedTests/Switches.swift")
    expect(document.blocks.contains { $0.text + "\n" == source })
  }

  @Test("the counts of the symbols are right")
  func counts() {
    let count = { (status: String) in rows.count { $0.status == status } }
    let sentence =
      "Of \(rows.count) public symbols of Apple's, \(count("done")) are done, "
      + "\(count("differs")) differ, and \(count("absent")) are absent."
    expect(document.lines.joined(separator: " ").contains(sentence), "it should say: \(sentence)")
  }
}
