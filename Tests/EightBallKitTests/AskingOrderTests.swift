import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetooth
@testable import EightBallKit

/// Reports that concern another request than the current one. The ball confirms nothing by itself, so
/// every report is the test's.
@Suite("A question and reports about others, with the SDK", .timeLimit(.minutes(1)))
struct AskingOrderTests {
  /// A ball that has heard `question`, and its client.
  private func asked(_ question: String) async throws -> (ScriptedBall, Client, Ball) {
    let (ball, client, found) = try await Client.discovering(.deaf)
    found.send(question)
    for await line in ball.lines where line == question { break }
    return (ball, client, found)
  }

  @Test("a ball with only one of its characteristics cannot be asked")
  func halfServer() async throws {
    let (_, client, found) = try await Client.discovering(.deaf)
    client.central.queue.sync {
      found.conversation.questionCharacteristic = nil
      client.central.send("Anyone?", to: found, answerer: nil)
    }
    client.central.queue.sync {}
    #expect(found.error == .sendFailed(RejectionReason.deviceOffline))
    #expect(client.timers.running.isEmpty)
    #expect(client.central.queue.sync { found.conversation.subscriptionChanges } == [])
  }

  @Test(
    "a refused subscription fails the question only if it is the question's own",
    arguments: [
      ([true], CBATTError(.unlikelyError) as any Error, true),
      // The end of an earlier subscription was refused.
      ([false], CBATTError(.unlikelyError), false),
      // An earlier subscription was refused, and the question's own is still due.
      ([true, true], CBATTError(.unlikelyError), false),
      // The end of the link is reported separately.
      ([true], CBError(.peripheralDisconnected), false), ([true], CBError(.notConnected), false),
    ])
  func refusedSubscription(changes: [Bool], error: any Error, fails: Bool) async throws {
    let (_, client, found) = try await Client.discovering(.deaf)
    let central = client.central
    // Right after the question, so that the ball cannot have confirmed its subscription.
    let outcome = EightBallKit.Locked<(hasError: Bool, isOver: Bool)?>(nil)
    central.queue.sync {
      found.send("Anyone?")
      central.queue.async {
        guard let answer = found.conversation.answerCharacteristic else { return }
        found.conversation.subscriptionChanges = changes
        central.peripheral(
          found.peripheral, didUpdateNotificationStateFor: answer, error: error)
        outcome.withLock {
          $0 = (found.error != nil, found.conversation.unacceptedQuestion == nil)
        }
      }
    }
    central.queue.sync {}
    let (hasError, isOver) = try #require(outcome.withLock { $0 })
    #expect(hasError == fails && isOver == fails)
  }

  @Test("a confirmation of an earlier write does not accept the question")
  func earlierWrite() async throws {
    let (_, client, found) = try await asked("Anyone?")
    let central = client.central
    central.queue.sync {
      guard let question = found.conversation.questionCharacteristic else { return }
      #expect(found.conversation.unconfirmedWrites == 1)
      // A replaced question was written before.
      found.conversation.unconfirmedWrites = 2
      central.peripheral(found.peripheral, didWriteValueFor: question, error: nil)
      #expect(found.question == nil && found.conversation.unacceptedQuestion == "Anyone?")
      central.peripheral(found.peripheral, didWriteValueFor: question, error: nil)
      #expect(found.question == "Anyone?" && found.conversation.unacceptedQuestion == nil)
    }
  }

  @Test("a confirmation before the question is written does not accept it, nor does a refusal")
  func unwritten() async throws {
    let (_, client, found) = try await asked("Anyone?")
    let central = client.central
    central.queue.sync {
      guard let question = found.conversation.questionCharacteristic else { return }
      found.conversation.isWritten = false
      for error in [nil, CBATTError(.unlikelyError)] {
        central.peripheral(found.peripheral, didWriteValueFor: question, error: error)
        #expect(found.conversation.unacceptedQuestion == "Anyone?")
        #expect(found.question == nil && found.error == nil)
      }
    }
  }

  @Test("a value with an error, an empty value and one that is no text are no answers")
  func noAnswer() async throws {
    let (ball, client, found) = try await asked("Anyone?")
    let central = client.central
    ball.confirm()
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    central.queue.sync {
      guard let answer = found.conversation.answerCharacteristic else { return }
      let values: [(Data, (any Error)?)] = [
        (Data("Yes.".utf8), CBATTError(.unlikelyError)), (Data(), nil), (Data([0xFF]), nil),
      ]
      for (value, error) in values {
        answer.value = value
        central.peripheral(found.peripheral, didUpdateValueFor: answer, error: error)
        #expect(found.answer == nil)
      }
      central.receive("Yes.", from: found)
      #expect(found.answer == "Yes.")
    }
  }
}
