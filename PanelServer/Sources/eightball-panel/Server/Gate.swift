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
  func judge(_ head: HTTPRequestHead) -> Result<Passage, Refusal> {
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
    if method == .POST, let refusal = refusalOfBody(head) { return .failure(refusal) }
    return .success(passage)
  }

  private static let paths: [String: (HTTPMethod, Passage)] = [
    "/": (.GET, .page), "/events": (.GET, .events), "/press": (.POST, .press),
    "/ask": (.POST, .ask), "/leave": (.POST, .leave),
  ]

  /// The path, and the query after "?".
  private static func parts(of uri: String) -> (Substring, Substring?) {
    guard let mark = uri.firstIndex(of: "?") else { return (uri[...], nil) }
    return (uri[..<mark], uri[uri.index(after: mark)...])
  }

  /// The first visit: moves the secret from the address to a cookie that scripts cannot read, and
  /// that other sites' pages do not send. It is no redirect: a browser that follows a link from
  /// another site's page would not send the new cookie with the next request.
  private func entrance(_ query: Substring) -> Result<Passage, Refusal> {
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

  private func refusalOfBody(_ head: HTTPRequestHead) -> Refusal? {
    let types = head.headers["Content-Type"]
    let media = types.first?.lowercased().split(separator: ";").first ?? ""
    guard types.count == 1, media == "application/json" else {
      return Refusal(reply: .refusal(.unsupportedMediaType, "Send application/json."))
    }
    if let length = head.headers.first(name: "Content-Length"),
      (Int(length) ?? .max) > Self.longestBody
    {
      return Refusal(reply: .tooLong)
    }
    return nil
  }

  private func refuse(
    _ status: HTTPResponseStatus, _ words: String, headers: [(String, String)] = []
  ) -> Result<Passage, Refusal> {
    .failure(Refusal(reply: .refusal(status, words, headers: headers)))
  }
}

/// A reply that ends a request at the gate.
struct Refusal: Error {
  let reply: Reply
}

extension Reply {
  /// The body is longer than the panel takes.
  static var tooLong: Reply {
    .refusal(.payloadTooLarge, "Send at most \(Gate.longestBody) bytes.")
  }
}
