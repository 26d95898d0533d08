import CoreBluetooth
import Dispatch
import EightBallKit
import LinuxRadio

/// A question, the ball to ask, and the timeouts. Times are in seconds.
struct AskRequest {
  /// The first question; `nil` to wait for a line.
  var question: String?
  /// The name of the ball to ask; `nil` for the first one found.
  var name: String?
  /// How long the ball may take to answer.
  var answerTimeout = 2.0
  /// How long to look for a ball.
  var searchTimeout = 5.0
  /// How long a found ball may take until it can be asked.
  var preparationTimeout = 10.0
  /// How long all of this may take together, from when the radio is ready; `nil` without a limit.
  var wholeTimeout: Double?
  /// Whether to stay connected and subscribed after the answer, and to ask each line of standard
  /// input.
  var stays = false
}

/// How asking a ball ended.
enum AskOutcome {
  case answered(String)
  /// The ball refused: not a question.
  case refused
  /// The ball refused, or the request failed, for this reason.
  case failed(BallError)
  case noBallFound
  /// A ball was found, and could not be asked in time.
  case unreachable(BallError?)
  /// The device with this name lacks the ball's service.
  case noService(name: String)
  case timedOut
  /// The ball disconnected before it answered.
  case disconnected
  case cancelled
  case radioTrouble(RadioError)
  /// Standard input has ended, and every question of it.
  case inputEnded

  /// Whether a program that stays can ask the next question.
  fileprivate var isOfOneQuestion: Bool {
    switch self {
    case .answered, .refused, .failed, .timedOut: true
    default: false
    }
  }
}

