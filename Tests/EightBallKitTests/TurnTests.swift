import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// Several questions to one ball at once. The ball has heard `First?`, of three.
@Suite("Questions that wait for their turn")
struct TurnTests {
  /// How the turn of the first question ends.
  enum End: CaseIterable {
    case answer, timeOut, refusal, cancellation
  }

  private let it: BenchBall
  private let inquiries = (0..<3).map { _ in Inquiry() }

  init() throws {
    it = try BenchBall(CentralBench())
    for (inquiry, question) in zip(inquiries, ["First?", "Second?", "Third?"]) {
      it.bench.central.send(question, to: it.ball, answerer: inquiry)
    }
    it.subscribed()
    expect(it.take(), is: ["notify true", "write First?"])
    expect(it.bench.timers.running, is: [2])
  }

  /// What a call of `ask` has returned or thrown.
  private func result(_ inquiry: Inquiry) async throws -> String {
    guard inquiry.isEnded else { return "waits" }
    do {
      return try await withCheckedThrowingContinuation { inquiry.begin($0) }
    } catch let error as BallError {
      return error.words
    } catch is CancellationError { return "cancelled" }
  }

  @Test("the next one follows, with its own time-out", arguments: End.allCases)
  func next(end: End) async throws {
    let expected: (lines: [String], result: String)
    switch end {
    case .answer:
      it.accepted()
      it.answers("Yes.")
      expected = (["asked First?", "notify false", "answered Yes."], "Yes.")
    case .timeOut:
      it.bench.timers.fire()
      expected = (["failed sendFailed(.timedOut)"], "sendFailed(.timedOut)")
    case .refusal:
      it.accepted(CBATTError(.unlikelyError))
      let error = "sendFailed(coreBluetooth(.questionPlease))"
      expected = (["notify false", "failed \(error)"], error)
    case .cancellation:
      inquiries[0].end(.failure(CancellationError()))
      it.bench.central.giveUp(inquiries[0], of: it.ball)
      expected = (["notify false"], "cancelled")
    }
    expect(it.take(), is: expected.lines + ["notify true"])
    expect(it.bench.timers.running, is: [2])
    expect(try await result(inquiries[0]), is: expected.result)
    expect(try await result(inquiries[1]), is: "waits")
    // The loss of the ball fails all of them.
    it.bench.disconnect(it.peripheral, CBError(.peripheralDisconnected))
    expect(it.take(), is: ["failed sendFailed(.deviceOffline)", "lost"])
    for inquiry in inquiries.dropFirst() {
      expect(try await result(inquiry), is: "sendFailed(.deviceOffline)")
    }
    expect(it.bench.timers.running.isEmpty)
  }
}
