/// The host and TCP port of a metrics server, as a person gives them.
struct MetricsAddress: Equatable, Sendable, CustomStringConvertible {
  /// A name or an address of this machine; `_` is all of its addresses.
  var host: String
  /// The port; 0 for one that the kernel chooses.
  var port: UInt16

  /// The accepted forms, for messages.
  static let forms = "PORT or HOST:PORT, such as 9888 or 127.0.0.1:9888"

  /// An address with these parts.
  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads HOST:PORT, or PORT on this machine's loopback. An IPv6 address needs brackets.
  ///
  /// - Returns: `nil` for any other text.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else {
      guard let port = Self.port(text[...]) else { return nil }
      self.init(host: "127.0.0.1", port: port)
      return
    }
    guard let port = Self.port(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  private static func port(_ text: Substring) -> UInt16? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt16(text)
  }

  /// HOST:PORT.
  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The URL of the page for a browser on this machine.
  ///
  /// - Parameter port: The port that the kernel has chosen.
  func url(atPort port: UInt16) -> String {
    let host = host == "_" ? "localhost" : host
    return "http://\(MetricsAddress(host: host, port: port))/metrics"
  }
}
