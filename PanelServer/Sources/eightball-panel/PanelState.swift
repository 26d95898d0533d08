import NIOCore

/// The shared state of the panel's connections. Used only on the loop's thread.
final class PanelState {
  /// The most pages at once.
  static let mostPages = 8

  /// The page.
  let page = PageFile()
  /// Checks requests; `nil` until the port is known, which it needs.
  private(set) var gate: Gate?
  /// The options of the command line.
  let options: PanelOptions
  private let secret: Secret
  let asker: Asker
  private var connections = 0
  private var streams: [Int: PageStream] = [:]
  private var lastPage = 0

  init(options: PanelOptions, secret: Secret, asker: Asker) {
    self.options = options
    self.secret = secret
    self.asker = asker
  }

  /// The panel listens on this port.
  func listens(on port: Int) {
    gate = Gate(secret: secret, hosts: HostNames(listening: options.listen, port: port), port: port)
  }

  /// Counts a new connection; `false` if there are too many.
  func connectionBegins() -> Bool {
    guard connections < HTTPServer.mostConnections else { return false }
    connections += 1
    return true
  }

  /// A counted connection has ended.
  func connectionEnded() { connections -= 1 }

  /// A new page with its own connection to the ball; `nil` if there are too many.
  func openStream(on channel: any Channel) -> PageStream? {
    guard streams.count < Self.mostPages else { return nil }
    lastPage += 1
    let stream = PageStream(page: lastPage, panel: self, channel: channel)
    streams[lastPage] = stream
    return stream
  }

  /// A page has closed.
  func closeStream(_ page: Int) { streams[page] = nil }

  /// `{"page":1,"button":"shake","down":true}`: presses a button, until its release or the end of
  /// the page.
  func press(_ body: ByteBufferView) -> Reply {
    guard let request = JSONValue(body), let page = request["page"]?.number,
      let button = request["button"]?.text, ["shake", "clear"].contains(button),
      let isDown = request["down"]?.truth
    else { return .detail(.badRequest, "Expected page, button (shake or clear) and down.") }
    guard let stream = streams[page] else {
      return .detail(.conflict, "This page is not connected.")
    }
    guard stream.request("\(isDown ? "down" : "up") \(button)") else {
      return .detail(.conflict, PageStream.noBall)
    }
    return .json(.accepted, "{}")
  }

  /// `{"page":1,"question":"Will it rain?"}`: asks with a real central. The reply is the line of
  /// `eightball ask --stay --json` about the question.
  func ask(_ body: ByteBufferView, reply: @escaping @Sendable (Reply) -> Void) {
    guard let request = JSONValue(body), let page = request["page"]?.number,
      let question = request["question"]?.text
    else { return reply(.detail(.badRequest, "Expected page and question.")) }
    guard (1...512).contains(question.utf8.count),
      !question.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\n") })
    else {
      return reply(
        .detail(.badRequest, "A question is one line of 1 to 512 bytes of UTF-8 without zeros."))
    }
    guard let stream = streams[page] else {
      return reply(.detail(.conflict, "This page is not connected."))
    }
    stream.ask(question, reply: reply)
  }

  /// `{"page":1}`: disconnects the page's central.
  func leave(_ body: ByteBufferView) -> Reply {
    guard let page = JSONValue(body)?["page"]?.number else {
      return .detail(.badRequest, "Expected page.")
    }
    guard let stream = streams[page] else {
      return .detail(.conflict, "This page is not connected.")
    }
    stream.leave()
    return .json(.accepted, "{}")
  }
}
