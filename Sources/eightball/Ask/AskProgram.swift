import BluetoothHost
import EightBall
import LinuxRadio

/// Asks one ball one question, or each line of standard input: the host's own client, and what it
/// does next.
struct AskProgram: CentralProgram, ~Copyable {
  /// An operation on the link, in the order in which a ball is asked.
  enum Step {
    case exchangeMTU, findService, findCharacteristics
    case findDescriptors, subscribe, write
    case unsubscribe
  }

  /// How long the end of the subscription may take, in milliseconds.
  static let unsubscribeTimeout: UInt32 = 1_000

  var session: CentralSession
  let request: AskRequest
  let printer: AskPrinter

  var isSubscribed = false
  /// The next operation on the link.
  var step: Step?
  /// The operation under way.
  var running: Step?
  /// The request that is repeated once the link is protected.
  var refusedStep: Step?
  /// Whether the current request has been repeated over a protected link.
  var isRepeated = false

  /// The question that is being asked; `nil` between questions.
  var question: String?
  /// Whether it was written, and whether the ball has accepted it.
  var isWritten = false
  var isAccepted = false
  /// An answer that came before the confirmation of the write.
  var earlyAnswer: String?
  /// The questions after that one.
  var waiting: [String]
  var hasInputEnded: Bool
  var answerEnd: Instant?

  /// - Parameters:
  ///   - address: The address of this device.
  ///   - bonds: The bonds with balls, which the program takes.
  ///   - time: The time on its radio.
  init(
    _ request: AskRequest, address: AddressChoice, bonds: consuming KeptBonds,
    time: AirTime = AirTime(), printer: AskPrinter
  ) {
    self.request = request
    self.printer = printer
    session = CentralSession(
      limits: request.limits, pairs: request.pairs, address: address, bonds: bonds, time: time,
      printer: printer.central(looksFor: request.name))
    waiting = request.question.map { [$0] } ?? []
    // Without lines to wait for, the first question is the last.
    hasInputEnded = !request.stays
  }

  // MARK: CentralProgram

  func accepts(_ device: NearbyDevice) -> Bool {
    guard device.isBall, let name = device.name, !name.isEmpty else { return false }
    return request.name == nil || request.name == name
  }

  mutating func linkOpened(at now: Instant) {
    running = nil
    step = .exchangeMTU
  }

  mutating func linkClosed(at now: Instant) {
    isSubscribed = false
    running = nil
    step = nil
  }

  var isWorking: Bool { question != nil }

  var workDeadline: Instant? { answerEnd }

  mutating func expireWork(at now: Instant) {
    guard let end = answerEnd, end <= now else { return }
    answerEnd = nil
    conclude(.timedOut, at: now)
  }

  var wantsLine: Bool { request.stays && !hasInputEnded }

  mutating func lastWork(before outcome: CentralOutcome) -> UInt32? {
    step = nil
    guard isSubscribed, !request.stays, session.stage == .linked, outcome.endsSubscription else {
      return nil
    }
    step = .unsubscribe
    return Self.unsubscribeTimeout
  }
}

extension CentralOutcome {
  /// Whether the subscription is ended before the link.
  fileprivate var endsSubscription: Bool {
    switch self {
    case .answered, .refused, .failed: true
    default: false
    }
  }
}
