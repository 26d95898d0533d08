import CoreBluetooth
import Expectations
import Foundation
import LinuxTestSupport

@testable import EightBallKit

@Suite("Observers of the SDK", .timeLimit(.minutes(1)))
struct ObserverTests {
  @Test("are added once each, and referenced weakly")
  func registration() throws {
    let client = try Client(wanting: "nobody", on: TestAir())
    let observer = Recorder()
    expect(client.central.addObserver(observer) != nil)
    expect(client.central.addObserver(observer), is: nil)
    expect(client.central.isObserved(by: observer))
    expect(client.central.observers.count, is: 1)
    client.central.removeObserver(observer)
    expect(!client.central.isObserved(by: observer))
    _ = client.central.addObserver(Recorder())
    expect(client.central.observers.isEmpty)
  }

  @Test("may remove themselves in deinit while others are added")
  func removalInDeinit() throws {
    let central = try Client(wanting: "nobody", on: TestAir()).central
    let other = Recorder()
    let isOver = Locked(false)
    // Often, since the two meet only by chance.
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      if thread == 0 {
        for _ in 0..<50_000 { _ = Leaver(central) }
        isOver.withLock { $0 = true }
      } else {
        while !isOver.withLock(\.self) {
          central.addObserver(other)
          central.removeObserver(other)
        }
      }
    }
    expect(central.observers.isEmpty)
  }

  /// A ball of the SDK on the air.
  private func ball(
    _ options: BallPeripheral.Options, on radio: CBRadio, observer: any BallObserver
  ) -> BallPeripheral {
    BallPeripheral(
      options: options, queue: DispatchQueue(label: "ball"), nextAnswer: { BallAnswer.all[15] }
    ) {
      ($0 as? BallPeripheral)?.addObserver(observer)
      return CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio)
    }
  }

  @Test("of both sides receive the same question and the same answer, in order")
  func bothSides() async throws {
    let air = TestAir()
    let radio = try CBRadio(air.radio)
    var options = BallPeripheral.Options()
    options.answerStyle = .slug
    let (own, others) = (Recorder(), Recorder())
    let ball = ball(options, on: radio, observer: own)
    let client = try Client(wanting: ball.localName, on: air, observer: others)
    let found = try #require(await client.discovered())
    let answer = try await found.ask("Will it rain?")
    // The ball reports the answer after sending it.
    ball.queue.sync {}
    expect(answer, is: "SLUG-ANSWER-15")
    expect(BallAnswer(answer)?.text, is: "Don’t count on it.")
    expect(
      others.lines.take(),
      is: ["powered on", "discovered", "asked Will it rain?", "answered SLUG-ANSWER-15"])
    expect(
      own.lines.take(),
      is: ["powered on", "asked Will it rain?", "sent SLUG-ANSWER-15 to Will it rain?"])
    expect(ball.askers.first?.question, is: "Will it rain?")
    expect(ball.askers.first?.answer, is: "SLUG-ANSWER-15")
    await #expect(throws: BallError.self) { try await found.ask("It will rain.") }
    expect(own.lines.take(), is: [])
  }

  @Test("can answer instead of the ball")
  func byHand() async throws {
    let air = TestAir()
    let radio = try CBRadio(air.radio)
    var options = BallPeripheral.Options()
    options.answersByItself = false
    let oracle = Oracle()
    let ball = ball(options, on: radio, observer: oracle)
    let client = try Client(wanting: ball.localName, on: air)
    let found = try #require(await client.discovered())
    expect(try await found.ask("Who are you?"), is: "You asked: Who are you?")
    withExtendedLifetime(oracle) {}
  }

  @Test("of each role have a manager")
  func roles() {
    expect(BallManager.make(.central) is BallCentral)
    expect(BallManager.make(.peripheral) is BallPeripheral)
  }
}

/// Observes until its release.
private final class Leaver: BallObserver {
  private let manager: BallManager

  init(_ manager: BallManager) {
    self.manager = manager
    manager.addObserver(self)
  }

  deinit { manager.removeObserver(self) }
}

/// Answers each question with a copy of it.
private final class Oracle: BallPeripheralObserver {
  func ballPeripheral(
    _ peripheral: BallPeripheral, wasAsked question: String, by asker: BallAsker
  ) {
    asker.send("You asked: \(question)")
  }
}
