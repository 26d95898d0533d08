import CoreBluetooth
import Foundation
import LinuxTestSupport
import Testing

@testable import EightBallKit

@Suite("Observers of the SDK", .timeLimit(.minutes(1)))
struct ObserverTests {
  @Test("are added once each, and referenced weakly")
  func registration() throws {
    let client = try Client(wanting: "nobody", on: TestAir())
    let observer = Recorder()
    #expect(client.central.addObserver(observer) != nil)
    #expect(client.central.addObserver(observer) == nil)
    #expect(client.central.isObserved(by: observer))
    #expect(client.central.observers.count == 1)
    client.central.removeObserver(observer)
    #expect(!client.central.isObserved(by: observer))
    _ = client.central.addObserver(Recorder())
    #expect(client.central.observers.isEmpty)
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
    #expect(central.observers.isEmpty)
  }

  @Test("of both sides receive the same question and the same answer, in order")
  func bothSides() async throws {
    let name = "Ball \(UUID().uuidString.prefix(8))"
    var options = BallPeripheral.Options()
    options.localName = name
    options.answerStyle = .slug
    let air = TestAir()
    let radio = try CBRadio(air.radio)
    let own = Recorder()
    let queue = DispatchQueue(label: "ball")
    let ball = BallPeripheral(
      options: options, queue: queue, nextAnswer: { BallAnswer.all[15] }
    ) {
      ($0 as? BallPeripheral)?.addObserver(own)
      return CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio)
    }
    let others = Recorder()
    let client = try Client(wanting: name, on: air, observer: others)
    let found = try #require(await client.discovered())
    let answer = try await found.ask("Will it rain?")
    // The ball reports the answer after sending it.
    queue.sync {}
    #expect(answer == "SLUG-ANSWER-15")
    #expect(BallAnswer(answer)?.text == "Don’t count on it.")
    #expect(
      others.log == [
        "state", "discovered", "asked Will it rain?", "answered SLUG-ANSWER-15",
      ])
    #expect(
      own.log == ["state", "was asked Will it rain?", "sent SLUG-ANSWER-15 to Will it rain?"])
    #expect(ball.askers.first?.question == "Will it rain?")
    #expect(ball.askers.first?.answer == "SLUG-ANSWER-15")
    await #expect(throws: BallError.self) { try await found.ask("It will rain.") }
    #expect(own.log.count == 3)
  }

  @Test("can answer instead of the ball")
  func byHand() async throws {
    let name = "Ball \(UUID().uuidString.prefix(8))"
    var options = BallPeripheral.Options()
    options.localName = name
    options.answersByItself = false
    let air = TestAir()
    let radio = try CBRadio(air.radio)
    let ball = BallPeripheral(
      options: options, queue: DispatchQueue(label: "ball"),
      makeManager: { CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
    let oracle = Oracle()
    ball.addObserver(oracle)
    let client = try Client(wanting: name, on: air)
    let found = try #require(await client.discovered())
    #expect(try await found.ask("Who are you?") == "You asked: Who are you?")
  }

  @Test("of each role have a manager")
  func roles() {
    #expect(BallManager.make(.central) is BallCentral)
    #expect(BallManager.make(.peripheral) is BallPeripheral)
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

/// Records each event as text.
private final class Recorder: BallCentralObserver, BallPeripheralObserver, @unchecked Sendable {
  private let words = Locked<[String]>([])
  var log: [String] { words.withLock(\.self) }

  private func note(_ text: String) { words.withLock { $0.append(text) } }

  func ballManagerDidUpdateState(_ manager: BallManager) { note("state") }

  func ballManager(
    _ manager: BallManager, didFailWith error: BallError, for device: (any BallDevice)?
  ) {
    note("failed \(error.words)")
  }

  func ballCentral(_ central: BallCentral, didDiscover ball: Ball) { note("discovered") }

  func ballCentral(_ central: BallCentral, didAsk ball: Ball) {
    note("asked \(ball.question ?? "nothing")")
  }

  func ballCentral(_ central: BallCentral, didReceiveAnswerFrom ball: Ball) {
    note("answered \(ball.answer ?? "nothing")")
  }

  func ballCentral(_ central: BallCentral, didLose ball: Ball) { note("lost") }

  func ballPeripheral(
    _ peripheral: BallPeripheral, wasAsked question: String, by asker: BallAsker
  ) {
    note("was asked \(question)")
  }

  func ballPeripheral(
    _ peripheral: BallPeripheral, didSend answer: String, to asker: BallAsker, question: String
  ) {
    note("sent \(answer) to \(question)")
  }
}
