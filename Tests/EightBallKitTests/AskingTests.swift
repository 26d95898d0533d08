import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// What an app is told while it asks: exact lists, on the virtual air.
@Suite("Asking by the SDK", .timeLimit(.minutes(1)))
struct AskingTests {
  private static let beginning = ["powered on", "found", "connected", "discovered"]

  @Test("is answered, and the ball sees subscription, question, and the end of the subscription")
  func answered() async throws {
    let ball = try ScriptedBall(.answering("Most likely."))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let answer = try await found.ask("Will it rain?")
    #expect(answer == "Most likely.")
    #expect(found.question == "Will it rain?")
    #expect(found.answer == "Most likely.")
    #expect(found.error == nil)
    #expect(client.timers.running.isEmpty)
    let told = await client.told(until: \.isAnswer)
    #expect(told == Self.beginning + ["asked Will it rain?", "answered Most likely."])
    #expect("\(found)" == ball.name)
    let printed = [
      BallCentral.Event.found(found), .connected(found), .discovered(found),
      .asked(found, question: "Will it rain?"), .answered(found, answer: answer), .lost(found),
      .failed(.sendFailed(RejectionReason.timedOut), found),
    ].map(\.description)
    #expect(
      printed == [
        "Found “\(ball.name)”.", "Connected to “\(ball.name)”.", "“\(ball.name)” can be asked.",
        "“\(ball.name)” has the question: Will it rain?", "“\(ball.name)” answers: Most likely.",
        "Lost “\(ball.name)”.", "“\(ball.name)”: The device did not answer in time.",
      ])
    // A second question tells that the first is over for the ball too.
    _ = try await found.ask("And tomorrow?")
    #expect(
      ball.log.prefix(5) == [
        "subscribed", "Will it rain?", "unsubscribed", "subscribed", "And tomorrow?",
      ])
  }

  @Test("takes questions of any length", arguments: [1, 19, 20, 21, 244, 512])
  func lengths(count: Int) async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let question = String(repeating: "x", count: count - 1) + "?"
    #expect(try await found.ask(question) == "Yes.")
    #expect(ball.log.contains(question))
  }

  @Test("a statement is refused: please phrase it as a question")
  func statement() async throws {
    let ball = try ScriptedBall(.refusing(.unlikelyError))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let expected = BallError.sendFailed(BallError.coreBluetooth(RejectionReason.questionPlease))
    await #expect(throws: expected) { try await found.ask("It will rain.") }
    #expect(found.error == expected)
    #expect(client.timers.running.isEmpty)
    let told = await client.told(until: \.isFailure)
    #expect(told.last == "failed sendFailed(coreBluetooth(.questionPlease))")
  }

  @Test("any other ATT error is the peripheral's")
  func otherRefusal() async throws {
    let ball = try ScriptedBall(.refusing(.insufficientResources))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let error = CBATTError(.insufficientResources)
    await #expect(
      throws: BallError.sendFailed(
        BallError.coreBluetooth(RejectionReason.peripheralError(error)))
    ) { try await found.ask("Is there room?") }
  }

  @Test("a silent ball is timed out and still connected, and its late answer still comes")
  func timeOut() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task { try await found.ask("Anyone?") }
    var told = await client.told { if case .asked = $0 { true } else { false } }
    #expect(told == Self.beginning + ["asked Anyone?"])
    #expect(client.timers.running == [2])
    client.timers.fire()
    await #expect(throws: BallError.sendFailed(RejectionReason.timedOut)) {
      try await asking.value
    }
    #expect(found.isConnected)
    ball.answer("Reply hazy, try again.")
    told = await client.told(until: \.isAnswer)
    #expect(
      told == ["failed sendFailed(.timedOut)", "answered Reply hazy, try again."])
    #expect(found.answer == "Reply hazy, try again.")
  }

  @Test("a ball that leaves half-way is offline, is lost, and no longer one of the balls")
  func leaving() async throws {
    let ball = try ScriptedBall(.leaving)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Going already?")
    }
    let told = await client.told(until: \.isLoss)
    #expect(told == Self.beginning + ["failed sendFailed(.deviceOffline)", "lost"])
    #expect(client.central.balls.isEmpty)
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Still there?")
    }
  }

  @Test("a ball that left may be discovered again")
  func foundAgain() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    let first = try #require(await client.discovered())
    client.central.restart()
    var again: Ball?
    for await event in client.central.events {
      if case .discovered(let ball) = event, ball !== first {
        again = ball
        break
      }
    }
    let second = try #require(again)
    #expect(second.isSameDevice(as: first))
    #expect(try await second.ask("Again?") == "Yes.")
  }

  @Test("a radio that is lost takes the ball with it")
  func radioLost() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task { try await found.ask("Anyone?") }
    _ = await client.told { if case .asked = $0 { true } else { false } }
    client.radio.close()
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await asking.value
    }
    #expect(client.central.balls.isEmpty)
    let told = await client.told { if case .stateUpdated = $0 { true } else { false } }
    #expect(told == ["failed sendFailed(.deviceOffline)", "lost", "powered off"])
  }

  @Test("a ball without its characteristics is discovered, and cannot be asked")
  func noCharacteristics() async throws {
    let ball = try ScriptedBall(.silent, hasCharacteristics: false)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Anything there?")
    }
  }

  @Test("a task that is cancelled waits no longer")
  func cancelled() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task { try await found.ask("Anyone?") }
    _ = await client.told { if case .asked = $0 { true } else { false } }
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
  }

  @Test("a task that is cancelled before it asks asks nothing")
  func cancelledBefore() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await found.ask("Anyone?")
    }
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    client.central.queue.sync {
      #expect(found.conversation.interimQuestion == nil)
    }
    #expect(client.timers.running.isEmpty)
  }

  @Test("a ball that is too faint, or too near, is not taken")
  func rssi() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let near = try Client(of: ball)
    let far = try Client(of: ball, rssiRange: -20 ... -1)
    let found = try #require(await near.discovered())
    #expect(found.rssi == -50)
    // By the time of an answer, the ball has been heard by both.
    _ = try await found.ask("Am I near?")
    #expect(far.central.balls.isEmpty)
  }

  @Test("a write that fails otherwise than by an ATT error is unknown")
  func unknown() async throws {
    let ball = try ScriptedBall(.deaf)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task { try await found.ask("Anyone?") }
    for await line in ball.news where line == "Anyone?" { break }
    client.central.queue.sync {
      guard let question = found.conversation.questionCharacteristic else { return }
      client.central.peripheral(
        found.peripheral, didWriteValueFor: question, error: CBError(.outOfSpace))
    }
    await #expect(throws: BallError.sendFailed(RejectionReason.unknown(CBError(.outOfSpace)))) {
      try await asking.value
    }
  }

  @Test("a confirmation that nobody waits for is the peripheral's error")
  func unasked() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    client.central.queue.sync {
      guard let question = found.conversation.questionCharacteristic else { return }
      client.central.peripheral(found.peripheral, didWriteValueFor: question, error: nil)
    }
    #expect(found.error == .sendFailed(RejectionReason.peripheralError(nil)))
  }

  @Test("a refused subscription is the peripheral's error, whatever it says")
  func refusedSubscription() async throws {
    let ball = try ScriptedBall(.deaf)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let central = client.central
    // Right behind the question, and so before the ball can have confirmed the subscription.
    central.queue.sync {
      found.send("Anyone?")
      central.queue.async {
        guard let answer = found.conversation.answerCharacteristic else { return }
        central.peripheral(
          found.peripheral, didUpdateNotificationStateFor: answer,
          error: CBATTError(.unlikelyError))
      }
    }
    let error = RejectionReason.peripheralError(CBATTError(.unlikelyError))
    let told = await client.told(until: \.isFailure)
    #expect(told.suffix(1) == ["failed sendFailed(coreBluetooth(.peripheralError(14)))"])
    #expect(found.error == .sendFailed(BallError.coreBluetooth(error)))
  }

  @Test("a question that has waited too long fails once, also if the ball goes afterwards")
  func lateLoss() async throws {
    let ball = try ScriptedBall(.deaf)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    found.send("Can you hear me?")
    while client.timers.running.isEmpty { await Task.yield() }
    client.timers.fire()
    _ = await client.told(until: \.isFailure)
    ball.radio.close()
    let told = await client.told(until: \.isLoss)
    #expect(told == ["failed coreBluetooth(.deviceOffline)", "lost"])
  }
}
