import NIOCore
import NIOHTTP1

/// Checks the head of a request, and allows or refuses it.
///
/// The order matters: a request without the secret learns nothing, not even which paths exist. The
/// table in docs/panel.md lists the cases.
struct Gate {
  /// The longest body, in bytes.
  static let longestBody = 4_096

  let secret: Secret
  let hosts: HostNames
  /// The cookie's name. It has the port, since browsers send a host's cookies to all of its ports.
  let cookie: String

  init(secret: Secret, hosts: HostNames, port: Int) {
    self.secret = secret
    self.hosts = hosts
    cookie = "eightball-\(port)"
  }

  /// What the request gets, or the reply that refuses it.
  func judge(_ head: HTTPRequestHead) -> Result<Passage, GateError> {
    let names = head.headers["Host"]
    guard names.count == 1, let host = names.first else {
      return refuse(.badRequest, "Send exactly one Host field.")
    }
    guard hosts.contains(host) else {
      return refuse(.misdirectedRequest, "The panel does not serve this host name.")
    }
    let (path, query) = Self.parts(of: head.uri)
    if path == "/", let token = query, head.method == .GET {
      return entrance(token)
    }
    guard knowsSecret(head) else {
      return refuse(.forbidden, "Open the address that eightball panel printed.")
    }
    guard query == nil, let (method, passage) = Self.paths[String(path)] else {
      return refuse(.notFound, "There is no such page.")
    }
    guard head.method == method else {
      return refuse(
        .methodNotAllowed, "Use \(method.rawValue).", headers: [("Allow", method.rawValue)])
    }
    guard isFromPage(head, host: host) else {
      return refuse(.forbidden, "Only the panel's own page may send this request.")
    }
    if method == .POST, let error = bodyError(head) { return .failure(error) }
    return .success(passage)
  }

  private static let paths: [String: (HTTPMethod, Passage)] = [
    "/": (.GET, .page), "/events": (.GET, .events), "/press": (.POST, .press),
    "/shake": (.POST, .shake), "/ask": (.POST, .ask), "/leave": (.POST, .leave),
    "/explore": (.POST, .explore), "/command": (.POST, .command),
  ]

  /// The path, and the query after "?".
  private static func parts(of uri: String) -> (Substring, Substring?) {
    guard let mark = uri.firstIndex(of: "?") else { return (uri[...], nil) }
    return (uri[..<mark], uri[uri.index(after: mark)...])
  }

  /// The first visit: moves the secret from the address to a cookie that scripts cannot read, and
  /// that other sites' pages do not send. It is not a redirect: a browser that follows a link from
  /// another site's page would not send the new cookie with the next request.
  private func entrance(_ query: Substring) -> Result<Passage, GateError> {
    let name = "token="
    guard query.hasPrefix(name), secret.isEqual(to: query.dropFirst(name.count)) else {
      return refuse(.forbidden, "Open the address that eightball panel printed.")
    }
    return .success(.entrance("\(cookie)=\(secret.text); Path=/; HttpOnly; SameSite=Strict"))
  }

  private func knowsSecret(_ head: HTTPRequestHead) -> Bool {
    let name = cookie + "="
    for field in head.headers["Cookie"] {
      for part in field.split(separator: ";") {
        let part = part.drop { $0 == " " }
        if part.hasPrefix(name), secret.isEqual(to: part.dropFirst(name.count)) { return true }
      }
    }
    return false
  }

  /// Whether the page sent this, or the user by the address bar. Pages on other ports of this host
  /// are of the same site, and send the cookie.
  private func isFromPage(_ head: HTTPRequestHead, host: String) -> Bool {
    let sites = head.headers["Sec-Fetch-Site"]
    let isUser = head.method == .GET && head.uri == "/"
    if !isUser, !sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) { return false }
    let origins = head.headers["Origin"]
    if origins.isEmpty { return head.method == .GET }
    return origins.allSatisfy { $0.lowercased() == "http://\(host.lowercased())" }
  }

  private func bodyError(_ head: HTTPRequestHead) -> GateError? {
    let types = head.headers["Content-Type"]
    let media = types.first?.lowercased().split(separator: ";").first ?? ""
    guard types.count == 1, media == "application/json" else {
      return GateError(reply: .error(.unsupportedMediaType, "Send application/json."))
    }
    if let length = head.headers.first(name: "Content-Length"),
      (Int(length) ?? .max) > Self.longestBody
    {
      return GateError(reply: .tooLong)
    }
    return nil
  }

  private func refuse(
    _ status: HTTPResponseStatus, _ words: String, headers: [(String, String)] = []
  ) -> Result<Passage, GateError> {
    .failure(GateError(reply: .error(status, words, headers: headers)))
  }
}

/// A reply that ends a request at the gate.
struct GateError: Error {
  let reply: Reply
}

extension Reply {
  /// The body is longer than the panel takes.
  static var tooLong: Reply {
    .error(.payloadTooLarge, "Send at most \(Gate.longestBody) bytes.")
  }
}

/// The names of the panel in the header field Host. Any other name means that another site's page
/// has bound its name to this address (DNS rebinding).
struct HostNames {
  private let names: Set<String>
  private let port: Int
  /// Whether any IP address is allowed as Host: DNS rebinding needs a name.
  private let takesAddresses: Bool

  /// - Parameters:
  ///   - listening: The host of --listen; `nil` for loopback.
  init(listening: String?, port: Int) {
    self.port = port
    var hosts = ["127.0.0.1", "localhost", "[::1]"]
    if let listening { hosts.append(Self.bracketed(listening.lowercased())) }
    names = Set(hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : []))
    takesAddresses = listening != nil
  }

  /// Whether `host`, a value of the header field Host, is the panel.
  func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    if names.contains(host) { return true }
    guard takesAddresses else { return false }
    let suffix = ":\(port)"
    // A URL leaves out port 80, and so does Host.
    guard host.hasSuffix(suffix) || port == 80 else { return false }
    let address = host.hasSuffix(suffix) ? host.dropLast(suffix.count) : host[...]
    let plain =
      address.hasPrefix("[") && address.hasSuffix("]")
      ? address.dropFirst().dropLast() : address
    return (try? SocketAddress(ipAddress: String(plain), port: port)) != nil
  }

  /// A host as in a URL.
  static func bracketed(_ host: String) -> String {
    host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
  }
}

/// A random text that cannot be guessed, such as the secret in the panel's address: 258 bits.
struct Secret {
  /// 43 characters of letters, digits, - and _.
  let text: String

  /// A new secret from the kernel's random numbers.
  init() {
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var random = SystemRandomNumberGenerator()
    text = String((0..<43).map { _ in characters[Int(random.next(upperBound: 64 as UInt))] })
  }

  /// Whether `guess` is the secret. Takes constant time for equal lengths.
  func isEqual(to guess: Substring) -> Bool {
    let guess = Array(guess.utf8)
    let own = Array(text.utf8)
    guard guess.count == own.count else { return false }
    return zip(own, guess).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
