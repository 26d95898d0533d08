import NIOCore
import NIOHTTP1

/// Serves the figures of balls, for Prometheus: GET and HEAD of `/metrics`. Used only on the loop's
/// thread.
final class MetricsService: HTTPService {
  /// The most clients at once; a further one replaces the oldest.
  static let mostConnections = 8

  let limits = HTTPLimits(
    requestLine: 4_096, head: 4_096, replyTimeout: .seconds(5), closeTimeout: .seconds(1))
  private let gate: MetricsGate
  private let balls: Balls
  /// The clients, the oldest first.
  private var connections: [any Channel] = []
  /// The clients that wait for the figures.
  private var waiting: [@Sendable (Reply) -> Void] = []

  init(_ gate: MetricsGate, balls: Balls) {
    self.gate = gate
    self.balls = balls
  }

  func connectionBegins(_ channel: any Channel) -> Bool {
    connections.append(channel)
    if connections.count > Self.mostConnections {
      connections.removeFirst().close(promise: nil)
    }
    return true
  }

  func connectionEnded(_ channel: any Channel) { connections.removeAll { $0 === channel } }

  func judge(_ head: HTTPRequestHead) -> Result<Passage, GateError> { gate.judge(head) }

  /// All clients that wait get the same figures.
  func serve(
    _ passage: Passage, _ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void
  ) {
    waiting.append(reply)
    if waiting.count == 1 { balls.ask(.figures) }
  }

  /// Replies to the clients that wait.
  func answer(_ reply: Reply) {
    let waiting = self.waiting
    self.waiting = []
    for client in waiting { client(reply) }
  }
}

/// Checks a request for metrics. It needs no secret: Prometheus has none, and the figures contain
/// no address, name or question.
struct MetricsGate {
  /// The host of the option; `_` for all addresses of this machine.
  let listen: String

  /// What the request gets, or the reply that refuses it.
  func judge(_ head: HTTPRequestHead) -> Result<Passage, GateError> {
    let hosts = head.headers["Host"]
    // RFC 9112, 3.2.
    guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0 else {
      return refuse(.badRequest)
    }
    let (authority, path) = Self.parts(of: head.uri)
    for host in hosts + (authority.map { [String($0)] } ?? []) where !isOwn(host) {
      return refuse(.misdirectedRequest)
    }
    guard path == "/metrics" else { return refuse(.notFound) }
    guard head.method == .GET || head.method == .HEAD else {
      return refuse(.methodNotAllowed, headers: [("Allow", "GET, HEAD")])
    }
    guard isNoOtherSite(head, host: hosts.first) else { return refuse(.forbidden) }
    return .success(.metrics)
  }

  /// The authority, if the target is a whole URL, and the path without its query: RFC 9112, 3.2.1
  /// and 3.2.2.
  private static func parts(of target: String) -> (Substring?, Substring) {
    let beginning = "http://"
    guard target.lowercased().hasPrefix(beginning) else {
      return (nil, target.prefix { $0 != "?" })
    }
    let rest = target.dropFirst(beginning.count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    return (rest[..<end], rest[end...].prefix { $0 != "?" })
  }

  /// Whether a value of Host is this machine. An address always is, also behind a tunnel to another
  /// port: another site's page that has bound its name to this address (DNS rebinding) sends the
  /// name. On all addresses this machine has names that it does not know.
  private func isOwn(_ host: String) -> Bool {
    if listen == "_" { return true }
    var name = host.lowercased()
    if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isNumber)
    {
      name = String(name[..<colon])
    }
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    return name == "localhost" || name == listen.lowercased()
      || (try? SocketAddress(ipAddress: name, port: 0)) != nil
  }

  /// Whether no page of another site has sent it. A link to it on another site's page is followed.
  private func isNoOtherSite(_ head: HTTPRequestHead, host: String?) -> Bool {
    let isLink = head.headers["Sec-Fetch-Mode"] == ["navigate"]
    let sites = head.headers["Sec-Fetch-Site"]
    guard isLink || sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return false }
    return head.headers["Origin"].allSatisfy { origin in
      host.map { origin.lowercased() == "http://\($0.lowercased())" } ?? false
    }
  }

  private func refuse(
    _ status: HTTPResponseStatus, headers: [(String, String)] = []
  ) -> Result<Passage, GateError> {
    .failure(
      GateError(
        reply: .error(status, "\(status.code) \(status.reasonPhrase)", headers: headers)))
  }
}
