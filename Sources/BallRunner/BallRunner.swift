import BluetoothHost
import EightBall

/// What a ball is like: decided once, at its beginning.
public struct BallConfiguration: Sendable {
  /// The host's part: the name, the address, the limits.
  public var host: HostConfiguration
  /// Decides all answers.
  public var seed: UInt64
  /// How answers are worded.
  public var style: AnswerStyle
  /// How what happens is printed.
  public var lines: LineFormat

  /// A ball of this name, address and seed.
  public init(
    host: HostConfiguration, seed: UInt64, style: AnswerStyle = .text, lines: LineFormat = .words
  ) {
    self.host = host
    self.seed = seed
    self.style = style
    self.lines = lines
  }
}

/// How a ball prints what happens to it.
public enum LineFormat: Equatable, Sendable {
  /// In words, for people.
  case words
  /// One JSON object a line, for programs.
  case json
  /// Not at all, but for what goes wrong, in words.
  case none
}

/// How a ball has ended.
public enum BallEnd: Equatable, Sendable {
  /// It was asked to.
  case asked
  /// Its radio could not be opened at the start.
  case noRadio
  /// The machine refused to wait.
  case noWait
}

/// A ball with its host, its panel and its words, on a port: one thread, one loop, asleep when idle.
///
/// - `places`: how many centrals it serves at once.
/// - `packet`: the longest packet that it receives, at least `RadioLink.longestSentPacket`.
/// - `words`: how many bytes of lines wait for a reader that does not read.
/// - `Security`: how it protects links.
public struct ProtectedBallRunner<
  let places: Int, let packet: Int, let words: Int, Machine: Port & ~Copyable,
  Security: BallSecurity & ~Copyable
