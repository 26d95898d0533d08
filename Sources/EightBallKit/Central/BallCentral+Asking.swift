import CoreBluetooth
import Foundation

// From a question to its answer: subscribe, write after the confirmation, wait, unsubscribe.
extension BallCentral {
  func send(_ question: String, to ball: Ball, answerer inquiry: Inquiry?) {
    queue.async { [self] in
      if inquiry == nil {
        // A sent question replaces the one sent before it.
        ball.conversation.waiting.removeAll { $0.inquiry == nil }
        if ball.conversation.inquiry == nil { end(ball) }
      }
      ball.conversation.waiting.append(PendingQuestion(text: question, inquiry: inquiry))
      beginTurn(of: ball)
    }
  }

  /// Asks the next question, and the following ones while they fail at once.
  private func beginTurn(of ball: Ball) {
    while ball.conversation.timer == nil, !ball.conversation.waiting.isEmpty {
      let next = ball.conversation.waiting.removeFirst()
      // A task cancelled before its turn does not ask.
      if next.inquiry?.isEnded == true { continue }
      ask(next.text, ball, next.inquiry)
    }
  }

  private func ask(_ question: String, _ ball: Ball, _ inquiry: Inquiry?) {
    ball.contents.withLock { $0 = Ball.Contents() }
    ball.conversation.isWritten = false
    ball.conversation.earlyAnswer = nil
    ball.conversation.unacceptedQuestion = nil
    guard known[ball.id] === ball, ball.conversation.isServerKnown,
      let answer = ball.conversation.answerCharacteristic
    else {
      fail(.sendFailed(RejectionReason.deviceOffline), ball)
      inquiry?.end(.failure(BallError.sendFailed(RejectionReason.deviceOffline)))
      return
    }
    ball.conversation.inquiry = inquiry
    ball.conversation.unacceptedQuestion = question
    ball.conversation.timer = timers(options.answerTimeout, queue) {
      [weak self, weak ball] in
      guard let self, let ball else { return }
      timedOut(ball)
    }
    subscribe(true, to: answer, of: ball)
  }

  /// Stops waiting for an answer. The caller has to end the returned inquiry.
  @discardableResult func end(_ ball: Ball) -> Inquiry? {
    ball.conversation.timer?()
    ball.conversation.timer = nil
    defer { ball.conversation.inquiry = nil }
    return ball.conversation.inquiry
  }

  /// The task that called `ask` was cancelled: the next question follows.
  func giveUp(_ inquiry: Inquiry, of ball: Ball) {
    queue.async { [self] in
      ball.conversation.waiting.removeAll { $0.inquiry === inquiry }
      guard ball.conversation.inquiry === inquiry else { return }
      end(ball)
      if ball.conversation.unacceptedQuestion == nil || ball.conversation.isWritten {
        unsubscribe(ball)
      } else {
        // Not written yet: it is never asked. The subscription may be unconfirmed.
        ball.conversation.unacceptedQuestion = nil
        if let answer = ball.conversation.answerCharacteristic {
          subscribe(false, to: answer, of: ball)
        }
      }
      beginTurn(of: ball)
    }
  }

  /// The central still reports a late answer, so the subscription stays.
  private func timedOut(_ ball: Ball) {
    guard ball.conversation.timer != nil else { return }
    let inquiry = end(ball)
    let error = BallError.sendFailed(RejectionReason.timedOut)
    fail(error, ball)
    inquiry?.end(.failure(error))
    beginTurn(of: ball)
  }

  /// The question was not accepted.
  private func refuse(_ error: BallError, _ ball: Ball) {
    let inquiry = end(ball)
    ball.conversation.unacceptedQuestion = nil
    ball.conversation.isWritten = false
    unsubscribe(ball)
    fail(error, ball)
    inquiry?.end(.failure(error))
    beginTurn(of: ball)
  }

  private func unsubscribe(_ ball: Ball) {
    guard !options.staysSubscribed else { return }
    guard let answer = ball.conversation.answerCharacteristic, answer.isNotifying else { return }
    subscribe(false, to: answer, of: ball)
  }

  private func subscribe(_ isWanted: Bool, to answer: CBCharacteristic, of ball: Ball) {
    ball.conversation.subscriptionChanges.append(isWanted)
    ball.peripheral.setNotifyValue(isWanted, for: answer)
  }

