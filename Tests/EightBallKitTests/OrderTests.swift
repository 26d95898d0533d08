import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// Answers and confirmations that come early, late or in another order.
@Suite("Events in another order, with the SDK", .timeLimit(.minutes(1)))
struct OrderTests {
  @Test("an answer may come before the confirmation, also after a question without an answer")
  func early() async throws {
    let (ball, client, found) = try await Client.discovering(.deaf)
    for (number, answer) in [(1, "Yes."), (2, nil), (3, "Very doubtful."), (4, "No.")] {
      found.send("Question \(number)?")
      for await line in ball.lines where line == "Question \(number)?" { break }
      if let answer {
        client.central.queue.sync { client.central.receive(answer, from: found) }
      }
      ball.confirm()
      _ = await client.reported { if case .asked = $0 { true } else { false } }
      client.central.queue.sync {}
      #expect(found.answer == answer)
      client.timers.fire()
    }
  }

  @Test("an answer that comes before the question is written is not its answer")
  func stale() async throws {
    let (ball, client, found) = try await Client.discovering(.silent)
    found.send("First?")
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    client.timers.fire()
    _ = await client.reported(until: \.isFailure)
    let central = client.central
    // Right after the question, so the ball cannot have confirmed the subscription.
    central.queue.sync {
      found.send("Second?")
      central.queue.async { central.receive("The first one’s.", from: found) }
    }
    let reported = await client.reported { if case .asked = $0 { true } else { false } }
    #expect(reported == ["asked Second?"])
    #expect(found.answer == nil)
    ball.answer("The second one’s.")
    _ = await client.reported(until: \.isAnswer)
    #expect(found.answer == "The second one’s.")
  }

  @Test("a failed change of the last subscription does not affect the next question")
  func refusedUnsubscription() async throws {
    let (_, client, found) = try await Client.discovering(.silent)
    found.send("First?")
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    let central = client.central
    central.queue.sync {
      // This runs after the answer, before its unsubscription can have an effect.
      found.send("Second?")
      central.queue.async {
        guard let answer = found.conversation.answerCharacteristic else { return }
        central.peripheral(
          found.peripheral, didUpdateNotificationStateFor: answer,
          error: CBATTError(.unlikelyError))
      }
      central.receive("Yes.", from: found)
    }
    let reported = await client.reported { if case .asked = $0 { true } else { false } }
    #expect(reported == ["answered Yes.", "asked Second?"])
    #expect(found.error == nil)
  }
}
