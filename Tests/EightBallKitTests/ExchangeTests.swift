import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// From a question to its answer in every order of reports, with no radio.
@Suite("A central's exchange with a ball")
struct ExchangeTests {
  private let it: BenchBall

  init() throws { it = try BenchBall(CentralBench()) }

  /// Asks, up to the confirmation.
  private func ask(_ question: String) {
    it.ball.send(question)
    it.subscribed()
    it.accepted()
    expect(it.take(), is: ["notify true", "write \(question)", "asked \(question)"])
  }

  @Test("subscribes, writes, waits and unsubscribes")
  func whole() {
    it.ball.send("Sure?")
    expect(it.take(), is: ["notify true"])
    expect(it.bench.timers.running, is: [2])
    it.subscribed()
    expect(it.take(), is: ["write Sure?"])
    expect(it.ball.question, is: nil)
    it.accepted()
    expect(it.take(), is: ["asked Sure?"])
    expect(it.bench.timers.running, is: [2])
    it.answers("Yes.")
    expect(it.take(), is: ["notify false", "answered Yes."])
    expect(it.bench.timers.running.isEmpty)
    it.subscribed(false)
    // A value after the end of the subscription is an answer too.
    it.answers("No.")
    expect(it.take(), is: ["answered No."])
    expect(it.ball.question == "Sure?" && it.ball.answer == "No.")
    it.ball.send("Again?")
    expect(it.take(), is: ["notify true"])
    expect(it.ball.question == nil && it.ball.answer == nil)
  }

  @Test("an answer counts from the write on, and the last one before the confirmation")
  func early() {
    it.ball.send("Sure?")
    it.answers("Stale.")
    it.subscribed()
    it.answers("Early.")
    it.answers("Last.")
    expect(it.take(), is: ["notify true", "write Sure?"])
    it.accepted()
    expect(it.take(), is: ["asked Sure?", "notify false", "answered Last."])
    // The next question starts without it.
    it.subscribed(false)
    ask("And now?")
  }

  @Test(
    "a question that replaces another waits for its own confirmation and answer",
    arguments: [true, false])
  func replaced(isAnswered: Bool) {
    it.ball.send("First?")
    it.subscribed()
    it.ball.send("Second?")
    expect(it.take(), is: ["notify true", "write First?", "notify true"])
    expect(it.bench.timers.running, is: [2])
    it.subscribed()
    // Two writes are unconfirmed: a value may answer the first.
    it.answers("To the first.")
    it.accepted()
    expect(it.take(), is: ["write Second?"])
    if isAnswered { it.answers("To the second.") }
    expect(it.take(), is: [])
    it.accepted()
    let answer = isAnswered ? ["notify false", "answered To the second."] : []
    expect(it.take(), is: ["asked Second?"] + answer)
  }

  @Test("the confirmation or refusal of a replaced question comes before the next is written")
  func lateConfirmation() {
    for error in [nil, CBATTError(.unlikelyError)] {
      it.ball.send("First?")
      it.subscribed()
      it.ball.send("Second?")
      _ = it.take()
      it.accepted(error)
      it.answers("To the first.")
      expect(it.take(), is: [])
      it.exchanges("To the second.")
      expect(
        it.take(),
        is: ["write Second?", "asked Second?", "notify false", "answered To the second."])
      it.subscribed(false)
    }
  }

  @Test(
    "a refused write or subscription is an error by its kind, except the end of the link",
    arguments: [true, false])
  func refused(isWrite: Bool) throws {
    for (label, error, expected) in Self.errors(ofQuestion: isWrite) {
      let it = try BenchBall(CentralBench())
      it.ball.send("Sure?")
      if isWrite { it.subscribed() }
      _ = it.take()
      if isWrite { it.accepted(error) } else { it.subscribed(true, error) }
      let end = isWrite ? ["notify false"] : []
      expect(it.take(), is: expected.map { end + ["failed \($0)"] } ?? [], "\(label)")
      expect(it.bench.timers.running.isEmpty, is: expected != nil, "\(label)")
    }
  }

