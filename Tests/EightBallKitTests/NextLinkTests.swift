import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetooth
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

@Suite("The next link of the SDK", .timeLimit(.minutes(1)))
struct NextLinkTests {
  /// How a link ends.
  enum End: CaseIterable {
    case ball, restart, rejection
  }

  @Test(
    "a ball that is discovered again has nothing of its last link",
    arguments: ConversationState.allCases, End.allCases)
  func nextLink(state: ConversationState, end: End) async throws {
    let (ball, client, first) = try await Client.discovering(.deaf)
    let central = client.central
    let waiting = Task { try await first.ask("First?") }
    for await line in ball.lines where line == "First?" { break }
    central.queue.sync { bring(first, to: state, central) }
    switch end {
    case .ball:
      central.queue.sync {
        guard let manager = central.cbManager else { return }
        // As if the ball had ended the link.
        manager.cancelPeripheralConnection(first.peripheral)
        central.lose(first)
      }
    case .restart: central.restart()
    case .rejection:
      first.reject(because: .deviceBusy)
      central.queue.sync {}
      central.restart()
    }
    _ = try? await waiting.value
    #expect(client.timers.running.isEmpty)
    var again: Ball?
    for await event in central.events {
      if case .discovered(let found) = event, found !== first {
        again = found
        break
      }
    }
    let second = try #require(again)
    central.queue.sync {
      #expect(second.question == nil && second.answer == nil && second.error == nil)
      #expect(second.conversation.subscriptionChanges == [])
      #expect(second.conversation.unacceptedQuestion == nil)
      #expect(!second.conversation.isWritten && second.conversation.unconfirmedWrites == 0)
      #expect(second.conversation.earlyAnswer == nil && second.conversation.waiting.isEmpty)
      #expect(second.conversation.timer == nil && second.conversation.inquiry == nil)
      #expect(first.conversation.timer == nil && first.conversation.waiting.isEmpty)
    }
    // The next question is asked as if it were the first.
    second.send("Second?")
    for await line in ball.lines where line == "Second?" { break }
    ball.confirm()
    for await event in central.events {
      if case .discovered(let found) = event { #expect(found === second) }
      break
    }
    ball.answer("Yes.")
    while second.answer == nil { await Task.yield() }
    #expect(second.question == "Second?" && second.answer == "Yes.")
    #expect(first.answer != "Yes.")
  }

  /// The ball has heard `First?` and confirmed nothing. To be called on the central's queue.
  private func bring(_ ball: Ball, to state: ConversationState, _ central: BallCentral) {
    guard let question = ball.conversation.questionCharacteristic,
      let answer = ball.conversation.answerCharacteristic
    else { return }
    switch state {
    case .unconfirmedQuestion: return
    case .acceptedQuestion, .answer:
      central.peripheral(ball.peripheral, didWriteValueFor: question, error: nil)
      #expect(ball.question == "First?")
      guard state == .answer else { return }
      central.receive("No.", from: ball)
      #expect(ball.answer == "No.")
    case .waitingQuestion:
      ball.conversation.waiting.append(PendingQuestion(text: "Old?", inquiry: nil))
    case .earlyAnswer:
      central.receive("No.", from: ball)
      #expect(ball.conversation.earlyAnswer == "No.")
    case .subscription:
      ball.conversation.subscriptionChanges.append(true)
      ball.peripheral.setNotifyValue(true, for: answer)
    case .error:
      central.peripheral(
        ball.peripheral, didWriteValueFor: question, error: CBATTError(.insufficientResources))
      #expect(ball.error != nil)
    }
  }

  @Test("a question to one of two balls is no question to the other, nor is its answer")
  func twoLinks() async throws {
    let balls = try [ScriptedBall(.silent), ScriptedBall(.silent)]
    let clients = try balls.map { try Client(of: $0) }
    let found = try [
      #require(await clients[0].discovered()), #require(await clients[1].discovered()),
    ]
    for (number, ball) in found.enumerated() { ball.send("Question \(number)?") }
    for (number, client) in clients.enumerated() {
      let lines = await client.reported { if case .asked = $0 { true } else { false } }
      #expect(lines.last == "asked Question \(number)?")
    }
    balls[1].answer("Second.")
    _ = await clients[1].reported(until: \.isAnswer)
    #expect(found.map(\.answer) == [nil, "Second."])
    balls[0].answer("First.")
    _ = await clients[0].reported(until: \.isAnswer)
    #expect(found.map(\.answer) == ["First.", "Second."])
  }
}
