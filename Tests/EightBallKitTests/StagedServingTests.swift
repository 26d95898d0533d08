import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// What a ball does about each report of CoreBluetooth, with no radio.
@Suite("A ball's decisions")
final class StagedServingTests {
  private let lines = Lines()
  private let recorder: Recorder
  private let queue = DispatchQueue(label: "ball")
  private let manager: StagedPeripheralManager
  private let ball: BallPeripheral
  private let central = CBCentral.numbered(1)
  private let question = BenchBall.newQuestion()
  private let answer = BenchBall.newAnswer()

  init() throws {
    let lines = lines
    var made: StagedPeripheralManager?
    ball = BallPeripheral(
      options: BallPeripheral.Options(), queue: queue, nextAnswer: { BallAnswer.all[8] }
    ) { delegate, queue in
      let manager = StagedPeripheralManager(delegate, queue, lines)
      made = manager
      return manager
    }
    manager = try #require(made)
    recorder = Recorder(lines)
    ball.addObserver(recorder)
    power(.poweredOn)
    _ = take()
  }

  private func take() -> [String] {
    queue.sync {}
    return lines.take()
  }

  private func power(_ state: CBManagerState) {
    manager.setState(state)
    queue.sync { ball.peripheralManagerDidUpdateState(manager) }
  }

  private func subscribe(_ isOn: Bool, _ central: CBCentral? = nil) {
    let central = central ?? self.central
    queue.sync {
      if isOn {
        ball.peripheralManager(manager, central: central, didSubscribeTo: answer)
      } else {
        ball.peripheralManager(manager, central: central, didUnsubscribeFrom: answer)
      }
    }
  }

  private func write(_ requests: [CBATTRequest]) {
    queue.sync { ball.peripheralManager(manager, didReceiveWrite: requests) }
  }

  private func ask(_ text: String, _ central: CBCentral? = nil) {
    write([.staged(central ?? self.central, question, Array(text.utf8))])
  }

  @Test("publishes its service and advertises, each time Bluetooth can be used")
  func publishes() throws {
    power(.poweredOff)
    expect(take(), is: ["powered off"])
    power(.poweredOn)
    expect(take(), is: ["powered on", "remove all", "add 2"])
    let service = try #require(manager.service)
    expect(service.uuid == BallProfile.service && service.isPrimary)
    let characteristics = try #require(service.characteristics)
    expect(characteristics.map(\.uuid), is: [BallProfile.question, BallProfile.answer])
    expect(characteristics[0].properties, is: [.write, .writeWithoutResponse])
    expect(characteristics[1].properties, is: [.read, .notify])
    queue.sync { ball.peripheralManager(manager, didAdd: service, error: nil) }
    expect(take(), is: ["advertise 8-Ball 1"])
    queue.sync { ball.peripheralManagerDidStartAdvertising(manager, error: nil) }
    expect(take(), is: [])
    expect(ball.error, is: nil)
    queue.sync { ball.peripheralManager(manager, didAdd: service, error: CBError(.outOfSpace)) }
    expect(take(), is: ["failed coreBluetooth(CBErrorDomain 4), no device"])
    queue.sync {
      ball.peripheralManagerDidStartAdvertising(manager, error: CBError(.alreadyAdvertising))
    }
    expect(take(), is: ["failed coreBluetooth(CBErrorDomain 9), no device"])
    expect(ball.error, is: .coreBluetooth(CBError(.alreadyAdvertising)))
  }

  @Test("a new reader of events begins with the present state")
  func events() async {
    for (state, isAdvertising, expected) in [
      (CBManagerState.poweredOff, true, []), (.poweredOn, false, ["Bluetooth can be used."]),
      (.poweredOn, true, ["Bluetooth can be used.", "Advertising."]),
    ] as [(CBManagerState, Bool, [String])] {
      power(state)
      manager.stagedIsAdvertising = isAdvertising
      let stream = ball.events
      queue.sync { ball.streams.send(.failed(.unknown(nil), nil)) }
      var texts: [String] = []
      for await event in stream {
        if case .failed = event { break }
        texts.append("\(event)")
      }
      expect(texts, is: expected)
    }
  }

