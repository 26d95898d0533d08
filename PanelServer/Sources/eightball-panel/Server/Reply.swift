import NIOHTTP1

/// A response: its status, its own header fields and its body.
struct Reply: Sendable {
  /// The status.
  var status: HTTPResponseStatus
  /// Header fields in addition to those of each response.
  var headers: [(String, String)] = []
  /// The body.
  var body: [UInt8]
  /// What the body may load and run, as directives of its content security policy: nothing.
  var sources = ""

  /// The head of the response. No other page can read or frame it, and it runs and loads nothing
  /// but its sources.
  var head: HTTPResponseHead {
    let policy =
      "default-src 'none'; \(sources)base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    let fields = [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
      ("Connection", "close"),
    ]
    return HTTPResponseHead(
      version: .http1_1, status: status, headers: HTTPHeaders(fields + headers))
  }

  /// A refusal with a text that reveals nothing about the ball or the panel's state.
  static func refusal(
    _ status: HTTPResponseStatus, _ words: String, headers: [(String, String)] = []
  ) -> Reply {
    Reply(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")] + headers,
      body: Array((words + "\n").utf8))
  }

  /// A JSON text, for the page.
  static func json(_ status: HTTPResponseStatus, _ text: String) -> Reply {
    Reply(
      status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
  }

  /// A text for the page, as `{"detail": …}`.
  static func detail(_ status: HTTPResponseStatus, _ words: String) -> Reply {
    json(status, "{\"detail\":\(JSON.quoted(words))}")
  }
}
