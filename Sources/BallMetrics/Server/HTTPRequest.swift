/// A client's request.
enum HTTPRequest: Equatable {
  /// The page.
  case get
  /// The page's head.
  case head
  /// An invalid or unsupported request.
  case refused(HTTPStatus)

  /// The longest request, in bytes.
  static let limit = 4_096

  /// Reads the head of a request and ignores what follows.
  ///
  /// RFC 9112, 2.2 and 3.
  ///
  /// - Returns: `nil` if the head is incomplete.
  init?(_ bytes: [UInt8]) {
    // An empty line before the request is skipped.
    var start = bytes.startIndex
    while start < bytes.endIndex, bytes[start] == 0x0D || bytes[start] == 0x0A { start += 1 }
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes[start...]
    while let end = rest.firstIndex(of: 0x0A) {
      var line = rest[..<end]
      if line.last == 0x0D { line.removeLast() }
      rest = rest[(end + 1)...]
      guard !line.isEmpty else {
        self = Self.request(lines)
        return
      }
      lines.append(line)
    }
    guard bytes.count >= Self.limit else { return nil }
    self = .refused(lines.isEmpty ? .uriTooLong : .requestHeaderFieldsTooLarge)
  }

  /// Whether these bytes begin a request whose reply has no content: RFC 9110, 9.3.2.
  static func isHead(_ bytes: [UInt8]) -> Bool {
    bytes.drop { $0 == 0x0D || $0 == 0x0A }.starts(with: "HEAD ".utf8)
  }

  private static func request(_ lines: [ArraySlice<UInt8>]) -> HTTPRequest {
    guard let first = lines.first else { return .refused(.badRequest) }
    let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, isToken(words[0]), isTarget(words[1]), isVersion(words[2]) else {
      return .refused(.badRequest)
    }
    let version = String(decoding: words[2], as: UTF8.self)
    guard version.hasPrefix("HTTP/1.") else { return .refused(.httpVersionNotSupported) }
    var hostCount = 0
    for line in lines.dropFirst() {
      guard let name = fieldName(of: line) else { return .refused(.badRequest) }
      if name.lowercased() == "host" { hostCount += 1 }
    }
    // RFC 9112, 3.2.
    guard hostCount == 1 || hostCount == 0 && version == "HTTP/1.0" else {
      return .refused(.badRequest)
    }
    guard path(of: String(decoding: words[1], as: UTF8.self)) == "/metrics" else {
      return .refused(.notFound)
    }
    switch String(decoding: words[0], as: UTF8.self) {
    case "GET": return .get
    case "HEAD": return .head
    default: return .refused(.methodNotAllowed)
    }
  }

  /// The path of a request's target, without its query: RFC 9112, 3.2.1 and 3.2.2.
  private static func path(of target: String) -> Substring {
    var rest = target[...]
    if rest.lowercased().hasPrefix("http://") {
      rest = rest.dropFirst(7)
      rest = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
    }
    return rest.prefix { $0 != "?" }
  }

  /// The name of a header field; `nil` if the line has none.
  private static func fieldName(of line: ArraySlice<UInt8>) -> String? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]),
      line[colon...].allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    return String(decoding: line[..<colon], as: UTF8.self)
  }

  /// RFC 9110, 5.6.2.
  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy {
        switch $0 {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
      }
  }

  private static func isTarget(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// `HTTP/` and two digits: RFC 9112, 2.3.
  private static func isVersion(_ bytes: ArraySlice<UInt8>) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let bytes = Array(bytes)
    return bytes.count == 8 && bytes.starts(with: "HTTP/".utf8) && digits.contains(bytes[5])
      && bytes[6] == UInt8(ascii: ".") && digits.contains(bytes[7])
  }
}
