import BallControl
import BallRunner
import NIOCore
import NIOHTTP1

/// An open page: the stream of events to it, and its own connection to the ball.
///
/// The ball sends its state on each new connection, so a reloaded page gets it again. When the page
/// closes, its connection ends, and the ball releases a button that it held.
final class PageStream {
  /// The text of a page without a ball.
  private static let noBall = "No ball runs; start one: eightball run"
  /// The text of a page whose ball has another clock than its reader.
  private static let simulatedTime =
    "The ball is on an air with simulated time, and this page goes by real time. Start the air with "
    + "--time real."

  /// The interval of the keep-alive comments to the page.
  private static let heartbeat = TimeAmount.seconds(15)

  private let page: Int
  private let panel: PanelService
  private let channel: any Channel
  private var layers = PacketLayers()
  private var isConnected = false
  /// Whether the ball's time is simulated: the page shows nothing of it.
  private var isSimulated = false
  /// The last error of the connection to the ball; `nil` at the start and while connected.
  private var lastError: String?
  private var identity: BallIdentity?
  /// The programs that work for this page.
  private var children: [PageTask: PageChild] = [:]
  private var beat: RepeatedTask?
  private var hasEnded = false

  init(page: Int, panel: PanelService, channel: any Channel) {
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
    panel.balls.ask(.watch(page: page))
  }

  /// The page has closed.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    beat?.cancel()
    panel.balls.ask(.leave(page: page))
    for child in children.values { child.end() }
    panel.closeStream(page)
  }

  /// Sends a request to the ball; `false` without one.
  func request(_ text: String) -> Bool {
    guard hasBall else { return false }
    panel.balls.ask(.send(page: page, text))
    return true
  }

  private var hasBall: Bool { isConnected && !isSimulated }

  /// Why there is no ball.
  var absence: String { lastError ?? Self.noBall }

  // MARK: Centrals

  /// Asks with this page's central, which is started for the first question.
  func ask(_ question: String) -> Reply {
    if children[.ask] == nil {
      let command: [String]
      switch askCommand {
      case .failure(let error): return .detail(.conflict, error.words)
      case .success(let words): command = words
      }
      if let refusal = start(command, for: .ask) { return refusal }
    }
    return send(question, for: .ask)
  }

  /// Lists the devices nearby, or connects to one, in place of what this page explored before.
  ///
  /// - Parameter pairs: Whether to pair if the device requires it.
  func explore(_ device: String?, pairs: Bool) -> Reply {
    guard let program = panel.options.program else {
      return .detail(.conflict, AskCommandError.noProgram.words)
    }
    var command = [program, device == nil ? "scan" : "gatt", "--json"]
    if let radio = panel.options.radio ?? identity?.sharedRadio { command += ["--radio", radio] }
    if let device {
      command += (pairs ? ["--pair"] : []) + ["--packets", "--", device]
    }
    return start(command, for: .explore) ?? .json(.accepted, "{}")
  }

  /// Gives a line to this page's connection.
  func command(_ line: String) -> Reply { send(line, for: .explore) }

  /// Disconnects this page's central, if it has one.
  func leave(_ task: PageTask) -> Reply {
    children[task]?.end()
    return .json(.accepted, "{}")
  }

  /// Starts a program in place of that for the same task; the reply if it cannot be started.
  private func start(_ command: [String], for task: PageTask) -> Reply? {
    do throws(GateError) {
      children[task]?.end()
      children[task] = try panel.start(command, for: task, of: self, on: channel.eventLoop)
      report(hasCentral: true, for: task)
      return nil
    } catch {
      return error.reply
    }
  }

  private func send(_ line: String, for task: PageTask) -> Reply {
    guard let child = children[task] else {
      return .detail(.conflict, "This page is not connected to a device.")
    }
    guard child.send(line) else {
      return .detail(.tooManyRequests, "The last requests are still on their way.")
    }
    return .json(.accepted, "{}")
  }

  /// Sends a line of a program to the page, with its layers if it is a packet.
  func take(_ line: [UInt8], from child: PageChild) {
    guard !hasEnded, children[child.task] === child else { return }
    var event = ByteBuffer(string: "data: {\"event\":\"\(child.task.rawValue)\",\"line\":")
    event.writeBytes(child.layers.addingLayers(to: line))
    event.writeString("}\n\n")
    write(event)
    flush()
  }

  /// A program has ended.
  func ended(_ child: PageChild) {
    guard children[child.task] === child else { return }
    children[child.task] = nil
    if !hasEnded { report(hasCentral: false, for: child.task) }
  }

  /// The command of the central for this page's questions.
  private var askCommand: Result<[String], AskCommandError> {
    guard hasBall else { return .failure(AskCommandError(words: absence)) }
    return identity?.command(panel.options) ?? .failure(.unknownBall)
  }

  // MARK: The ball

  /// Takes an event of the connection to the ball.
  func take(_ event: ControlClient.Event) {
    guard !hasEnded else { return }
    switch event {
    case .connected:
      isConnected = true
      isSimulated = false
      lastError = nil
      layers = PacketLayers()
    case .line(let line): take(line)
    case .ended(let error): lost(error)
    case .unreachable(let error): lost(error)
    }
  }

  private func lost(_ error: ControlError?) {
    isConnected = false
    identity = nil
    ballHasGone(Self.words(for: error))
  }

  private func ballHasGone(_ reason: String) {
    children[.ask]?.end()
    guard lastError != reason else { return }
    lastError = reason
    report()
  }

  /// Why there is no connection; `nil` means that the ball has ended it.
  private static func words(for error: ControlError?) -> String {
    switch error {
    case nil, .noBall: noBall
    case .full: "\(ControlError.full)."
    case .lineTooLong(let limit): "The ball sent a line of more than \(limit) bytes."
    case let error?: "The panel cannot reach the ball: \(error)."
    }
  }

  /// The ball's clock is simulated, or real again: then the page gets the ball's state anew.
  private func clockChanged(isSimulated: Bool) {
    if isSimulated {
      self.isSimulated = true
      ballHasGone(Self.simulatedTime)
    } else if self.isSimulated {
      panel.balls.ask(.leave(page: page))
      panel.balls.ask(.watch(page: page))
    }
  }

  private static let packet = Array("{\"event\":\"packet\"".utf8)
  private static let time = Array("{\"event\":\"time\"".utf8)

  private func take(_ line: [UInt8]) {
    // A carriage return would end the event.
    guard !line.isEmpty, !line.contains(UInt8(ascii: "\r")) else { return }
    if line.starts(with: Self.time) {
      return clockChanged(isSimulated: ControlLine(line)?.text("clock") == "simulated")
    }
    guard !isSimulated else { return }
    if let identity = BallIdentity(line) {
      self.identity = identity
      report()
    }
    var event = ByteBuffer(string: "data: ")
    // eightballd leaves the layers out.
    event.writeBytes(line.starts(with: Self.packet) ? layers.addingLayers(to: line) : line)
    event.writeString("\n\n")
    write(event)
  }

  // MARK: The page

  /// Sends the events to the page.
  func flush() {
    channel.flush()
    // A page that reads too slowly is dropped, and reconnects.
    if !channel.isWritable { channel.close(promise: nil) }
  }

  /// Sends the event `panel`: the page's number, whether there is a ball, and whether it can ask.
  private func report() {
    var words = "\"event\":\"panel\",\"page\":\(page),\"ball\":\(hasBall)"
    if let lastError { words += ",\"detail\":\"\(String(escaped: lastError))\"" }
    if case .failure(let error) = askCommand {
      words += ",\"asks\":false,\"why\":\"\(String(escaped: error.words))\""
    } else {
      words += ",\"asks\":true"
    }
    write("data: {\(words)}\n\n")
    flush()
  }

  /// Sends the event `central`: whether this page has a central for this task.
  private func report(hasCentral: Bool, for task: PageTask) {
    let words = "\"event\":\"central\",\"task\":\"\(task.rawValue)\",\"open\":\(hasCentral)"
    write("data: {\(words)}\n\n")
    flush()
  }

  private func write(_ text: String) { write(ByteBuffer(string: text)) }

  private func write(_ bytes: ByteBuffer) {
    channel.write(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
  }
}

