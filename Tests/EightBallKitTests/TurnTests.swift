import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// Several questions to one ball at once.
@Suite("Questions that wait their turn, by the SDK", .timeLimit(.minutes(1)))
struct TurnTests {
  /// A silent ball that has taken `First?`, asked by `first`, with `Second?` waiting behind it.
  private struct Line {
    let ball: ScriptedBall
    let client: Client
    let found: Ball
    let first: Task<String, any Error>
    let second: Task<String, any Error>

    init() async throws {
      let ball = try ScriptedBall(.silent)
      let client = try Client(of: ball)
      let found = try #require(await client.discovered())
      self.ball = ball
      self.client = client
      self.found = found
      first = Task { try await found.ask("First?") }
      for await line in ball.news where line == "First?" { break }
      second = Task { try await found.ask("Second?") }
      while await Self.waiting(for: found) == 0 { await Task.yield() }
    }

    static func waiting(for ball: Ball) async -> Int {
      guard let queue = ball.central?.queue else { return 0 }
      return await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: ball.conversation.waiting.count) }
      }
    }

    /// Waits until the ball has taken a question.
    func taken(_ question: String) async {
      _ = await client.told { if case .asked(_, question) = $0 { true } else { false } }
    }
  }

  @Test("a second question waits for the first one's answer, and its time begins with its turn")
  func inTurn() async throws {
    let line = try await Line()
    await line.taken("First?")
    // One timer runs, which is the first question's.
    #expect(line.client.timers.running == [2])
    #expect(line.found.question == "First?")
    line.ball.answer("Yes.")
    #expect(try await line.first.value == "Yes.")
    await line.taken("Second?")
    #expect(line.client.timers.running == [2])
    line.ball.answer("No.")
    #expect(try await line.second.value == "No.")
    #expect(line.ball.log.filter { $0.hasSuffix("?") } == ["First?", "Second?"])
    #expect(line.client.timers.running.isEmpty)
  }

  @Test("a first question that times out, or is cancelled, makes place for the second")
  func place() async throws {
    for isCancelled in [false, true] {
      let line = try await Line()
      await line.taken("First?")
      if isCancelled {
        line.first.cancel()
        await #expect(throws: CancellationError.self) { try await line.first.value }
      } else {
        line.client.timers.fire()
        await #expect(throws: BallError.sendFailed(RejectionReason.timedOut)) {
          try await line.first.value
        }
      }
      await line.taken("Second?")
      line.ball.answer("No.")
      #expect(try await line.second.value == "No.")
    }
  }

  @Test("a first question that is refused makes place for the second, which is refused too")
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

  @Test("a waiting question that is cancelled frees its place, and is never written")
  func cancelled() async throws {
    let line = try await Line()
    await line.taken("First?")
    line.second.cancel()
    await #expect(throws: CancellationError.self) { try await line.second.value }
    while await Line.waiting(for: line.found) != 0 { await Task.yield() }
    #expect(line.client.timers.running == [2])
    line.ball.answer("Yes.")
    #expect(try await line.first.value == "Yes.")
    let third = Task { try await line.found.ask("Third?") }
    await line.taken("Third?")
    line.ball.answer("No.")
    #expect(try await third.value == "No.")
    #expect(line.ball.log.filter { $0.hasSuffix("?") } == ["First?", "Third?"])
  }

  @Test("a ball that is lost fails all that wait")
  func lost() async throws {
    let line = try await Line()
    line.ball.radio.close()
    for task in [line.first, line.second] {
      await #expect(throws: BallError.sendFailed(RejectionReason.deviceOffline)) {
        try await task.value
      }
    }
    let told = await line.client.told(until: \.isLoss)
    #expect(told.suffix(2) == ["failed sendFailed(.deviceOffline)", "lost"])
  }

  @Test("a question that is sent waits behind one that is asked, and replaces one that was sent")
  func sent() async throws {
    let line = try await Line()
    await line.taken("First?")
    line.found.send("Third?")
    line.found.send("Fourth?")
    line.ball.answer("Yes.")
    #expect(try await line.first.value == "Yes.")
    await line.taken("Second?")
    line.ball.answer("No.")
    #expect(try await line.second.value == "No.")
    await line.taken("Fourth?")
    line.found.send("Fifth?")
    await line.taken("Fifth?")
    #expect(line.client.timers.running == [2])
    line.ball.answer("Very doubtful.")
    _ = await line.client.told(until: \.isAnswer)
    #expect(
      line.ball.log.filter { $0.hasSuffix("?") } == ["First?", "Second?", "Fourth?", "Fifth?"])
    #expect(line.found.question == "Fifth?")
    #expect(line.found.answer == "Very doubtful.")
  }
}