  private static func errors(ofQuestion: Bool) -> [(String, any Error, String?)] {
    let ends: Set<CBError.Code> = [
      .peripheralDisconnected, .connectionTimeout, .connectionFailed, .notConnected,
      .operationCancelled,
    ]
    let own = (0...18).compactMap(CBError.Code.init(rawValue:)).map { code in
      ("\(code)", CBError(code) as any Error, ends.contains(code) ? nil : "sendFailed(.unknown)")
    }
    let responses = (1...0x11).compactMap(CBATTError.Code.init(rawValue:)).map { code in
      (
        "\(code)", CBATTError(code) as any Error,
        "sendFailed(coreBluetooth("
          + (ofQuestion && code == .unlikelyError
            ? ".questionPlease" : ".peripheralError(\(code.rawValue))") + "))" as String?
      )
    }
    return own + responses
  }

  @Test("a failed change of the subscription concerns only the question that wanted it")
  func oldChanges() {
    ask("First?")
    it.answers("Yes.")
    it.ball.send("Second?")
    expect(it.take(), is: ["notify false", "answered Yes.", "notify true"])
    // The end of the first subscription fails: the second question still waits.
    it.subscribed(false, CBATTError(.unlikelyError))
    expect(it.take(), is: [])
    it.exchanges("No.")
    it.ball.send("Third?")
    it.ball.send("Fourth?")
    expect(
      it.take(),
      is: [
        "write Second?", "asked Second?", "notify false", "answered No.", "notify true",
        "notify true",
      ])
    it.subscribed(false)
    // The subscription of the replaced third question fails, and the fourth's own follows.
    it.subscribed(true, CBATTError(.unlikelyError))
    expect(it.take(), is: [])
    it.subscribed(true, CBATTError(.unlikelyError))
    expect(it.take(), is: ["failed sendFailed(coreBluetooth(.peripheralError(14)))"])
  }

  @Test("reports about the other characteristic, and values that are no text, have no effect")
  func otherCharacteristics() {
    it.ball.send("Sure?")
    it.bench.notifying(it.peripheral, it.question, true)
    expect(it.take(), is: ["notify true"])
    it.subscribed()
    it.bench.wrote(it.peripheral, it.answer)
    expect(it.take(), is: ["write Sure?"])
    it.accepted()
    expect(it.take(), is: ["asked Sure?"])
    it.bench.value(it.peripheral, it.question, [0x41])
    for bytes in [nil, [], [0xFF]] as [[UInt8]?] { it.bench.value(it.peripheral, it.answer, bytes) }
    it.bench.value(it.peripheral, it.answer, [0x41], CBATTError(.unlikelyError))
    expect(it.take(), is: [])
    it.bench.value(it.peripheral, it.answer, [0x41])
    expect(it.take(), is: ["notify false", "answered A"])
  }

  @Test("a confirmation that is no subscription writes nothing")
  func notSubscribed() {
    it.ball.send("Sure?")
    it.subscribed(false)
    expect(it.take(), is: ["notify true"])
    it.subscribed()
    expect(it.take(), is: ["write Sure?"])
    // A second confirmation writes nothing either.
    it.subscribed()
    expect(it.take(), is: [])
  }

  @Test("a confirmation of nothing is the ball's error, and a second one too")
  func unexpected() {
    it.accepted()
    expect(it.take(), is: ["failed sendFailed(.peripheralError(0))"])
    ask("Sure?")
    it.accepted()
    expect(it.take(), is: ["failed sendFailed(.peripheralError(0))"])
  }

  @Test("a question times out once, and a late answer is reported")
  func timeOut() {
    ask("First?")
    it.bench.timers.fire()
    expect(it.take(), is: ["failed sendFailed(.timedOut)"])
    expect(it.ball.error, is: .sendFailed(RejectionReason.timedOut))
    it.answers("Late.")
    expect(it.take(), is: ["notify false", "answered Late."])
    // A question that was not accepted: its later confirmation still counts.
    it.subscribed(false)
    it.ball.send("Second?")
    it.subscribed()
    it.bench.timers.fire()
    expect(it.take(), is: ["notify true", "write Second?", "failed sendFailed(.timedOut)"])
    it.accepted()
    it.answers("Later.")
    expect(it.take(), is: ["asked Second?", "notify false", "answered Later."])
  }