  @Test("a read returns the last answer from any offset up to its end")
  func reads() {
    func read(_ offset: Int) -> [String] {
      queue.sync {
        ball.peripheralManager(manager, didReceiveRead: .staged(central, answer, from: offset))
      }
      return take()
    }
    expect(read(0), is: ["respond 0x0 "])
    expect(read(1), is: ["respond 0x7 -"])
    ask("Sure?")
    expect(take(), is: ["respond 0x0 Sure?", "asked Sure?"])
    for (offset, line) in [(0, "0x0 Yes."), (3, "0x0 ."), (4, "0x0 "), (5, "0x7 -")] {
      expect(read(offset), is: ["respond \(line)"])
    }
  }

  @Test("the parts of one write are one question, in order and without gaps")
  func parts() {
    let (part, other) = (Array("Sure".utf8), Array("?".utf8))
    write([.staged(central, question, part), .staged(central, question, from: 4, other)])
    expect(take(), is: ["respond 0x0 Sure", "asked Sure?"])
    let refused: [(String, [CBATTRequest], String)] = [
      (
        "a gap", [.staged(central, question, part), .staged(central, question, from: 5, other)],
        "81"
      ),
      (
        "an overlap",
        [.staged(central, question, part), .staged(central, question, from: 3, other)],
        "81"
      ),
      ("a part without the first", [.staged(central, question, from: 1, other)], "81"),
      ("another value", [.staged(central, answer, other)], "81"),
      (
        "another value behind the question",
        [.staged(central, question, part), .staged(central, answer, from: 4, other)], "81"
      ),
      ("no UTF-8", [.staged(central, question, [0xFF, 0x3F])], "80"),
      ("half a character", [.staged(central, question, [0xC3, 0x3F])], "80"),
      ("half a surrogate pair", [.staged(central, question, [0xED, 0xA0, 0x80, 0x3F])], "80"),
      ("a space behind the question", [.staged(central, question, part + other + [0x20])], "e"),
      ("a statement", [.staged(central, question, part)], "e"),
      ("no value", [.staged(central, question)], "e"),
    ]
    for (label, requests, code) in refused {
      write(requests)
      expect(take().map { $0.split(separator: " ")[1] }, is: ["0x\(code)"], "\(label)")
    }
    write([])
    expect(take(), is: [])
  }

  @Test("a rejected central is refused by the reason, and the others are served")
  func rejections() {
    let reasons: [(RejectionReason, String)] = [
      (.questionPlease, "e"), (.deviceBusy, "11"), (.deviceOffline, "6"), (.timedOut, "6"),
      (.peripheralError(nil), "6"), (.unknown(nil), "6"),
    ]
    for (index, (reason, code)) in reasons.enumerated() {
      let central = CBCentral.numbered(UInt8(10 + index))
      ask("Sure?", central)
      _ = take()
      let asker = ball.askers.first { $0.id == central.identifier }
      asker?.reject(because: reason)
      expect(asker?.error, is: .coreBluetooth(reason))
      ask("Again?", central)
      expect(take(), is: ["respond 0x\(code) Again?"], "\(reason)")
      expect(asker?.question, is: "Sure?", "\(reason)")
    }
    ask("Sure?", .numbered(99))
    expect(take(), is: ["respond 0x0 Sure?", "asked Sure?"])
  }

  @Test("an answer waits for the subscription and for room, and is sent once")
  func answers() {
    ask("Sure?")
    _ = take()
    manager.hasRoom = false
    subscribe(true)
    expect(take(), is: [])
    manager.hasRoom = true
    queue.sync { ball.peripheralManagerIsReady(toUpdateSubscribers: manager) }
    expect(take(), is: ["update Yes. for 1", "sent Yes. to Sure?"])
    queue.sync { ball.peripheralManagerIsReady(toUpdateSubscribers: manager) }
    subscribe(true)
    expect(take(), is: [])
    subscribe(false)
    ask("Again?")
    queue.sync { ball.peripheralManagerIsReady(toUpdateSubscribers: manager) }
    ball.shake()
    expect(take(), is: ["respond 0x0 Again?", "asked Again?"])
    subscribe(true)
    ball.shake()
    expect(
      take(),
      is: ["update Yes. for 1", "sent Yes. to Again?", "update Yes. for 1", "sent Yes. to Again?"])
  }

