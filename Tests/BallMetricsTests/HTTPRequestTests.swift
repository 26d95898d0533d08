import Testing

@testable import BallMetrics

@Suite("A request for metrics")
struct HTTPRequestTests {
  private static let request =
    "GET /metrics HTTP/1.1\r\nHost: localhost:9888\r\nAccept: */*\r\n\r\n"

  private func read(_ text: String) -> HTTPRequest? { HTTPRequest(Array(text.utf8)) }

  @Test("A request that is cut at any byte is incomplete")
  func truncated() {
    let bytes = Array(Self.request.utf8)
    for count in 0..<bytes.count { #expect(HTTPRequest(Array(bytes.prefix(count))) == nil) }
    #expect(HTTPRequest(bytes) == .get)
    // What follows, another request or a body, is ignored.
    #expect(HTTPRequest(bytes + Array("GET".utf8)) == .get)
  }

  @Test(
    "Valid requests are accepted",
    arguments: [
      ("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", HTTPRequest.get),
      ("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n", .head),
      // No Host in HTTP/1.0; lines that end with a line feed alone; an empty line first.
      ("GET /metrics HTTP/1.0\r\n\r\n", .get),
      ("GET /metrics HTTP/1.1\nhost:a\n\n", .get),
      ("\r\nGET /metrics HTTP/1.1\r\nHOST: a\r\n\r\n", .get),
      ("GET /metrics?format=text HTTP/1.1\r\nHost: a\r\n\r\n", .get),
      ("GET http://pi:9888/metrics HTTP/1.1\r\nHost: pi:9888\r\n\r\n", .get),
    ])
  func right(text: String, request: HTTPRequest) {
    #expect(read(text) == request)
  }

  @Test(
    "Each invalid request has its status",
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", HTTPStatus.notFound),
      ("GET /metrics/ HTTP/1.1\r\nHost: a\r\n\r\n", .notFound),
      ("GET /METRICS HTTP/1.1\r\nHost: a\r\n\r\n", .notFound),
      ("GET http://pi HTTP/1.1\r\nHost: pi\r\n\r\n", .notFound),
      ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .notFound),
      ("POST /metrics HTTP/1.1\r\nHost: a\r\n\r\n", .methodNotAllowed),
      ("get /metrics HTTP/1.1\r\nHost: a\r\n\r\n", .methodNotAllowed),
      ("GET /metrics HTTP/2.0\r\nHost: a\r\n\r\n", .httpVersionNotSupported),
      ("GET /metrics\r\n\r\n", .badRequest),
      ("GET  /metrics HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1 \r\nHost: a\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/11\r\nHost: a\r\n\r\n", .badRequest),
      ("GET /metrics http/1.1\r\nHost: a\r\n\r\n", .badRequest),
      ("G@T /metrics HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
      ("GET /m\u{1}etrics HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n", .badRequest),
      ("GET /metrics HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", .badRequest),
      ("\u{16}\u{3}\u{1}\n\n", .badRequest),
    ])
  func wrong(text: String, status: HTTPStatus) {
    #expect(read(text) == .refused(status))
  }

  @Test("A request without an end within 4,096 bytes is too long: its target, or its fields")
  func long() {
    let target = Array(("GET /" + String(repeating: "a", count: 5_000)).utf8)
    #expect(HTTPRequest(Array(target.prefix(4_095))) == nil)
    #expect(HTTPRequest(Array(target.prefix(4_096))) == .refused(.uriTooLong))
    let fields = Array(
      ("GET /metrics HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 1_000)).utf8)
    #expect(HTTPRequest(Array(fields.prefix(4_095))) == nil)
    #expect(HTTPRequest(Array(fields.prefix(4_096))) == .refused(.requestHeaderFieldsTooLarge))
    // Line ends alone are not a request.
    #expect(HTTPRequest([UInt8](repeating: 0x0A, count: 4_096)) == .refused(.uriTooLong))
  }
}
