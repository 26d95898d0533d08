import BluetoothHost
import EightBall
import Testing
import VirtualRadio

/// Phones come, ask, misbehave and go at random, the same for the same seed. Each step checks the
/// invariants.
@Suite("Random visits")
struct RandomWalkTests {
  @Test("Without faults all invariants hold after each of 2,000 steps", arguments: 1...4)
  func clean(_ seed: Int) throws {
    let controller =
      seed % 2 == 0
      ? ControllerConfiguration() : ControllerConfiguration(aclDataLength: 27, aclPacketCount: 1)
    var walk = Walk(seed: UInt64(seed), stage: try Stage<3>(controller: controller))
    for step in 0..<2_000 {
      walk.act()
      walk.check("step \(step)")
      if step % 10 == 9 {
        // A phone out of reach is disconnected by then.
        walk.stage.run(for: 2_100)
        walk.stage.settle()
        walk.stage.expectHealthy()
      }
      if walk.stage.isStuck { break }
    }
    walk.expectRecovery()
    // The walk was long enough.
    #expect(walk.answerCount > 200, "\(walk.answerCount)")
    #expect(walk.linkCount > 50, "\(walk.linkCount)")
  }

  @Test("With faults the ball survives 2,000 steps", arguments: 11...14)
  func wild(_ seed: Int) throws {
    var walk = Walk(seed: UInt64(seed), stage: try Stage<3>())
    for step in 0..<2_000 {
      if walk.chance(of: 16) { walk.fail() } else { walk.act() }
      walk.check("step \(step)")
      if step % 250 == 249 { walk.expectRecovery() }
      if walk.stage.isStuck { break }
    }
    walk.expectRecovery()
    #expect(walk.answerCount > 100, "\(walk.answerCount)")
    #expect(walk.linkCount > 50, "\(walk.linkCount)")
  }
}

/// One walk: the stage, and the steps so far.
private struct Walk {
  let stage: Stage<3>
  private var random: RandomSource
  private var phones: [Phone] = []
  private var isPluggedIn = true
  /// How many answers were notified, and how many links there were.
  private(set) var answerCount = 0
  private(set) var linkCount = 0

  init(seed: UInt64, stage: Stage<3>) {
    random = RandomSource(seed: seed)
    self.stage = stage
  }

  /// `true` once in `count` calls, at random.
  mutating func chance(of count: UInt32) -> Bool { random.next(below: count) == 0 }

  private mutating func number(_ bound: UInt32) -> Int { Int(random.next(below: bound)) }

  /// One phone takes a valid step.
  mutating func act() {
    if !isPluggedIn, chance(of: 4) {
      isPluggedIn = true
      return stage.ballReturns()
    }
    if phones.isEmpty || phones.count < 5 && chance(of: 10) {
      let mtu = ATTMTU(23 + number(495)) ?? .maximum
      return phones.append(stage.phone { $0.mtu = mtu })
    }
    let index = number(UInt32(phones.count))
    let phone = phones[index]
    guard let link = phone.link else {
      if chance(of: 8) {
        phones.remove(at: index)
        stage.dismiss(phone)
      } else {
        phone.connect(to: stage.ballAddress, timeout: 2_000, at: stage.now)
        if let link = phone.link, !chance(of: 3) {
          phone.central.perform(.subscribe(Handles.configuration, .notification), on: link)
        }
        carry()
      }
      return
    }
    switch number(16) {
    case 0 where chance(of: 3): phone.central.disconnect(link)
    case 1 where chance(of: 3):
      phones.remove(at: index)
      stage.dismiss(phone)
    case 2: phone.central.perform(.exchangeMTU, on: link)
    case 3...4: phone.central.perform(.subscribe(Handles.configuration, .notification), on: link)
    case 5: phone.central.perform(.subscribe(Handles.configuration, .none), on: link)
    case 6...8: phone.central.perform(.write(Handles.question, makeQuestion()), on: link)
    case 9:
      phone.central.perform(.writeWithoutResponse(Handles.question, [0x61, 0x3F]), on: link)
    case 10: phone.central.perform(.read(Handles.answer), on: link)
    case 11: phone.central.perform(.discoverServices(nil), on: link)
    case 12: RawLink(phone).send(makeNoise(), on: makeChannel())
    case 13: stage.host.server.application.shake()
    case 14 where chance(of: 3):
      if chance(of: 4) { stage.host.disconnectAll() } else { stage.host.server.application.clear() }
    default: stage.run(for: UInt32(number(3_000)))
    }
    carry()
  }