  /// The ball's characteristics have been discovered again: a waiting question continues.
  func resume(_ ball: Ball) {
    guard ball.conversation.timer != nil, let answer = ball.conversation.answerCharacteristic else {
      return
    }
    subscribe(true, to: answer, of: ball)
  }

  private func deliver(_ text: String, from ball: Ball) {
    let inquiry = end(ball)
    ball.conversation.isWritten = false
    unsubscribe(ball)
    ball.contents.withLock { $0.answer = text }
    callObservers { $0.ballCentral(self, didReceiveAnswerFrom: ball) }
    streams.send(.answered(ball, answer: text))
    inquiry?.end(.success(text))
    beginTurn(of: ball)
  }
}

extension BallCentral {
  /// The ball has confirmed the subscription: writes the question.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    guard let ball = ball(peripheral), characteristic === ball.conversation.answerCharacteristic
    else { return }
    let wasWanted =
      ball.conversation.subscriptionChanges.isEmpty
      || ball.conversation.subscriptionChanges.removeFirst()
    if isStopped, ball.conversation.subscriptionChanges.isEmpty { return drop(ball) }
    guard let question = ball.conversation.unacceptedQuestion, !ball.conversation.isWritten else {
      return
    }
    if let error {
      // An earlier question's subscription does not concern this one.
      guard wasWanted, !ball.conversation.subscriptionChanges.contains(true), !error.isEndOfLink
      else { return }
      // In response to a subscription, Unlikely Error does not mean “not a question”.
      return refuse(.refusal(error, ofQuestion: false), ball)
    }
    guard characteristic.isNotifying, let target = ball.conversation.questionCharacteristic else {
      return
    }
    ball.conversation.isWritten = true
    ball.conversation.unconfirmedWrites += 1
    peripheral.writeValue(Data(question.utf8), for: target, type: .withResponse)
  }

  /// The ball has accepted or refused a question.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    guard let ball = ball(peripheral), characteristic === ball.conversation.questionCharacteristic
    else { return }
    ball.conversation.unconfirmedWrites = max(0, ball.conversation.unconfirmedWrites - 1)
    // It may confirm a question that was replaced.
    let isOld = ball.conversation.unconfirmedWrites > 0 || !ball.conversation.isWritten
    if isOld, ball.conversation.unacceptedQuestion != nil { return }
    if let error {
      if !error.isEndOfLink { refuse(.refusal(error), ball) }
      return
    }
    guard let question = ball.conversation.unacceptedQuestion else {
      return fail(.sendFailed(RejectionReason.peripheralError(nil)), ball)
    }
    ball.conversation.unacceptedQuestion = nil
    ball.contents.withLock { $0.question = question }
    callObservers { $0.ballCentral(self, didAsk: ball) }
    streams.send(.asked(ball, question: question))
    guard let answer = ball.conversation.earlyAnswer else { return }
    ball.conversation.earlyAnswer = nil
    deliver(answer, from: ball)
  }

  /// The ball has notified a value: an answer, if it is text.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    guard let ball = ball(peripheral), error == nil,
      characteristic === ball.conversation.answerCharacteristic, let value = characteristic.value,
      !value.isEmpty, let text = String(bytes: value, encoding: .utf8)
    else { return }
    guard ball.conversation.unacceptedQuestion != nil else { return deliver(text, from: ball) }
    // The ball has not confirmed the question. A value from before the write answers another
    // question. A value after it has overtaken the confirmation, and the last one counts.
    if ball.conversation.isWritten, ball.conversation.unconfirmedWrites == 1 {
      ball.conversation.earlyAnswer = text
    }
  }
}

extension BallError {
  /// The error for a ball's refusal. Unlikely Error means that the text is not a question.
  fileprivate static func refusal(_ error: any Error, ofQuestion: Bool = true) -> BallError {
    guard let refusal = error as? CBATTError else {
      return .sendFailed(RejectionReason.unknown(error))
    }
    return ofQuestion && refusal.code == .unlikelyError
      ? .sendFailed(BallError.coreBluetooth(RejectionReason.questionPlease))
      : .sendFailed(BallError.coreBluetooth(RejectionReason.peripheralError(error)))
  }
}

extension Error {
  /// Whether the link has ended: that is reported separately.
  fileprivate var isEndOfLink: Bool {
    switch (self as? CBError)?.code {
    case .peripheralDisconnected, .connectionTimeout, .connectionFailed, .notConnected,
      .operationCancelled:
      true
    default: false
    }
  }
}
