import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// What comes early, late, or crosses something else.
@Suite("What comes in another order, by the SDK", .timeLimit(.minutes(1)))
struct OrderTests {
  @Test("an answer may come before the confirmation, also after a question without an answer")
  func early() async throws {
    let ball = try ScriptedBall(.deaf)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    for (number, answer) in [(1, "Yes."), (2, nil), (3, "Very doubtful."), (4, "No.")] {
      found.send("Question \(number)?")
      for await line in ball.news where line == "Question \(number)?" { break }
      if let answer {
        client.central.queue.sync { client.central.receive(answer, from: found) }
      }
      ball.confirm()
      _ = await client.told { if case .asked = $0 { true } else { false } }
      client.central.queue.sync {}
      #expect(found.answer == answer)
      client.timers.fire()
    }
  }

  @Test("an answer that comes before the question is written is not its answer")
  func stale() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    found.send("First?")
    _ = await client.told { if case .asked = $0 { true } else { false } }
    client.timers.fire()
    _ = await client.told(until: \.isFailure)
    let central = client.central
    // Right behind the question, and so before the ball can have confirmed the subscription.
    central.queue.sync {
      found.send("Second?")
      central.queue.async { central.receive("The first one’s.", from: found) }
    }
    let told = await client.told { if case .asked = $0 { true } else { false } }
    #expect(told == ["asked Second?"])
    #expect(found.answer == nil)
    ball.answer("The second one’s.")
    _ = await client.told(until: \.isAnswer)
    #expect(found.answer == "The second one’s.")
  }

  @Test("what becomes of the subscription to the last answer says nothing of the next question")
  func refusedUnsubscription() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    found.send("First?")
    _ = await client.told { if case .asked = $0 { true } else { false } }
    let central = client.central
    central.queue.sync {
      // What follows is done behind the answer, before anything can come of its unsubscription.
      found.send("Second?")
      central.queue.async {
        guard let answer = found.conversation.answerCharacteristic else { return }
        central.peripheral(
          found.peripheral, didUpdateNotificationStateFor: answer,
          error: CBATTError(.unlikelyError))
      }
      central.receive("Yes.", from: found)
    }
    let told = await client.told { if case .asked = $0 { true } else { false } }
    #expect(told == ["answered Yes.", "asked Second?"])
    #expect(found.error == nil)
  }
}
