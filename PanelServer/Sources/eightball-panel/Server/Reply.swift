import NIOHTTP1

/// A response: its status, its own header fields and its body.
struct Reply {
  /// The status.
  var status: HTTPResponseStatus
  /// Header fields in addition to those of each response.
  var headers: [(String, String)] = []
  /// The body.
  var body: [UInt8]

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
    json(status, "{\"detail\":\(JSONValue.escaped(words))}")
  }
}