>: ~Copyable {
  /// How long a ball that ends may take to say goodbye, in milliseconds.
  static var farewell: UInt32 { 2_000 }

  /// The machine.
  public var port: Machine

  private var link = RadioLink<packet>()
  /// The ball on its host.
  var ball: BallProgram<places, words, Security>
  private var service: ServiceReport
  /// Whether the radio has been open.
  private var hasBeenOpen = false
  /// When the ball ends at the latest; `nil` while it was not asked to.
  private var end: Instant?

  /// A ball on `port` that has not begun, and wants of its links what the desk of `security` says.
  public init(
    _ configuration: BallConfiguration, security: consuming Security, on port: consuming Machine
  ) {
    let protection = security.desk.protection
    var security: Security? = security
    self.init(
      configuration, protection,
      makingSecurity: {
        guard let made = security.take() else {
          preconditionFailure("A ball has one Security Manager.")
        }
        return made
      }, on: port)
  }

  /// A ball on `port` that has not begun, whose security is made in its place: the stack of a small machine has no
  /// room for two.
  ///
  /// - Parameters:
  ///   - protection: What it wants of its links: what the desk of its security says.
  ///   - makeSecurity: Is called once.
  public init(
    _ configuration: BallConfiguration, _ protection: BallProtection,
    makingSecurity makeSecurity: () -> Security, on port: consuming Machine
  ) {
    ball = BallProgram(configuration, protection, makingSecurity: makeSecurity)
    service = ServiceReport(patience: port.watchdogPatience)
    self.port = port
  }

  /// Prints a line, without its end.
  public mutating func print(_ line: Span<UInt8>, to stream: OutputStream = .output) {
    ball.printer.print(line: line, to: stream)
    ball.printer.flush(to: &port)
  }

  /// Runs until it is asked to end, and gives the radio and the lines back.
  public mutating func run() -> BallEnd {
    var result = BallEnd.asked
    while true {
      let now = port.now
      guard let isUnfinished = turn(at: now) else {
        result = .noRadio
        break
      }
      if isFinished(at: now) { break }
      guard port.wait(until: isUnfinished ? now : deadline) else {
        result = .noWait
        break
      }
    }
    close()
    return result
  }

  /// When the next turn is due; `nil` if only the port can bring anything.
  public var deadline: Instant? {
    mutating get {
      var earliest = Instant.earlier(ball.deadline, link.deadline)
      earliest = Instant.earlier(earliest, port.deadline)
      if port.hasPanel { earliest = Instant.earlier(earliest, ball.panel.deadline) }
      if port.hasServiceManager { earliest = Instant.earlier(earliest, service.deadline) }
      return Instant.earlier(earliest, end)
    }
  }

  /// One turn of the loop: all that has come, all that is due, and the words last.
  ///
  /// - Returns: Whether there may be more at once; `nil` if the radio cannot be opened at the start.
  public mutating func turn(at now: Instant) -> Bool? {
    port.advance(to: now)
    if end == nil, port.endRequests > 0 || ball.printer.isClosed { shutDown(at: now) }
    if !link.isOpen, !open(at: now) { return nil }
    if port.hasPanel { ball.readButtons(from: &port, at: now) }
    if Security.isPresent, let isConfirmed = port.takeConfirmation() {
      ball.answer(isConfirmed, at: now)
    }
    let turn = link.serve(&port, for: &ball, at: now)
    if case .lost(let loss) = turn { lose(loss) }
    ball.endTurn()
    if Security.isPresent {
      port.questionChanged(to: ball.question)
      ball.keepBonds(on: &port)
    }
    if port.hasPanel { ball.light(&port, at: now) }
    if port.hasServiceManager {
      service.note(ball.host.radio, connectionCount: ball.host.connectionCount)
      service.send(to: &port, at: now)
    }
    if let answer = ball.takeNewAnswer() { port.answerChanged(to: answer) }
    ball.printer.flush(to: &port)
    return turn == .unfinished
  }

  // MARK: The radio

  /// Opens the radio when its time has come; `false` if that fails before it has been open.
  private mutating func open(at now: Instant) -> Bool {
    switch link.open(&port, at: now) {
    case .opened:
      if Security.isPresent, !hasBeenOpen { ball.openFirstPairing(at: now) }
      hasBeenOpen = true
    case .pending: break
    case .failed where !hasBeenOpen && end == nil:
      withTrouble(.port) { $0.tellFailure($1, kind: "radio") }
      return false
    case .failed: break
    }
    return true
  }

  private mutating func lose(_ loss: RadioLoss) {
    var reason = ByteBuffer<384>()
    write(loss, to: &reason)
    ball.radioIsLost(reason.span)
  }

  private mutating func withTrouble(
    _ loss: RadioLoss, _ body: (inout BallPrinter<words>, Span<UInt8>) -> Void
  ) {
    var reason = ByteBuffer<384>()
    write(loss, to: &reason)
    body(&ball.printer, reason.span)
  }

  /// Writes why the radio was lost, and what helps.
  private func write(_ loss: RadioLoss, to buffer: inout ByteBuffer<384>) {
    var name = ByteBuffer<128>()
    name.write { port.writeRadioName(to: &$0) }
    buffer.write { writer in
      guard loss != .port else { return port.writeRadioTrouble(to: &writer) }
      loss.writeReason(radio: name.span, to: &writer)
      guard let remedy = loss.remedy else { return }
      writer.write(text: ". ")
      remedy.writePrefix(to: &writer)
    }
  }

  // MARK: The end

  private mutating func shutDown(at now: Instant) {
    end = now.advanced(by: Self.farewell)
    service.stop()
    ball.host.shutDown()
  }

  private mutating func isFinished(at now: Instant) -> Bool {
    guard let end else { return false }
    return ball.host.isShutDown || !link.isOpen || now >= end || port.endRequests > 1
  }

  private mutating func close() {
    ball.reportOmissions()
    if port.hasPanel { ball.panel.close(&port) }
    link.close(&port)
    ball.printer.flush(to: &port)
  }
}

extension ProtectedBallRunner where Machine: ~Copyable, Security == NoSecurity {
  /// A ball on `port` that has not begun, and protects nothing.
  public init(_ configuration: BallConfiguration, on port: consuming Machine) {
    ball = BallProgram(configuration)
    service = ServiceReport(patience: port.watchdogPatience)
    self.port = port
  }
}

/// A ball that protects nothing: its links are as every central makes them.
public typealias BallRunner<
  let places: Int, let packet: Int, let words: Int, Machine: Port & ~Copyable
> = ProtectedBallRunner<places, packet, words, Machine, NoSecurity>
