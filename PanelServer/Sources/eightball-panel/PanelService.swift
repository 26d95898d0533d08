import BallControl
import Glibc
import struct LinuxRadio.SystemError
import NIOCore
import NIOHTTP1

/// The panel: its page, the streams of open pages, and what they ask for. Used only on the loop's
/// thread.
final class PanelService: HTTPService {
  /// The most connections at once; further ones are closed at once.
  static let mostConnections = 64
  /// The most pages at once.
  static let mostPages = 8
  /// The most programs for one task at once: as many centrals as a ball serves.
  static let mostChildren = 4

  let limits = HTTPLimits(
    requestLine: 2_048, head: 8_192, replyTimeout: .seconds(15), closeTimeout: .seconds(15))
  /// The options of the command line.
  let options: PanelOptions
  let balls: Balls
  private let children: Children
  private let file = PageFile()
  /// Checks requests; `nil` until the port is known, which it needs.
  private var gate: Gate?
  private var connections = 0
  private var running: [PageTask: Int] = [:]
  private var streams: [Int: PageStream] = [:]
  private var lastPage = 0

  init(_ options: PanelOptions, balls: Balls, children: Children) {
    self.options = options
    self.balls = balls
    self.children = children
  }

  /// The panel listens on this port, for those who know the secret.
  func listens(on port: Int, secret: Secret) {
    gate = Gate(secret: secret, hosts: HostNames(listening: options.listen, port: port), port: port)
  }

  // MARK: HTTPService

  func connectionBegins(_ channel: any Channel) -> Bool {
    guard connections < Self.mostConnections else { return false }
    connections += 1
    return true
  }

  func connectionEnded(_ channel: any Channel) { connections -= 1 }

  func judge(_ head: HTTPRequestHead) -> Result<Passage, GateError> {
    // No connection is accepted before the port is known.
    gate?.judge(head) ?? .failure(GateError(reply: .error(.serviceUnavailable, "Try again.")))
  }

  func serve(
    _ passage: Passage, _ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void
  ) {
    switch passage {
    case .page: reply(file.reply())
    case .entrance(let cookie): reply(file.reply([("Set-Cookie", cookie)]))
    case .press: reply(press(body))
    case .shake: reply(shake(body))
    case .leave: reply(leave(body))
    case .ask: reply(ask(body))
    case .explore: reply(explore(body))
    case .command: reply(command(body))
    case .events, .metrics: break
    }
  }

  func openStream(on channel: any Channel) -> PageStream? {
    guard streams.count < Self.mostPages else { return nil }
    lastPage += 1
    let stream = PageStream(page: lastPage, panel: self, channel: channel)
    streams[lastPage] = stream
    return stream
  }

  // MARK: Pages

  /// A page has closed.
  func closeStream(_ page: Int) { streams[page] = nil }

  /// Takes the events of the pages' connections to the ball.
  func take(_ events: PageClients.Events) {
    for (page, event) in events { streams[page]?.take(event) }
    for page in Set(events.map { $0.page }) { streams[page]?.flush() }
  }

  /// Starts a program for this task of a page, which gets its lines, and its end.
  func start(
    _ command: [String], for task: PageTask, of page: PageStream, on loop: any EventLoop
  ) throws(GateError) -> PageChild {
    guard running[task, default: 0] < Self.mostChildren else {
      throw GateError(
        reply: .detail(
          .tooManyRequests,
          "\(Self.mostChildren) pages have a central already: disconnect one, or close its page."))
    }
    do throws(SystemError) {
      let child = try PageChild(command, for: task, of: children, loop: loop) {
        [weak page] child, line in
        page?.take(line, from: child)
      } onEnd: { [self, weak page] child in
        running[task, default: 0] -= 1
        page?.ended(child)
      }
      running[task, default: 0] += 1
      return child
    } catch {
      throw GateError(reply: .detail(.badGateway, "\(command[0]) cannot be started."))
    }
  }

  /// `{"page":1,"button":"shake","down":true}`: presses a button, until its release or the end of
  /// the page.
  private func press(_ body: ByteBufferView) -> Reply {
    guard let request = ControlLine(Array(body)), let page = request.page,
      let button = request.text("button"), ["shake", "clear"].contains(button),
      let isDown = request.truth("down")
    else { return .detail(.badRequest, "Expected page, button (shake or clear) and down.") }
    return send("\(isDown ? "down" : "up") \(button)", for: page)
  }

  /// `{"page":1}`: shakes the ball in the hand. The page receives an event if the ball refuses that.
  private func shake(_ body: ByteBufferView) -> Reply {
    guard let page = ControlLine(Array(body))?.page else {
      return .detail(.badRequest, "Expected page.")
    }
    return send("move", for: page)
  }

  /// Sends a request of a page to the ball.
  private func send(_ request: String, for page: Int) -> Reply {
    guard let stream = streams[page] else { return .notOpen }
    guard stream.request(request) else { return .detail(.conflict, stream.absence) }
    return .json(.accepted, "{}")
  }

  /// `{"page":1,"question":"Will it rain?"}`: asks with a real central. The page receives the lines of
  /// `eightball ask --stay --json`.
  private func ask(_ body: ByteBufferView) -> Reply {
    guard let request = ControlLine(Array(body)), let page = request.page,
      let question = request.text("question")
    else { return .detail(.badRequest, "Expected page and question.") }
    guard question.isLine(upTo: 512) else {
      return .detail(
        .badRequest, "A question is one line of 1 to 512 bytes of UTF-8 without zeros.")
    }
    return streams[page]?.ask(question) ?? .notOpen
  }

