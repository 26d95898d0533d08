import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// The events that an app receives while it asks: exact lists, on the virtual air.
@Suite("Asking with the SDK", .timeLimit(.minutes(1)))
struct AskingTests {
  private static let beginning = ["powered on", "found", "connected", "discovered"]

  @Test("has an answer, and the ball sees the subscription, the question and the unsubscription")
  func answered() async throws {
    let (ball, client, found) = try await Client.discovering(.answering("Most likely."))
    let answer = try await found.ask("Will it rain?")
    #expect(answer == "Most likely.")
    #expect(found.question == "Will it rain?")
    #expect(found.answer == "Most likely.")
    #expect(found.error == nil)
    #expect(client.timers.running.isEmpty)
    let reported = await client.reported(until: \.isAnswer)
    #expect(reported == Self.beginning + ["asked Will it rain?", "answered Most likely."])
    #expect("\(found)" == ball.name)
    let printed = [
      BallCentral.Event.found(found), .connected(found), .discovered(found),
      .asked(found, question: "Will it rain?"), .answered(found, answer: answer), .lost(found),
      .failed(.sendFailed(RejectionReason.timedOut), found),
    ].map(\.description)
    #expect(
      printed == [
        "Found “\(ball.name)”.", "Connected to “\(ball.name)”.", "“\(ball.name)” can be asked.",
        "“\(ball.name)” accepted the question: Will it rain?",
        "“\(ball.name)” answers: Most likely.",
        "Lost “\(ball.name)”.", "“\(ball.name)”: The device did not answer in time.",
      ])
    // A second question shows that the first is over for the ball too.
    _ = try await found.ask("And tomorrow?")
    #expect(
      ball.log.prefix(5) == [
        "subscribed", "Will it rain?", "unsubscribed", "subscribed", "And tomorrow?",
      ])
  }

  @Test("takes questions of any length", arguments: [1, 19, 20, 21, 244, 512])
  func lengths(count: Int) async throws {
    let (ball, client, found) = try await Client.discovering(.answering("Yes."))
    defer { withExtendedLifetime(client) {} }
    let question = String(repeating: "x", count: count - 1) + "?"
    #expect(try await found.ask(question) == "Yes.")
    #expect(ball.log.contains(question))
  }

  @Test("a statement is refused: please phrase it as a question")
  func statement() async throws {
    let (_, client, found) = try await Client.discovering(.refusing(.unlikelyError))
    let expected = BallError.sendFailed(BallError.coreBluetooth(RejectionReason.questionPlease))
    await #expect(throws: expected) { try await found.ask("It will rain.") }
    #expect(found.error == expected)
    #expect(client.timers.running.isEmpty)
    let reported = await client.reported(until: \.isFailure)
    #expect(reported.last == "failed sendFailed(coreBluetooth(.questionPlease))")
  }

  @Test("any other ATT error is reported as the peripheral's")
  func otherRefusal() async throws {
    let (_, client, found) = try await Client.discovering(.refusing(.insufficientResources))
    defer { withExtendedLifetime(client) {} }
    let error = CBATTError(.insufficientResources)
    await #expect(
      throws: BallError.sendFailed(
        BallError.coreBluetooth(RejectionReason.peripheralError(error)))
    ) { try await found.ask("Is there room?") }
  }

  @Test("a silent ball times out and stays connected, and its late answer is reported")
  func timeOut() async throws {
    let (ball, client, found) = try await Client.discovering(.silent)
    let asking = Task { try await found.ask("Anyone?") }
    var reported = await client.reported { if case .asked = $0 { true } else { false } }
    #expect(reported == Self.beginning + ["asked Anyone?"])
    #expect(client.timers.running == [2])
    client.timers.fire()
    await #expect(throws: BallError.sendFailed(RejectionReason.timedOut)) {
      try await asking.value
    }
    #expect(found.isConnected)
    ball.answer("Reply hazy, try again.")
    reported = await client.reported(until: \.isAnswer)
    #expect(
      reported == ["failed sendFailed(.timedOut)", "answered Reply hazy, try again."])
    #expect(found.answer == "Reply hazy, try again.")
  }

  @Test("a ball that disconnects half-way is offline, lost, and no longer in the list")
  func leaving() async throws {
    let (_, client, found) = try await Client.discovering(.leaving)
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Going already?")
    }
    let reported = await client.reported(until: \.isLoss)
    #expect(reported == Self.beginning + ["failed sendFailed(.deviceOffline)", "lost"])
    #expect(client.central.balls.isEmpty)
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Still there?")
    }
  }

  @Test("a ball that disconnected may be discovered again")
  func foundAgain() async throws {
    let (_, client, first) = try await Client.discovering(.answering("Yes."))
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

  @Test("the loss of the radio loses the ball")
  func radioLost() async throws {
    let (_, client, found) = try await Client.discovering(.silent)
    let asking = Task { try await found.ask("Anyone?") }
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    client.radio.close()
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await asking.value
    }
    #expect(client.central.balls.isEmpty)
    let reported = await client.reported { if case .stateUpdated = $0 { true } else { false } }
    #expect(reported == ["failed sendFailed(.deviceOffline)", "lost", "powered off"])
  }

  @Test("a ball without its characteristics is discovered but cannot be asked")
  func noCharacteristics() async throws {
    let ball = try ScriptedBall(.silent, hasCharacteristics: false)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Anything there?")
    }
  }

  @Test("a task cancelled before its question does not ask")
  func cancelledBefore() async throws {
    let (_, client, found) = try await Client.discovering(.silent)
    let asking = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await found.ask("Anyone?")
    }
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    client.central.queue.sync {
      #expect(found.conversation.unacceptedQuestion == nil)
    }
    #expect(client.timers.running.isEmpty)
  }

  @Test("a ball that is too far or too near is not taken")
  func rssi() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let near = try Client(of: ball)
    let far = try Client(of: ball, rssiRange: -20 ... -1)
    let found = try #require(await near.discovered())
    #expect(found.rssi == -50)
    // By the time of an answer, both have found the ball.
    _ = try await found.ask("Am I near?")
    #expect(far.central.balls.isEmpty)
  }

  @Test("a write that fails without an ATT error is unknown")
  func unknown() async throws {
    let (ball, client, found) = try await Client.discovering(.deaf)
    let asking = Task { try await found.ask("Anyone?") }
    for await line in ball.lines where line == "Anyone?" { break }
    client.central.queue.sync {
      guard let question = found.conversation.questionCharacteristic else { return }
      client.central.peripheral(
        found.peripheral, didWriteValueFor: question, error: CBError(.outOfSpace))
    }
    await #expect(throws: BallError.sendFailed(RejectionReason.unknown(CBError(.outOfSpace)))) {
      try await asking.value
    }
  }

  @Test("an unexpected confirmation is the peripheral's error")
  func unasked() async throws {
    let (_, client, found) = try await Client.discovering(.silent)
    client.central.queue.sync {
      guard let question = found.conversation.questionCharacteristic else { return }
      client.central.peripheral(found.peripheral, didWriteValueFor: question, error: nil)
    }
    #expect(found.error == .sendFailed(RejectionReason.peripheralError(nil)))
  }

  @Test("a refused subscription is the peripheral's error, with any code")
  func refusedSubscription() async throws {
    let (_, client, found) = try await Client.discovering(.deaf)
    let central = client.central
    // Right after the question, so the ball cannot have confirmed the subscription.
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
    let reported = await client.reported(until: \.isFailure)
    #expect(reported.suffix(1) == ["failed sendFailed(coreBluetooth(.peripheralError(14)))"])
    #expect(found.error == .sendFailed(BallError.coreBluetooth(error)))
  }

  @Test("a question that has timed out fails once, even if the ball disconnects afterwards")
  func lateLoss() async throws {
    let (ball, client, found) = try await Client.discovering(.deaf)
    found.send("Can you hear me?")
    while client.timers.running.isEmpty { await Task.yield() }
    client.timers.fire()
    _ = await client.reported(until: \.isFailure)
    ball.radio.close()
    let reported = await client.reported(until: \.isLoss)
    #expect(reported == ["failed coreBluetooth(.deviceOffline)", "lost"])
  }
}
