import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// What of one link must not reach the next.
enum ConversationState: String, CaseIterable, CustomTestStringConvertible {
  case acceptedQuestion = "a question that the ball has accepted"
  case unconfirmedQuestion = "a question that the ball has not confirmed"
  case waitingQuestion = "a question that waits for its turn"
  case answer = "an answer"
  case earlyAnswer = "an answer that came before the confirmation"
  case subscription = "an unconfirmed subscription"
  case error = "an error"

  var testDescription: String { rawValue }
}

@Suite("The next link of the SDK")
struct NextLinkTests {
  enum End: CaseIterable {
    case ball, restart, rejection
  }

  @Test(
    "a ball that is discovered again has nothing of its last link",
    arguments: ConversationState.allCases, End.allCases)
  func nextLink(state: ConversationState, end: End) throws {
    let bench = try CentralBench()
    let first = try BenchBall(bench)
    let inquiry = Inquiry()
    bench.central.send("First?", to: first.ball, answerer: inquiry)
    first.subscribed()
    bring(first, to: state)
    switch end {
    case .ball: bench.disconnect(first.peripheral, CBError(.peripheralDisconnected))
    case .restart: bench.central.restart()
    case .rejection:
      first.ball.reject(because: .deviceBusy)
      bench.central.restart()
    }
    _ = bench.take()
    expect(inquiry.isEnded && bench.timers.running.isEmpty)

    let second = try BenchBall(bench)
    expect(second.ball !== first.ball && second.ball.isSameDevice(as: first.ball))
    expect(second.ball.question == nil && second.ball.answer == nil && second.ball.error == nil)
    let conversation = second.ball.conversation
    expect(conversation.subscriptionChanges == [] && conversation.unacceptedQuestion == nil)
    expect(!conversation.isWritten && conversation.unconfirmedWrites == 0)
    expect(conversation.earlyAnswer == nil && conversation.waiting.isEmpty)
    expect(conversation.timer == nil && conversation.inquiry == nil)
    expect(first.ball.conversation.timer == nil && first.ball.conversation.waiting.isEmpty)
    // The next question is asked as if it were the first.
    second.ball.send("Second?")
    first.answers("Late.")
    first.accepted()
    second.subscribed()
    second.accepted()
    second.answers("Yes.")
    expect(
      bench.take(),
      is: ["notify true", "write Second?", "asked Second?", "notify false", "answered Yes."])
    expect(second.ball.question == "Second?" && second.ball.answer == "Yes.")
    expect(first.ball.answer != "Yes.")
  }

  /// The ball has heard `First?` and confirmed nothing.
  private func bring(_ it: BenchBall, to state: ConversationState) {
    switch state {
    case .unconfirmedQuestion: break
    case .acceptedQuestion: it.accepted()
    case .answer:
      it.accepted()
      it.answers("No.")
    case .waitingQuestion: it.ball.send("Old?")
    case .earlyAnswer: it.answers("No.")
    case .subscription:
      it.bench.modified(it.peripheral, [it.service])
      it.replaceService()
      it.discover()
    case .error: it.accepted(CBATTError(.insufficientResources))
    }
    _ = it.take()
    let conversation = it.ball.conversation
    switch state {
    case .unconfirmedQuestion: expect(conversation.unconfirmedWrites, is: 1)
    case .acceptedQuestion: expect(it.ball.question, is: "First?")
    case .waitingQuestion: expect(conversation.waiting.count, is: 1)
    case .answer: expect(it.ball.answer, is: "No.")
    case .earlyAnswer: expect(conversation.earlyAnswer, is: "No.")
    case .subscription: expect(conversation.subscriptionChanges, is: [true])
    case .error: expect(it.ball.error != nil)
    }
  }
}