  @Test("the loss of a ball fails the question that it was asked")
  func lost() throws {
    for (label, steps, expected) in [
      ("before a question", 0, "coreBluetooth"), ("while it subscribes", 1, "sendFailed"),
      ("after the answer", 3, "coreBluetooth"), ("while it waits", 2, "sendFailed"),
      ("after the time-out", 4, "coreBluetooth"),
    ] {
      let it = try BenchBall(CentralBench())
      if steps > 0 { it.ball.send("Sure?") }
      if steps > 1 { it.subscribed(); it.accepted() }
      if steps == 3 { it.answers("Yes.") }
      if steps == 4 { it.bench.timers.fire() }
      _ = it.take()
      it.bench.disconnect(it.peripheral, CBError(.peripheralDisconnected))
      expect(it.take(), is: ["failed \(expected)(.deviceOffline)", "lost"], "\(label)")
      expect(it.bench.timers.running.isEmpty, "\(label)")
    }
  }

  @Test("a call of ask that is cancelled ends only its own question")
  func givenUp() throws {
    let labels = ["before it is subscribed", "after it is written", "after it is accepted"]
    for (steps, label) in labels.enumerated() {
      let it = try BenchBall(CentralBench())
      let (inquiry, other, central) = (Inquiry(), Inquiry(), it.bench.central)
      central.send("First?", to: it.ball, answerer: inquiry)
      central.send("Second?", to: it.ball, answerer: other)
      expect(it.take(), is: ["notify true"])
      if steps > 0 { it.subscribed() }
      if steps > 1 { it.accepted() }
      _ = it.take()
      central.giveUp(Inquiry(), of: it.ball)
      expect(it.take(), is: [], "\(label)")
      inquiry.end(.failure(CancellationError()))
      central.giveUp(inquiry, of: it.ball)
      // The next question begins.
      expect(it.take(), is: ["notify false", "notify true"], "\(label)")
      expect(it.bench.timers.running, is: [2], "\(label)")
      other.end(.failure(CancellationError()))
      central.giveUp(other, of: it.ball)
      expect(it.bench.central.queue.sync { it.ball.conversation.waiting.isEmpty }, "\(label)")
      expect(it.bench.timers.running.isEmpty, "\(label)")
    }
  }

  @Test("a call of ask replaces no sent question: each has its turn")
  func asksBehind() {
    let central = it.bench.central
    it.ball.send("Sent?")
    central.send("Asked?", to: it.ball, answerer: Inquiry())
    expect(it.take(), is: ["notify true"])
    it.exchanges("Yes.")
    expect(
      it.take(), is: ["write Sent?", "asked Sent?", "notify false", "answered Yes.", "notify true"])
    it.ball.send("Replaced?")
    it.ball.send("Waiting?")
    central.send("Last?", to: it.ball, answerer: Inquiry())
    for (question, next) in [("Asked?", "Waiting?"), ("Waiting?", "Last?")] {
      it.subscribed(false)
      it.exchanges("No.")
      expect(
        it.take(),
        is: [
          "write \(question)", "asked \(question)", "notify false", "answered No.", "notify true",
        ], "before \(next)")
    }
  }

  @Test("a question that waits and is cancelled is never asked, and the others are")
  func skipped() {
    let (first, second, third) = (Inquiry(), Inquiry(), Inquiry())
    let central = it.bench.central
    central.send("First?", to: it.ball, answerer: first)
    central.send("Second?", to: it.ball, answerer: second)
    central.send("Third?", to: it.ball, answerer: third)
    // The task of the second has ended, and the central does not know yet.
    second.end(.failure(CancellationError()))
    it.exchanges("Yes.")
    expect(first.isEnded && !third.isEnded)
    it.subscribed(false)
    it.subscribed()
    expect(
      it.take(),
      is: [
        "notify true", "write First?", "asked First?", "notify false", "answered Yes.",
        "notify true", "write Third?",
      ])
  }

  @Test("a question to one of two balls is no question to the other, nor is its answer")
  func twoBalls() throws {
    let other = try BenchBall(it.bench, number: 2)
    for (ball, question) in [(it, "First?"), (other, "Second?")] {
      ball.ball.send(question)
      ball.subscribed()
      ball.accepted()
      expect(it.take(), is: ["notify true", "write \(question)", "asked \(question)"])
    }
    other.answers("Second.")
    expect([it, other].map(\.ball.answer), is: [nil, "Second."])
    it.answers("First.")
    expect([it, other].map(\.ball.answer), is: ["First.", "Second."])
    expect([it, other].map(\.ball.question), is: ["First?", "Second?"])
  }
}