/// Asks one ball one question, or each line of standard input, with the SDK.
actor AskProgram {
  private enum Signal: Sendable {
    case central(BallCentral.Event)
    case failed(Ball, any Error)
    case radioFailed(RadioError)
    case searchTimedOut
    case preparationTimedOut(Ball)
    case timeIsUp
    case interrupted
    /// A line of standard input; `nil` at its end.
    case line([UInt8]?)
  }

  /// A found ball, and its progress.
  private struct Candidate {
    let ball: Ball
    var isConnected = false
    var isDiscovered = false
  }

  private let request: AskRequest
  private let radio: CBRadio
  private let printer: any AskPrinter
  private let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
  private var tasks: [Task<Void, Never>] = []
  /// The found balls. The first one is being prepared or asked.
  private var candidates: [Candidate] = []
  /// The ball to ask: the first candidate that can be asked.
  private var chosen: Ball?
  /// The question that is being asked; `nil` between questions.
  private var question: String?
  /// Whether the ball has accepted `question`: the next answer is the one to it.
  private var isAccepted = false
  /// The questions after that one.
  private var waiting: [String] = []
  private var hasInputEnded = false
  private var isSearchOver = false
  /// The outcome if no other ball is found.
  private var fallbackOutcome = AskOutcome.noBallFound

  init(_ request: AskRequest, on radio: CBRadio, printer: any AskPrinter) {
    self.request = request
    self.radio = radio
    self.printer = printer
    waiting = request.question.map { [$0] } ?? []
    // Without lines to wait for, the first question is the last.
    hasInputEnded = !request.stays
  }

  /// Asks, and closes the link. Prints the result of each question except the last.
  ///
  /// - Returns: How it ended, and the question that this concerns.
  func run() async -> (outcome: AskOutcome, question: String?) {
    var options = BallCentral.Options()
    options.name = request.name
    options.answerTimeout = request.answerTimeout
    // The user who types a command means any ball in range.
    options.rssiRange = nil
    options.staysSubscribed = request.stays
    let radio = radio
    let signal = signal
    radio.onTrouble { signal.yield(.radioFailed($0)) }
    let central = BallCentral(
      options: options, queue: DispatchQueue(label: "eightball.ask"),
      makeManager: { CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
    let interruption = Interruption { signal.yield(.interrupted) }
    tasks.append(
      Task { for await event in central.events { signal.yield(.central(event)) } })
    if request.stays { readLines() }
    var outcome: AskOutcome?
    for await signal in signals {
      outcome = react(to: signal)
      if outcome != nil { break }
    }
    central.stop()
    switch outcome {
    case .answered, .inputEnded, .cancelled: if chosen != nil { await waitForLoss() }
    default: break
    }
    for task in tasks { task.cancel() }
    interruption.cancel()
    return (outcome ?? .cancelled, question)
  }

  /// Reads standard input on a thread of its own, which ends with the program.
  private nonisolated func readLines() {
    let signal = signal
    DispatchQueue.global().async {
      while let line = StandardInput.line() { signal.yield(.line(line)) }
      signal.yield(.line(nil))
    }
  }

  /// Waits until the ball's subscription and link end, for at most a second.
  private func waitForLoss() async {
    expire(after: 1, .interrupted)
    for await signal in signals {
      switch signal {
      case .central(.lost), .radioFailed, .interrupted: return
      default: continue
      }
    }
  }

  private func react(to signal: Signal) -> AskOutcome? {
    switch signal {
    case .central(let event):
      return react(to: event)
    case .failed(let ball, let error):
      return conclude(outcome(of: error, ball))
    case .line(let line):
      return take(line)
    case .radioFailed(let error):
      return .radioTrouble(error)
    case .searchTimedOut:
      isSearchOver = true
      return candidates.isEmpty ? fallbackOutcome : nil
    case .timeIsUp:
      guard question == nil else { return .timedOut }
      if case .noBallFound = fallbackOutcome, !candidates.isEmpty { return .unreachable(nil) }
      return fallbackOutcome
    case .preparationTimedOut(let ball):
      guard chosen == nil, candidates.first?.ball === ball else { return nil }
      if case .noBallFound = fallbackOutcome { fallbackOutcome = .unreachable(nil) }
      return giveUp(ball)
    case .interrupted:
      return .cancelled
    }
  }

  private func react(to event: BallCentral.Event) -> AskOutcome? {
    switch event {
    case .stateUpdated(isPoweredOn: true):
      printer.searches(request)
      expire(after: request.searchTimeout, .searchTimedOut)
      if let limit = request.wholeTimeout { expire(after: limit, .timeIsUp) }
    case .found(let ball):
      take(Candidate(ball: ball))
    case .connected(let ball):
      guard let index = candidates.firstIndex(where: { $0.ball === ball }) else { return nil }
      candidates[index].isConnected = true
      if index == 0 { printer.connected(ball) }
    case .discovered(let ball):
      guard let index = candidates.firstIndex(where: { $0.ball === ball }) else {
        // It was given up, and became ready later.
        take(Candidate(ball: ball, isConnected: true, isDiscovered: true))
        return nil
      }
      candidates[index].isDiscovered = true
      if index == 0 { return chooseFirst() }
    case .asked(let ball, _):
      if ball === chosen { isAccepted = true }
    case .answered(let ball, let answer):
      guard ball === chosen else { return nil }
      guard question != nil, isAccepted else {
        printer.notified(answer)
        return nil
      }
      return conclude(.answered(answer))
    case .lost(let ball):
      // A question that was on its way fails, and reports that.
      if ball === chosen, question == nil { return .disconnected }
    case .failed(let error, let ball):
      guard let ball, chosen == nil, candidates.contains(where: { $0.ball === ball }) else {
        return nil
      }
      fallbackOutcome = self.fallbackOutcome(of: ball, error)
      return giveUp(ball)
    case .stateUpdated:
      return nil
    }
    return nil
  }

  /// Takes a line of standard input, or its end.
  private func take(_ line: [UInt8]?) -> AskOutcome? {
    guard let line else {
      hasInputEnded = true
      return askNext()
    }
    // An empty line asks nothing.
    guard !line.isEmpty else { return nil }
    do throws(QuestionFault) {
      waiting.append(try QuestionFault.question(of: line))
    } catch {
      printer.failed(error.description, reason: "question")
    }
    return askNext()
  }

  private func take(_ candidate: Candidate) {
    guard chosen == nil else {
      // This program would keep a link to each ball that it does not ask.
      if request.stays { candidate.ball.reject(because: .deviceBusy) }
      return
    }
    candidates.append(candidate)
    if candidates.count == 1 { prepareFirst() }
  }

  private func prepareFirst() {
    guard let first = candidates.first else { return }
    printer.found(first.ball)
    if first.isConnected { printer.connected(first.ball) }
    expire(after: request.preparationTimeout, .preparationTimedOut(first.ball))
    _ = chooseFirst()
  }

  private func chooseFirst() -> AskOutcome? {
    guard let first = candidates.first, first.isDiscovered, chosen == nil else { return nil }
    chosen = first.ball
    if request.stays {
      for other in candidates.dropFirst() { other.ball.reject(because: .deviceBusy) }
      printer.isReady(first.ball)
    }
    return askNext()
  }

  /// Asks the next question, if there is a ball and no other question.
  ///
  /// - Returns: The outcome if no question can follow.
  private func askNext() -> AskOutcome? {
    guard question == nil else { return nil }
    if waiting.isEmpty { return hasInputEnded ? .inputEnded : nil }
    guard let chosen else { return nil }
    let next = waiting.removeFirst()
    question = next
    isAccepted = false
    ask(next, chosen)
    return nil
  }

  /// Ends with the outcome of the question, or prints it and goes on with the next question.
  private func conclude(_ outcome: AskOutcome) -> AskOutcome? {
    guard request.stays, outcome.isOfOneQuestion else { return outcome }
    printer.ended(outcome, of: question, request)
    question = nil
    return askNext()
  }

  /// Continues with the next found ball, or waits for one while the search lasts.
  private func giveUp(_ ball: Ball) -> AskOutcome? {
    let wasFirst = candidates.first?.ball === ball
    candidates.removeAll { $0.ball === ball }
    if candidates.isEmpty { return isSearchOver ? fallbackOutcome : nil }
    if wasFirst { prepareFirst() }
    return nil
  }

  private func fallbackOutcome(of ball: Ball, _ error: BallError) -> AskOutcome {
    if error.isAboutKeys { return .failed(error) }
    guard ball.isConnected else { return .unreachable(error) }
    if case .deviceOffline = error.rejection { return .noService(name: ball.name) }
    return .failed(error)
  }

  /// Asks. The answer comes as an event of the central, in order with the answers to shakes.
  private func ask(_ question: String, _ ball: Ball) {
    let signal = signal
    let task = Task {
      do {
        _ = try await ball.ask(question)
      } catch {
        signal.yield(.failed(ball, error))
      }
    }
    tasks.append(task)
  }

  private func outcome(of error: any Error, _ ball: Ball) -> AskOutcome {
    guard let error = error as? BallError else { return .cancelled }
    switch error.rejection {
    case .questionPlease: return .refused
    case .timedOut: return .timedOut
    // If still connected, its service lacks a ball's characteristics.
    case .deviceOffline: return ball.isConnected ? .noService(name: ball.name) : .disconnected
    default: return .failed(error)
    }
  }

  private func expire(after seconds: Double, _ end: Signal) {
    let signal = signal
    tasks.append(
      Task {
        try? await Task.sleep(for: .seconds(seconds))
        if !Task.isCancelled { signal.yield(end) }
      })
  }
}
