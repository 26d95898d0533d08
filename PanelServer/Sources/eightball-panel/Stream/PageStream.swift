import NIOCore
import NIOHTTP1

/// An open page: the stream of events to it, and its own connection to the ball.
///
/// The ball sends its state on each new connection, so a reloaded page gets it again. When the page
/// closes, its connection ends, and the ball releases a button that it held.
final class PageStream {
  /// The text of a page without a ball.
  static let noBall = "No ball runs; start one: eightball run"

  /// The pause before the next attempt to connect to the ball.
  private static let retryDelay = TimeAmount.seconds(1)
  /// The interval of the keep-alive comments to the page.
  private static let heartbeat = TimeAmount.seconds(15)

  private let page: Int
  private let panel: PanelState
  private let channel: any Channel
  private var ball: BallConnection?
  /// The last error of the connection to the ball; `nil` at the start and while connected.
  private var trouble: String?
  private var identity = BallIdentity()
  /// The central that asks this page's questions; `nil` before the first, and after its end.
  private var asking: PageCentral?
  private var retry: Scheduled<Void>?
  private var beat: RepeatedTask?
  private var hasEnded = false

  init(page: Int, panel: PanelState, channel: any Channel) {
    self.page = page
    self.panel = panel
    self.channel = channel
  }

  /// Starts connecting to the ball.
  func start() {
    write("retry: 1000\n\n")
    let own = NIOLoopBound(self, eventLoop: channel.eventLoop)
    beat = channel.eventLoop.scheduleRepeatedTask(
      initialDelay: Self.heartbeat, delay: Self.heartbeat
    ) { _ in
      own.value.write(": the panel is there\n\n")
      own.value.flush()
    }
    connect()
  }

  /// The page has closed.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    beat?.cancel()
    retry?.cancel()
    ball?.close()
    leave()
    panel.closeStream(page)
  }

  /// Sends a request to the ball; `false` without a connection.
  func request(_ text: String) -> Bool {
    guard let ball else { return false }
    ball.send(text)
    return true
  }

  /// Asks with this page's central, which is started for the first question.
  func ask(_ question: String, reply: @escaping (Reply) -> Void) {
    do throws(Asker.Obstacle) {
      try openCentral().ask(question, reply: reply)
    } catch {
      reply(error.reply)
    }
  }

  private func openCentral() throws(Asker.Obstacle) -> PageCentral {
    if let asking { return asking }
    switch central {
    case .failure(let obstacle): throw Asker.Obstacle(reply: .detail(.conflict, obstacle.words))
    case .success(let central):
      let started = try panel.asker.start(central) { [weak self] in self?.centralEnded() }
      asking = started
      report(hasCentral: true)
      return started
    }
  }

  /// Disconnects this page's central, if it has one.
  func leave() { asking?.end() }

  private func centralEnded() {
    asking = nil
    if !hasEnded { report(hasCentral: false) }
  }

  /// The central for this page's questions.
  private var central: Result<AskingCentral, AskObstacle> {
    guard ball != nil, trouble == nil else { return .failure(AskObstacle(words: Self.noBall)) }
    return identity.central(options: panel.options)
  }

  private func connect() {
    guard !hasEnded else { return }
    let own = NIOLoopBound(self, eventLoop: channel.eventLoop)
    BallConnection.open(panel.options.control, for: self, on: channel.eventLoop).assumeIsolated()
      .whenComplete { result in own.value.attempted(result.map { $0.value }) }
  }

  private func attempted(_ result: Result<BallConnection, any Error>) {
    switch result {
    case .success(let connection):
      guard !hasEnded else { return connection.close() }
      ball = connection
      trouble = nil
      connection.send("packets")
    case .failure(let error):
      lost("\(error)")
    }
  }

  /// The connection to the ball has ended or failed.
  func lost(_ reason: String) {
    ball = nil
    leave()
    identity = BallIdentity()
    guard !hasEnded else { return }
    if trouble != reason {
      trouble = reason
      report()
    }
    let own = NIOLoopBound(self, eventLoop: channel.eventLoop)
    retry = channel.eventLoop.scheduleTask(in: Self.retryDelay) { own.value.connect() }
  }

  /// Takes a line of the ball.
  func take(_ line: ByteBuffer) {
    if identity.take(line) { report() }
    var event = ByteBuffer(string: "data: ")
    event.writeImmutableBuffer(line)
    event.writeString("\n\n")
    write(event)
  }

  /// Sends the events to the page.
  func flush() {
    channel.flush()
    // A page that reads too slowly is dropped, and reconnects.
    if !channel.isWritable { channel.close(promise: nil) }
  }

  /// Sends the event `panel`: the page's number, whether there is a ball, and whether it can ask.
  private func report() {
    var words = "\"event\":\"panel\",\"page\":\(page),\"ball\":\(ball != nil)"
    if let trouble { words += ",\"detail\":\(JSONValue.escaped(trouble))" }
    if case .failure(let obstacle) = central {
      words += ",\"asks\":false,\"why\":\(JSONValue.escaped(obstacle.words))"
    } else {
      words += ",\"asks\":true"
    }
    write("data: {\(words)}\n\n")
    flush()
  }

  /// Sends the event `central`: whether this page has a central.
  private func report(hasCentral: Bool) {
    write("data: {\"event\":\"central\",\"open\":\(hasCentral)}\n\n")
    flush()
  }

  private func write(_ text: String) { write(ByteBuffer(string: text)) }

  private func write(_ bytes: ByteBuffer) {
    channel.write(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
  }
}
