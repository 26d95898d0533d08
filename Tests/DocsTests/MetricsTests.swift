import BallControl
import Expectations
import LinuxTestSupport

@Suite("docs/metrics.md")
struct MetricsTests {
  private let document: Document

  init() throws { document = try Document("docs/metrics.md") }

  @Test("The page has each metric, in the order of the program, with its help")
  func metrics() {
    let rows = document.rows(under: "## Metrics").filter { $0.count == 4 }
    let expected = Metric.all.map {
      ["`\($0.name)`", $0.kind.rawValue, $0.label.map { "`\($0)`" } ?? "", $0.help]
    }
    expect(rows, is: expected)
  }

  @Test("The page has the values of each label")
  func labels() {
    let rows = document.rows(under: "## Metrics").filter { $0.count == 2 }
    let documented = rows.map {
      $0[1].filter { $0 != "`" && $0 != " " }.split(separator: ",").map(String.init)
    }
    let expected = Metric.all.map { $0.labelValues }.filter { !$0.isEmpty }
    expect(Set(documented), is: Set(expected))
    expect(documented.count, is: expected.count)
  }

  @Test(
    "Each queried metric exists, and the dashboard shows all of them",
    arguments: ["docs/metrics.md", "docs/balls.rules.yml", "docs/grafana-balls.json"])
  func queries(path: String) throws {
    let known = Set(Metric.all.flatMap { $0.sampleNames })
    let text = try Repository.text(of: path)
    let used = Set(words(of: text).filter { $0.hasPrefix("eightball_") })
    let names = known.union(Metric.all.map { $0.name })
    expect(used.subtracting(names), is: [])
    if path.hasSuffix(".json") { expect(known.subtracting(used), is: []) }
  }

  /// The names in a text: letters, digits and underlines.
  private func words(of text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }
}