  /// Symptom: an answer for which there was no room was notified over the next link.
  @Test("an answer that waits for room ends with its subscription")
  func unsubscribed() {
    ask("Sure?")
    manager.hasRoom = false
    subscribe(true)
    subscribe(false)
    manager.hasRoom = true
    _ = take()
    subscribe(true)
    expect(take(), is: [])
  }

  @Test("each central has a separate question and answer")
  func several() {
    let other = CBCentral.numbered(2)
    ask("First?")
    subscribe(true, other)
    ask("Second?", other)
    expect(
      take(),
      is: [
        "respond 0x0 First?", "asked First?", "respond 0x0 Second?", "asked Second?",
        "update Yes. for 1", "sent Yes. to Second?",
      ])
    subscribe(true)
    expect(take(), is: ["update Yes. for 1", "sent Yes. to First?"])
    expect(ball.askers.map(\.question), is: ["First?", "Second?"])
    subscribe(false)
    ball.shake()
    expect(take(), is: ["update Yes. for 1", "sent Yes. to Second?"])
  }

  @Test("a ball whose manager is quicker than its initialiser is published")
  func quick() {
    let lines = lines
    let ball = BallPeripheral(
      options: BallPeripheral.Options(), queue: queue, nextAnswer: BallAnswer.random
    ) { delegate, queue in
      let manager = StagedPeripheralManager(delegate, queue, lines)
      manager.setState(.poweredOn)
      queue.sync { delegate.peripheralManagerDidUpdateState(manager) }
      return manager
    }
    expect(take(), is: ["remove all", "add 2"])
    expect(ball.isPoweredOn)
  }

  @Test("an observer may answer, to the last question or to another")
  func ownAnswers() {
    ask("Sure?")
    subscribe(true)
    _ = take()
    ball.askers[0].send("Perhaps.")
    ball.askers[0].send("No.", to: "Really?")
    expect(
      take(),
      is: [
        "update Perhaps. for 1", "sent Perhaps. to Sure?", "update No. for 1",
        "sent No. to Really?",
      ])
    // A central that has not asked gets answers, and no shakes.
    let silent = CBCentral.numbered(2)
    subscribe(true, silent)
    ball.askers[1].send("Yes.")
    expect(take(), is: ["update Yes. for 1", "sent Yes. to "])
    ball.shake()
    expect(take(), is: ["update Yes. for 1", "sent Yes. to Sure?"])
  }

  @Test("64 centrals are remembered; above that the oldest without a subscription is replaced")
  func memory() {
    for number in 0..<64 {
      ask("Sure?", .numbered(UInt8(number)))
      if number < 2 { subscribe(true, .numbered(UInt8(number))) }
    }
    expect(ball.askers.count, is: 64)
    let before = ball.askers.map(\.id)
    ask("Again?", .numbered(63))
    expect(ball.askers.map(\.id), is: before)
    ask("Sure?", .numbered(64))
    expect(ball.askers.count, is: 64)
    // The first two are subscribed, so the third was replaced.
    expect(
      ball.askers.map(\.id), is: before[0...1] + before[3...] + [CBCentral.numbered(64).identifier])
    // If all are subscribed, none is replaced.
    for number in 3...64 { subscribe(true, .numbered(UInt8(number))) }
    ask("Sure?", .numbered(65))
    expect(ball.askers.count, is: 65)
  }

  @Test("the loss of the radio forgets every central, and a late end adds none")
  func powerOff() {
    ask("Sure?")
    subscribe(true)
    _ = take()
    power(.resetting)
    expect(take(), is: ["powered off"])
    expect(ball.askers.isEmpty)
    subscribe(false)
    expect(ball.askers.isEmpty)
  }
}
