import BluetoothHost
import EightBall

/// A central's link to a ball, and the answers that may and must come on it. A text that a method returns is a violation.
struct SimulatedLink {
  /// The longest wait for an answer, in milliseconds.
  private static let answerLimit: UInt32 = 60_000

  let ball: SimulatedBall
  /// The packets of the link may be lost or changed, so that its answers cannot be counted.
  private var isMarked: Bool
  /// The packets of the ball that its controller had refused when the link began.
  private let refusedPackets: Int
  private var isSubscribed = false
  /// When the central last subscribed: an answer to a shake waits for that.
  private var subscriptionTime = Instant(rawValue: 0)
  /// Whether the central has subscribed on this link at all, or may have by its bond.
  private var hasSubscribed = false
  /// How many answers may come, and since when one must.
  private var possibleAnswers = 0
  private var answerWait: Instant?
  /// When the last question was sent, and the ball's clears then.
  private var questionTime = Instant(rawValue: 0)
  private var clears: Int
  /// Whether an accepted question waits for the subscription.
  private var isQuestionOpen = false
  /// The shakes that have explained an answer, or that the ball took before the link.
  private var shakes: Int

  /// A link that begins now.
  init(to ball: SimulatedBall, isDisturbed: Bool, at now: Instant) {
    self.ball = ball
    isMarked = isDisturbed
    refusedPackets = ball.refusedPackets()
    clears = ball.watch.clears
    shakes = ball.watch.takenShakes(at: now)
  }

  /// Packets of the link may be lost or changed from now on.
  mutating func disturb() { isMarked = true }

  /// Whether packets of the link may be lost or changed: also by a controller with too many packets of another link.
  var isDisturbed: Bool { isMarked || ball.refusedPackets() != refusedPackets }

  /// Whether an answer must come: the next question follows it.
  var awaitsAnswer: Bool { answerWait != nil }

  /// Whether a clear may have taken the last question or its answer.
  private var mayBeCleared: Bool {
    clears != ball.watch.clears || ball.watch.mayClear(after: questionTime)
  }

  // MARK: What the central does

  /// A request to subscribe is sent, or the bond may have restored a subscription.
  mutating func maySubscribe() { hasSubscribed = true }

  /// The central has subscribed, or unsubscribed.
  mutating func subscribed(_ isOn: Bool, at now: Instant) {
    isSubscribed = isOn
    if isOn { subscriptionTime = now }
    if !isOn {
      answerWait = nil
    } else if isQuestionOpen, !mayBeCleared {
      answerWait = now
    }
  }

  /// A question is sent.
  mutating func asks(at now: Instant) {
    questionTime = now
    clears = ball.watch.clears
  }

  /// A question was sent without a response: the ball may take it without an answer.
  mutating func commanded() {
    possibleAnswers += 1
    isQuestionOpen = false
  }

  /// The ball has accepted a question.
  mutating func accepted(isEncrypted: Bool, at now: Instant) -> String? {
    possibleAnswers = awaitsAnswer ? possibleAnswers + 1 : 1
    isQuestionOpen = true
    if isSubscribed, !awaitsAnswer { answerWait = now }
    return ball.protection != .none && !isEncrypted && !isDisturbed
      ? "a protected ball took a question on a link without encryption" : nil
  }

  // MARK: Answers

  /// A notification has come.
  ///
  /// - Parameters:
  ///   - isWhole: Whether it is an answer.
  ///   - isBonded: Whether a bond may have restored a subscription.
  mutating func heardAnswer(isWhole: Bool, isBonded: Bool, at now: Instant) -> String? {
    answerWait = nil
    isQuestionOpen = false
    guard !isDisturbed else { return nil }
    let isExplained = explainAnswer(at: now)
    if !isWhole { return "a notification is not an answer" }
    if !hasSubscribed, !isBonded { return "an answer came to a central that has not subscribed" }
    return isExplained
      ? nil : "an answer came to a central that has not asked, or a second time"
  }

  /// Counts an answer; `false` if no question and no shake explains it.
  private mutating func explainAnswer(at now: Instant) -> Bool {
    if possibleAnswers > 0 {
      possibleAnswers -= 1
    } else if shakes < ball.watch.shakes,
      now < max(ball.watch.lastShake, subscriptionTime).advanced(by: 60_000)
    {
      shakes += 1
    } else {
      return false
    }
    return true
  }

  /// Whether an answer has not come in time. It is no longer awaited then.
  mutating func takeLateAnswer(at now: Instant) -> Bool {
    guard let answerWait, !isDisturbed, answerWait.advanced(by: Self.answerLimit) < now else {
      return false
    }
    self.answerWait = nil
    return true
  }

  /// Why the answer that has not come in time had to come; `nil` if a clear may have taken it.
  var lateAnswerViolation: String? {
    mayBeCleared ? nil : "a question was not answered, and the link has not ended"
  }
}
