import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// Several questions to one ball at once.
@Suite("Questions that wait for their turn, with the SDK", .timeLimit(.minutes(1)))
struct TurnTests {
  /// A silent ball that has accepted `First?` of the task `first`, while `Second?` waits.
  private struct TwoQuestions {
    let ball: ScriptedBall
    let client: Client
    let found: Ball
    let first: Task<String, any Error>
    let second: Task<String, any Error>

    init() async throws {
      let (ball, client, found) = try await Client.discovering(.silent)
      (self.ball, self.client, self.found) = (ball, client, found)
      first = Task { try await found.ask("First?") }
      for await line in ball.lines where line == "First?" { break }
      second = Task { try await found.ask("Second?") }
      while await Self.waiting(for: found) == 0 { await Task.yield() }
    }

    static func waiting(for ball: Ball) async -> Int {
      guard let queue = ball.central?.queue else { return 0 }
      return await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: ball.conversation.waiting.count) }
      }
    }

    /// Waits until the ball has accepted a question.
    func accepts(_ question: String) async {
      _ = await client.reported { if case .asked(_, question) = $0 { true } else { false } }
    }
  }

  @Test("a second question waits for the first answer, and its time-out begins with its turn")
  func inTurn() async throws {
    let line = try await TwoQuestions()
    await line.accepts("First?")
    // Only the first question's timer runs.
    #expect(line.client.timers.running == [2])
    #expect(line.found.question == "First?")
    line.ball.answer("Yes.")
    #expect(try await line.first.value == "Yes.")
    await line.accepts("Second?")
    #expect(line.client.timers.running == [2])
    line.ball.answer("No.")
    #expect(try await line.second.value == "No.")
    #expect(line.ball.log.filter { $0.hasSuffix("?") } == ["First?", "Second?"])
    #expect(line.client.timers.running.isEmpty)
  }

  @Test("the second question follows when the first times out or is cancelled")
  func room() async throws {
    for isCancelled in [false, true] {
      let line = try await TwoQuestions()
      await line.accepts("First?")
      if isCancelled {
        line.first.cancel()
        await #expect(throws: CancellationError.self) { try await line.first.value }
      } else {
        line.client.timers.fire()
        await #expect(throws: BallError.sendFailed(RejectionReason.timedOut)) {
          try await line.first.value
        }
      }
      await line.accepts("Second?")
      line.ball.answer("No.")
      #expect(try await line.second.value == "No.")
    }
  }

  @Test("the second question follows when the first is refused, and is refused too")
  func refused() async throws {
    let ball = try ScriptedBall(.refusing(.unlikelyError))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let tasks = ["One.", "Two.", "Three."].map { text in Task { try await found.ask(text) } }
    for task in tasks {
      await #expect(
        throws: BallError.sendFailed(BallError.coreBluetooth(RejectionReason.questionPlease))
      ) { try await task.value }
    }
  }

  @Test("a waiting question that is cancelled is never written")
  func cancelled() async throws {
    let line = try await TwoQuestions()
    await line.accepts("First?")
    line.second.cancel()
    await #expect(throws: CancellationError.self) { try await line.second.value }
    while await TwoQuestions.waiting(for: line.found) != 0 { await Task.yield() }
    #expect(line.client.timers.running == [2])
    line.ball.answer("Yes.")
    #expect(try await line.first.value == "Yes.")
    let third = Task { try await line.found.ask("Third?") }
    await line.accepts("Third?")
    line.ball.answer("No.")
    #expect(try await third.value == "No.")
    #expect(line.ball.log.filter { $0.hasSuffix("?") } == ["First?", "Third?"])
  }

  @Test("the loss of a ball fails all waiting questions")
  func lost() async throws {
    let line = try await TwoQuestions()
    line.ball.radio.close()
    for task in [line.first, line.second] {
      await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
        try await task.value
      }
    }
    let reported = await line.client.reported(until: \.isLoss)
    #expect(reported.suffix(2) == ["failed sendFailed(.deviceOffline)", "lost"])
  }

  @Test("a sent question waits for asked ones, and replaces a sent one")
  func sent() async throws {
    let line = try await TwoQuestions()
    await line.accepts("First?")
    line.found.send("Third?")
    line.found.send("Fourth?")
    line.ball.answer("Yes.")
    #expect(try await line.first.value == "Yes.")
    await line.accepts("Second?")
    line.ball.answer("No.")
    #expect(try await line.second.value == "No.")
    await line.accepts("Fourth?")
    line.found.send("Fifth?")
    await line.accepts("Fifth?")
    #expect(line.client.timers.running == [2])
    line.ball.answer("Very doubtful.")
    _ = await line.client.reported(until: \.isAnswer)
    #expect(
      line.ball.log.filter { $0.hasSuffix("?") } == ["First?", "Second?", "Fourth?", "Fifth?"])
    #expect(line.found.question == "Fifth?")
    #expect(line.found.answer == "Very doubtful.")
  }
}
