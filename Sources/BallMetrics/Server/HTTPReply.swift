/// The result of a request. RFC 9110, 15; RFC 6585, 5.
enum HTTPStatus: Int {
  case ok = 200
  case badRequest = 400
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case uriTooLong = 414
  case requestHeaderFieldsTooLarge = 431
  case serviceUnavailable = 503
  case httpVersionNotSupported = 505

  var phrase: String {
    switch self {
    case .ok: "OK"
    case .badRequest: "Bad Request"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .uriTooLong: "URI Too Long"
    case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
    case .serviceUnavailable: "Service Unavailable"
    case .httpVersionNotSupported: "HTTP Version Not Supported"
    }
  }
}

/// A whole response, after which the connection is closed. RFC 9112.
///
/// It has no date: a machine without a real-time clock, such as a Raspberry Pi, may not send one
/// (RFC 9110, 6.6.1).
struct HTTPReply {
  let status: HTTPStatus
  let body: String
  let contentType: String

  /// The page.
  static func page(_ text: String) -> HTTPReply {
    HTTPReply(status: .ok, body: text, contentType: MetricsText.contentType)
  }

  /// A page that says what is wrong, in one sentence.
  static func failure(_ status: HTTPStatus, _ sentence: String? = nil) -> HTTPReply {
    HTTPReply(
      status: status, body: (sentence ?? "\(status.rawValue) \(status.phrase)") + "\n",
      contentType: "text/plain; charset=utf-8")
  }

  /// - Parameter hasBody: `false` for the reply to HEAD.
  func bytes(hasBody: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    if status == .methodNotAllowed { head += "Allow: GET, HEAD\r\n" }
    head += "Content-Type: \(contentType)\r\nContent-Length: \(body.utf8.count)\r\n"
    head += "Connection: close\r\n\r\n"
    return Array((hasBody ? head + body : head).utf8)
  }
}