/// The ball's name and radio, by which a question reaches it.
struct BallIdentity {
  private let name: String?
  private let radio: String?

  /// Reads a line of the ball; `nil` if it is not the event `ball`.
  init?(_ line: [UInt8]) {
    guard line.starts(with: #"{"event":"ball""#.utf8), let ball = ControlLine(line) else {
      return nil
    }
    name = ball.text("name")
    radio = ball.text("radio")
  }

  /// The radio of the ball, if programs can share it.
  var sharedRadio: String? {
    guard let radio,
      radio == "virtual" || radio.hasPrefix("unix:") || radio.hasPrefix("tcp-client:")
    else { return nil }
    return radio
  }

  /// The command that reaches the ball: it stays connected, and asks each line of its input.
  func command(_ options: PanelOptions) -> Result<[String], AskCommandError> {
    guard let radio else { return .failure(.unknownBall) }
    guard let program = options.program else { return .failure(.noProgram) }
    guard let chosen = sharedRadio ?? options.radio else {
      return .failure(
        AskCommandError(
          words:
            "Only the ball can use its radio, \(radio). To ask it from here, start the panel with "
            + "--radio and another radio of this machine; or ask from a phone."))
    }
    // The name, if it is known: another ball may be on the same air.
    return .success(
      [program, "ask", "--stay", "--json", "--radio", chosen]
        + (name.map { ["--name=\($0)"] } ?? []))
  }
}

/// Why a page cannot ask.
struct AskCommandError: Error {
  let words: String

  /// The panel lacks the program that asks.
  static let noProgram = AskCommandError(
    words: "The program eightball is not beside eightball-panel.")
  /// The ball has not said yet how to reach it.
  static let unknownBall = AskCommandError(
    words: "The ball has not sent its name and radio yet: try again.")
}