  /// Starts a fault.
  mutating func fail() {
    let isBall = chance(of: 2)
    let radio =
      isBall || phones.isEmpty ? stage.radio : phones[number(UInt32(phones.count))].radio
    switch number(10) {
    case 0: radio.fail(hardwareCode: 0x42)
    case 1: radio.faults.losePacket()
    case 2: radio.faults.duplicatePacket()
    case 3: radio.faults.cutPacket(to: number(20))
    case 4: radio.faults.misstateLength(by: number(9) - 4)
    case 5: radio.faults.loseCompletions(1 + number(8))
    case 6: radio.faults.leaveUnanswered()
    case 7: radio.faults.refuse(.leSetAdvertisingEnable, with: .commandDisallowed)
    case 8: radio.faults.refuse(.disconnect, with: .unknownConnectionIdentifier)
    default:
      if isPluggedIn { stage.ballVanishes() }
      isPluggedIn = false
    }
    carry()
  }

  /// Carries some packets, or all of them.
  private mutating func carry() {
    if chance(of: 3) { return stage.settle() }
    for _ in 0..<number(12) { _ = stage.carryOne() }
  }

  private mutating func makeQuestion() -> [UInt8] {
    var text = (0..<number(chance(of: 5) ? 511 : 40)).map { _ in UInt8(0x61 + number(26)) }
    if !chance(of: 6) { text.append(0x3F) }
    if chance(of: 8) { text.append(UInt8(number(256))) }
    return text
  }

  /// Random bytes, which often begin like a request.
  private mutating func makeNoise() -> [UInt8] {
    let opcodes: [UInt8] = [
      0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2,
    ]
    let first = chance(of: 4) ? UInt8(number(256)) : opcodes[number(UInt32(opcodes.count))]
    // The second byte is mostly one of the ball's handles.
    return [first, UInt8(number(chance(of: 3) ? 256 : 0x22)), chance(of: 3) ? 1 : 0]
      + (0..<number(30)).map { _ in UInt8(number(256)) }
  }

  private mutating func makeChannel() -> L2CAPChannel {
    L2CAPChannel(rawValue: UInt16(chance(of: 2) ? 4 : 3 + number(5)))
  }

  // MARK: Invariants

  mutating func check(_ what: @autoclosure () -> Comment) {
    if stage.host.connectionCount > 3 { Issue.record("too many links") }
    let counters = stage.radio.counters
    if counters.oversizedPackets > 0 || counters.malformedPackets > 0 {
      Issue.record("\(counters)")
    }
    for phone in phones where !phone.answers.allSatisfy(isAnswer) {
      Issue.record("\(phone.answers) after \(what())")
    }
    for event in stage.events {
      switch event {
      case .answered: answerCount += 1
      case .connected: linkCount += 1
      case .missed: Issue.record("The ball's events were not fetched in time")
      default: break
      }
    }
    stage.events.removeAll()
    if stage.sent.count > 1_000 { stage.sent.removeAll() }
  }

  /// Whether it is one of the ball's answers, or its beginning as cut by the MTU.
  private func isAnswer(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return texts.contains { $0.utf8.starts(with: bytes) } || bytes.count >= 20
  }

  /// Ends all links and faults; the next phone is answered.
  mutating func expectRecovery() {
    for phone in phones { stage.dismiss(phone) }
    phones = []
    if !isPluggedIn { stage.ballReturns() }
    isPluggedIn = true
    stage.radio.faults.removeAll()
    stage.settle()
    stage.run(within: 300_000) { stage.isInviting && stage.host.connectionCount == 0 }
    let asker = stage.ask("Is all well?")
    stage.run(within: 60_000) { asker.isFinished }
    #expect(asker.isAnswered)
    stage.settle()
    #expect(stage.isInviting)
    #expect(stage.radio.connectionHandles == [])
    stage.dismiss(asker)
  }
}
