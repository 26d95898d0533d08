import BallControl
import NIOCore
import NIOHTTP1

import struct LinuxSystem.SystemError

/// The panel: its page, the streams of open pages, and what they ask for. Used only on the loop's
/// thread.
final class PanelService: HTTPService {
  /// The most connections at once; further ones are closed at once.
  static let mostConnections = 64
  /// The most pages at once.
  static let mostPages = 8
  /// The most centrals at once: as many as a ball serves.
  static let mostCentrals = 4

  let limits = HTTPLimits(
    requestLine: 2_048, head: 8_192, replyTimeout: .seconds(15), closeTimeout: .seconds(15))
  /// The options of the command line.
  let options: PanelOptions
  let balls: Balls
  private let children: AskChildren
  private let file = PageFile()
  /// Checks requests; `nil` until the port is known, which it needs.
  private var gate: Gate?
  private var connections = 0
  private var centrals = 0
  private var streams: [Int: PageStream] = [:]
  private var lastPage = 0

  init(_ options: PanelOptions, balls: Balls, children: AskChildren) {
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

  func judge(_ head: HTTPRequestHead) -> Result<Passage, Refusal> {
    // No connection is accepted before the port is known.
    gate?.judge(head) ?? .failure(Refusal(reply: .refusal(.serviceUnavailable, "Try again.")))
  }

  func serve(
    _ passage: Passage, _ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void
  ) {
    switch passage {
    case .page: reply(file.reply())
    case .entrance(let cookie): reply(file.reply([("Set-Cookie", cookie)]))
    case .press: reply(press(body))
    case .leave: reply(leave(body))
    case .ask: ask(body, reply: reply)
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

  /// Starts a central by this command. `onEnd` is called once, when it has ended.
  func startCentral(
    _ command: [String], on loop: any EventLoop, onEnd: @escaping () -> Void
  ) throws(Refusal) -> PageCentral {
    guard centrals < Self.mostCentrals else {
      throw Refusal(
        reply: .detail(
          .tooManyRequests,
          "\(Self.mostCentrals) pages have a central already: disconnect one, or close its page."))
    }
    do throws(SystemError) {
      let central = try PageCentral(command, of: children, loop: loop) { [self] in
        centrals -= 1
        onEnd()
      }
      centrals += 1
      return central
    } catch {
      throw Refusal(reply: .detail(.badGateway, "\(command[0]) cannot be started."))
    }
  }

  /// `{"page":1,"button":"shake","down":true}`: presses a button, until its release or the end of
  /// the page.
  private func press(_ body: ByteBufferView) -> Reply {
    guard let request = ControlLine(Array(body)), let page = request.page,
      let button = request.text("button"), ["shake", "clear"].contains(button),
      let isDown = request.truth("down")
    else { return .detail(.badRequest, "Expected page, button (shake or clear) and down.") }
    guard let stream = streams[page] else { return .notOpen }
    guard stream.request("\(isDown ? "down" : "up") \(button)") else {
      return .detail(.conflict, PageStream.noBall)
    }
    return .json(.accepted, "{}")
  }

  /// `{"page":1,"question":"Will it rain?"}`: asks with a real central. The reply is the line of
  /// `eightball ask --stay --json` about the question.
  private func ask(_ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void) {
    guard let request = ControlLine(Array(body)), let page = request.page,
      let question = request.text("question")
    else { return reply(.detail(.badRequest, "Expected page and question.")) }
    guard (1...512).contains(question.utf8.count),
      !question.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\n") })
    else {
      return reply(
        .detail(.badRequest, "A question is one line of 1 to 512 bytes of UTF-8 without zeros."))
    }
    guard let stream = streams[page] else { return reply(.notOpen) }
    stream.ask(question, reply: reply)
  }

  /// `{"page":1}`: disconnects the page's central.
  private func leave(_ body: ByteBufferView) -> Reply {
    guard let page = ControlLine(Array(body))?.page else {
      return .detail(.badRequest, "Expected page.")
    }
    guard let stream = streams[page] else { return .notOpen }
    stream.leave()
    return .json(.accepted, "{}")
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
