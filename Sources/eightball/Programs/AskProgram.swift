import CoreBluetooth
import Dispatch
import EightBallKit
import LinuxRadio

/// A question, the ball to ask, and the timeouts. Times are in seconds.
struct AskRequest {
  /// The question.
  var question: String
  /// The name of the ball to ask; `nil` for the first one found.
  var name: String?
  /// How long the ball may take to answer.
  var answerTimeout: Double
  /// How long to look for a ball.
  var searchTimeout: Double

  /// How long a found ball may take until it can be asked.
  var preparationTimeout = 10.0
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
}

/// Asks one ball one question, with the SDK.
actor AskProgram {
  private enum Signal: Sendable {
    case central(BallCentral.Event)
    case result(Ball, Result<String, any Error>)
    case radioFailed(RadioError)
    case searchTimedOut
    case preparationTimedOut(Ball)
    case interrupted
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
  private var isAsking = false
  private var isSearchOver = false
  /// The outcome if no other ball is found.
  private var fallbackOutcome = AskOutcome.noBallFound

  init(_ request: AskRequest, on radio: CBRadio, printer: any AskPrinter) {
    self.request = request
    self.radio = radio
    self.printer = printer
  }

  /// Asks, and closes the link.
  func run() async -> AskOutcome {
    var options = BallCentral.Options()
    options.name = request.name
    options.answerTimeout = request.answerTimeout
    // The user who types a command means any ball in range.
    options.rssiRange = nil
    let radio = radio
    let signal = signal
    radio.onTrouble { signal.yield(.radioFailed($0)) }
    let central = BallCentral(
      options: options, queue: DispatchQueue(label: "eightball.ask"),
      makeManager: { CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
    let interruption = Interruption { signal.yield(.interrupted) }
    tasks.append(
      Task { for await event in central.events { signal.yield(.central(event)) } })
    var outcome: AskOutcome?
    for await signal in signals {
      outcome = react(to: signal)
      if outcome != nil { break }
    }
    central.stop()
    if case .answered = outcome { await waitForLoss() }
    for task in tasks { task.cancel() }
    interruption.cancel()
    return outcome ?? .cancelled
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
    case .result(_, .success(let answer)):
      return .answered(answer)
    case .result(let ball, .failure(let error)):
      return outcome(of: error, ball)
    case .radioFailed(let error):
      return .radioTrouble(error)
    case .searchTimedOut:
      isSearchOver = true
      return candidates.isEmpty ? fallbackOutcome : nil
    case .preparationTimedOut(let ball):
      guard !isAsking, candidates.first?.ball === ball else { return nil }
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
      if index == 0 { askFirst() }
    case .failed(let error, let ball):
      guard let ball, !isAsking, candidates.contains(where: { $0.ball === ball }) else {
        return nil
      }
      fallbackOutcome = self.fallbackOutcome(of: ball, error)
      return giveUp(ball)
    case .stateUpdated, .asked, .answered, .lost:
      return nil
    }
    return nil
  }

  private func take(_ candidate: Candidate) {
    candidates.append(candidate)
    if candidates.count == 1 { prepareFirst() }
  }

  private func prepareFirst() {
    guard let first = candidates.first else { return }
    printer.found(first.ball)
    if first.isConnected { printer.connected(first.ball) }
    expire(after: request.preparationTimeout, .preparationTimedOut(first.ball))
    askFirst()
  }

  private func askFirst() {
    guard let first = candidates.first, first.isDiscovered, !isAsking else { return }
    isAsking = true
    ask(first.ball)
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

  private func ask(_ ball: Ball) {
    let question = request.question
    let signal = signal
    tasks.append(
      Task {
        do {
          signal.yield(.result(ball, .success(try await ball.ask(question))))
        } catch {
          signal.yield(.result(ball, .failure(error)))
        }
      })
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
