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

  @Test(
    "A metrics address is a port, or a host and a port",
    arguments: [
      ("9888", "127.0.0.1:9888"), ("0", "127.0.0.1:0"), ("localhost:80", "localhost:80"),
      ("_:9888", "_:9888"), ("[::1]:9888", "[::1]:9888"), ("65535", "127.0.0.1:65535"),
      ("", nil), ("65536", nil), ("-1", nil), ("+1", nil), ("a", nil), (":9888", nil), ("a:", nil),
      ("::1:9888", nil), ("[]:1", nil), ("1:2:3", nil), ("a:b", nil),
    ] as [(String, String?)])
  func address(text: String, meaning: String?) {
    #expect(MetricsAddress(text)?.description == meaning)
  }

  @Test("A browser of this machine can open the page's address")
  func url() {
    #expect(
      MetricsAddress(host: "_", port: 0).url(atPort: 41_000) == "http://localhost:41000/metrics")
    #expect(MetricsAddress(host: "::1", port: 9).url(atPort: 9) == "http://[::1]:9/metrics")
  }
}
