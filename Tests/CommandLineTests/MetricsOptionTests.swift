import BallMetrics
import BallRunner
import BluetoothHost
import Testing

@testable import eightball

@Suite("Metrics on the command line")
struct MetricsOptionTests {
  @Test("A ball serves figures only with --metrics, by default on loopback")
  func run() throws {
    #expect(try Run.parse([]).metrics == nil)
    #expect(
      try Run.parse(["--metrics", "9888"]).metrics
        == MetricsAddress(host: "127.0.0.1", port: 9_888))
    #expect(
      try Run.parse(["--metrics", "_:0"]).metrics
        == MetricsAddress(host: "_", port: 0))
  }

  @Test("A wrong address is refused with the right forms", arguments: ["", "x", "65536", "host:"])
  func wrong(value: String) throws {
    let error = #expect(throws: (any Error).self) { try Run.parse(["--metrics", value]) }
    let message = Run.message(for: try #require(error))
    #expect(message.hasSuffix("expected PORT or HOST:PORT, such as 9888 or 127.0.0.1:9888"))
  }

  @Test("eightball metrics requires an address, and takes any number of balls")
  func metrics() throws {
    #expect(throws: (any Error).self) { try Metrics.parse([]) }
    let command = try Metrics.parse(["--listen", "9888", "--control", "/a", "--control", "/b"])
    #expect(command.listen == MetricsAddress(host: "127.0.0.1", port: 9_888))
    #expect(command.control == ["/a", "/b"])
  }

  @Test("The line says the URL, for people and as JSON")
  func line() {
    let address = MetricsAddress(host: "::1", port: 0)
    #expect(address.line(port: 41_000, isJSON: false) == "Metrics: http://[::1]:41000/metrics")
    #expect(
      address.line(port: 41_000, isJSON: true)
        == #"{"event":"metrics","url":"http://[::1]:41000/metrics"}"#)
  }

  @Test("The figures that a ball sends are read back")
  func figures() throws {
    var figures = BallFigures()
    for number in 0..<Figure.count {
      Figure(rawValue: number).map { figures[$0] = UInt64(1_000 + number) }
    }
    var line = ByteBuffer<2_048>()
    line.write { $0.writeJSON(figures) }
    let bytes = line.span.indices.map { line.span[$0] }
    let read = try #require(FiguresLine(bytes))
    #expect(read.event == "figures")
    #expect(read.version == "0.2.0")
    #expect(read.figures == figures)
    // Truncated at any byte, it is refused.
    for count in bytes.indices {
      #expect(FiguresLine(Array(bytes.prefix(count))) == nil)
    }
  }

  @Test(
    "Figures that a ball lacks are 0, and unknown figures are ignored")
  func otherVersions() throws {
    let text = #"{"event":"figures","version":"9.0.0","questions":8,"wishes":3}"#
    let read = try #require(FiguresLine(Array(text.utf8)))
    var expected = BallFigures()
    expected[.questions] = 8
    #expect(read.figures == expected)
  }
}