  /// `{"page":1}`: lists the devices nearby. `{"page":1,"device":"Thermometer","pairs":true}`: connects
  /// to one. The page receives the lines of `eightball scan --json` or `eightball gatt --json`.
  private func explore(_ body: ByteBufferView) -> Reply {
    guard let request = ControlLine(Array(body)), let page = request.page else {
      return .detail(.badRequest, "Expected page.")
    }
    let device = request.text("device")
    guard device?.isLine(upTo: 248) ?? true else {
      return .detail(.badRequest, "A device is an address, or a name of 1 to 248 bytes of UTF-8.")
    }
    return streams[page]?.explore(device, pairs: request.truth("pairs") ?? false) ?? .notOpen
  }

  /// `{"page":1,"line":"read 2A19"}`: a command to the device of the page, or an answer to a pairing.
  private func command(_ body: ByteBufferView) -> Reply {
    guard let request = ControlLine(Array(body)), let page = request.page,
      let line = request.text("line"), line.isLine(upTo: 2_048)
    else { return .detail(.badRequest, "Expected page and line.") }
    return streams[page]?.command(line) ?? .notOpen
  }

  /// `{"page":1,"task":"ask"}`: disconnects the page's central.
  private func leave(_ body: ByteBufferView) -> Reply {
    guard let request = ControlLine(Array(body)), let page = request.page,
      let task = request.text("task").flatMap(PageTask.init)
    else { return .detail(.badRequest, "Expected page and task (ask or explore).") }
    return streams[page]?.leave(task) ?? .notOpen
  }
}

extension String {
  /// Whether it is one line of 1 to `limit` bytes without zeros, as a program's argument or input.
  fileprivate func isLine(upTo limit: Int) -> Bool {
    (1...limit).contains(utf8.count) && !utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\n") }
  }
}

extension ControlLine {
  /// The number of the page that a request names.
  fileprivate var page: Int? { number("page").flatMap { Int(exactly: $0) } }
}

extension Reply {
  /// The page that a request names is not open.
  fileprivate static var notOpen: Reply { .detail(.conflict, "This page is not connected.") }
}

/// Prints the panel's address on stdout when it is ready, and notes about it on stderr.
struct Announcement {
  let options: PanelOptions
  let port: Int
  let secret: Secret

  /// - Returns: False, with `errno` set, if the address cannot be written.
  func print() -> Bool {
    if options.listen != nil {
      note(
        "Warning: the connection is not encrypted. Anyone with this address, or on this network, "
          + "can read questions, ask, and press the ball's buttons.")
    }
    note("Open this address in a browser. Control-C ends the panel.")
    for host in hosts {
      let address = "http://\(HostNames.bracketed(host)):\(port)/?token=\(secret.text)"
      guard printLine(address, to: STDOUT_FILENO) else { return false }
    }
    return true
  }

  /// The hosts by which a browser reaches the panel.
  private var hosts: [String] {
    guard let listen = options.listen else { return [PanelOptions.loopback] }
    guard ["0.0.0.0", "::"].contains(listen) else { return [listen] }
    let devices = (try? System.enumerateDevices()) ?? []
    let addresses = devices.compactMap { $0.address }.filter { $0.protocol == .inet }
    let own = addresses.compactMap { $0.ipAddress }.filter { !$0.hasPrefix("127.") }
    return own.isEmpty ? [PanelOptions.loopback] : own
  }

  private func note(_ words: String) { printLine(words, to: STDERR_FILENO) }
}

/// The page: the file Page/panel.html.
struct PageFile {
  /// The page without the start tags of its style and its script, where it is cut.
  private let parts: [ArraySlice<UInt8>]

  /// The page of this program.
  init() {
    let page = PackageResources.panel_html
    let style = Self.position(of: "<style>", in: page, from: 0)
    let script = Self.position(of: "<script>", in: page, from: style)
    parts = [
      page[..<style], page[style..<script].dropFirst("<style>".count),
      page[script...].dropFirst("<script>".count),
    ]
  }

  /// The reply with the page. Its policy names the one style and the one script by a new random
  /// text: Content Security Policy Level 3, 2.3.1.
  func reply(_ headers: [(String, String)] = []) -> Reply {
    let nonce = Secret().text
    var reply = Reply(
      status: .ok, headers: [("Content-Type", "text/html; charset=utf-8")] + headers,
      body: Array(parts[0]))
    for (tag, part) in [("style", parts[1]), ("script", parts[2])] {
      reply.body += Array("<\(tag) nonce=\"\(nonce)\">".utf8)
      reply.body += part
    }
    reply.sources =
      "script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data:; "
      + "connect-src 'self'; "
    return reply
  }

  /// The position of `text`; the end of the page if it is missing.
  private static func position(of text: String, in page: [UInt8], from start: Int) -> Int {
    let text = Array(text.utf8)
    var index = start
    while index + text.count <= page.count {
      if page[index..<index + text.count].elementsEqual(text) { return index }
      index += 1
    }
    return page.count
  }
}
