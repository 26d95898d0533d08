import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// The events that an app receives while it asks: exact lists, on the virtual air.
@Suite("Asking with the SDK", .timeLimit(.minutes(1)))
struct AskingTests {
  private static let beginning = ["powered on", "found", "connected", "discovered"]

  @Test("has an answer, and the ball sees the subscription, the question and the unsubscription")
  func answered() async throws {
    let (ball, client, found) = try await Client.discovering(.answering("Most likely."))
    expect(try await found.ask("Will it rain?"), is: "Most likely.")
    expect(found.question, is: "Will it rain?")
    expect(found.answer, is: "Most likely.")
    expect(found.error, is: nil)
    expect(client.timers.running.isEmpty)
    expect(
      await client.reported(until: "answered"),
      is: Self.beginning + ["asked Will it rain?", "answered Most likely."])
    expect("\(found)", is: ball.name)
    expect(await client.discovered() === found, "a new reader begins with the present balls")
    let printed = [
      BallCentral.Event.found(found), .connected(found), .discovered(found),
      .asked(found, question: "Will it rain?"), .answered(found, answer: "Most likely."),
      .lost(found),
      .failed(.sendFailed(RejectionReason.timedOut), found),
    ].map(\.description)
    expect(
      printed,
      is: [
        "Found “\(ball.name)”.", "Connected to “\(ball.name)”.", "“\(ball.name)” can be asked.",
        "“\(ball.name)” accepted the question: Will it rain?",
        "“\(ball.name)” answers: Most likely.",
        "Lost “\(ball.name)”.", "“\(ball.name)”: The device did not answer in time.",
      ])
    // A second question shows that the first is over for the ball too.
    _ = try await found.ask("And tomorrow?")
    expect(
      ball.log.prefix(5),
      is: ["subscribed", "Will it rain?", "unsubscribed", "subscribed", "And tomorrow?"])
  }

  @Test("takes questions of any length", arguments: [1, 19, 20, 21, 244, 512])
  func lengths(count: Int) async throws {
    let (ball, client, found) = try await Client.discovering(.answering("Yes."))
    defer { withExtendedLifetime(client) {} }
    let question = String(repeating: "x", count: count - 1) + "?"
    expect(try await found.ask(question), is: "Yes.")
    expect(ball.log.contains(question))
  }

  @Test("a ball that disconnects half-way is offline, lost, and no longer in the list")
  func leaving() async throws {
    let (_, client, found) = try await Client.discovering(.leaving)
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Going already?")
    }
    expect(
      await client.reported(until: "lost"),
      is: Self.beginning + ["failed sendFailed(.deviceOffline)", "lost"])
    expect(client.central.balls.isEmpty)
    await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
      try await found.ask("Still there?")
    }
  }

  @Test("a task that is cancelled stops waiting, and its question is never written")
  func cancelled() async throws {
    let (ball, client, found) = try await Client.discovering(.silent)
    let first = Task { try await found.ask("First?") }
    for await line in ball.lines where line == "First?" { break }
    let second = Task { try await found.ask("Second?") }
    while client.waiting(for: found) == 0 { await Task.yield() }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    while client.waiting(for: found) != 0 { await Task.yield() }
    ball.answer("Yes.")
    expect(try await first.value, is: "Yes.")
    let third = Task { try await found.ask("Third?") }
    for await line in ball.lines where line == "Third?" { break }
    ball.answer("No.")
    expect(try await third.value, is: "No.")
    expect(ball.log.filter { $0.hasSuffix("?") }, is: ["First?", "Third?"])
  }
}
