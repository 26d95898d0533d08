import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
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
    var walk = Walk(seed: UInt64(seed), scene: try Scene<3>(controller: controller))
    for step in 0..<2_000 {
      walk.act()
      walk.check("step \(step)")
      if step % 10 == 9 {
        // A phone out of reach is disconnected by then.
        walk.scene.run(for: 2_100)
        walk.scene.settle()
        walk.scene.expectHealthy()
      }
      if walk.scene.isStuck { break }
    }
    walk.expectRecovery()
    // The walk was long enough.
    expect(walk.answerCount > 200, "\(walk.answerCount)")
    expect(walk.linkCount > 50, "\(walk.linkCount)")
  }

  @Test("With faults the ball survives 2,000 steps", arguments: 11...14)
  func wild(_ seed: Int) throws {
    var walk = Walk(seed: UInt64(seed), scene: try Scene<3>())
    for step in 0..<2_000 {
      if walk.chance(of: 16) { walk.fail() } else { walk.act() }
      walk.check("step \(step)")
      if step % 250 == 249 { walk.expectRecovery() }
      if walk.scene.isStuck { break }
    }
    walk.expectRecovery()
    expect(walk.answerCount > 100, "\(walk.answerCount)")
    expect(walk.linkCount > 50, "\(walk.linkCount)")
  }
}

/// One walk: the scene, and the steps so far.
private struct Walk {
  let scene: Scene<3>
  private var random: RandomSource
  private var phones: [Phone] = []
  private var isPluggedIn = true
  /// How many answers were notified, and how many links there were.
  private(set) var answerCount = 0
  private(set) var linkCount = 0

  init(seed: UInt64, scene: Scene<3>) {
    random = RandomSource(seed: seed)
    self.scene = scene
  }

  /// `true` once in `count` calls, at random.
  mutating func chance(of count: UInt32) -> Bool { random.next(below: count) == 0 }
  private mutating func number(_ bound: UInt32) -> Int { Int(random.next(below: bound)) }

  /// One phone takes a valid step.
  mutating func act() {
    if !isPluggedIn, chance(of: 4) {
      isPluggedIn = true
      return scene.ballReturns()
    }
    if phones.isEmpty || phones.count < 5 && chance(of: 10) {
      let mtu = ATTMTU(23 + number(495)) ?? .maximum
      return phones.append(scene.phone { $0.mtu = mtu })
    }
    let index = number(UInt32(phones.count))
    let phone = phones[index]
    guard phone.hasLink else {
      if chance(of: 8) {
        phones.remove(at: index)
        scene.dismiss(phone)
      } else {
        phone.connect(to: scene.radio.address, timeout: 2_000, at: scene.now)
        if phone.hasLink, !chance(of: 3) {
          phone.perform(.subscribe(Handles.configuration, .notification))
        }
        carry()
      }
      return
    }
    switch number(16) {
    case 0 where chance(of: 3): phone.disconnect()
    case 1 where chance(of: 3):
      phones.remove(at: index)
      scene.dismiss(phone)
    case 2: phone.perform(.exchangeMTU)
    case 3...4: phone.perform(.subscribe(Handles.configuration, .notification))
    case 5: phone.perform(.subscribe(Handles.configuration, .none))
    case 6...8: phone.write(makeQuestion())
    case 9:
      phone.perform(.writeWithoutResponse(Handles.question, byteCount: 2), value: [0x61, 0x3F])
    case 10: phone.perform(.read(Handles.answer))
    case 11: phone.perform(.discoverServices)
    case 12: phone.radio.send(makeNoise(), on: makeChannel())
    case 13: scene.host.server.application.shake()
    case 14 where chance(of: 3):
      if chance(of: 4) { scene.host.disconnectAll() } else { scene.host.server.application.clear() }
    default: scene.run(for: UInt32(number(3_000)))
    }
    carry()
  }

  /// Starts a fault.
  mutating func fail() {
    let isBall = chance(of: 2)
    let radio = isBall || phones.isEmpty ? scene.radio : phones[number(UInt32(phones.count))].radio
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
      if isPluggedIn { scene.ballVanishes() }
      isPluggedIn = false
    }
    carry()
  }

  /// Carries some packets, or all of them.
  private mutating func carry() {
    if chance(of: 3) { return scene.settle() }
    for _ in 0..<number(12) { _ = scene.carryOne() }
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
    if scene.host.connectionCount > 3 { Issue.record("too many links") }
    let counters = scene.radio.counters
    if counters.oversizedPackets > 0 || counters.malformedPackets > 0 {
      Issue.record("\(counters)")
    }
    for phone in phones where !phone.answers.allSatisfy(isAnswer) {
      Issue.record("\(phone.answers) after \(what())")
    }
    for event in scene.events {
      switch event {
      case .answered: answerCount += 1
      case .connected: linkCount += 1
      case .missed: Issue.record("The ball's events were not fetched in time")
      default: break
      }
    }
    scene.events.removeAll()
    if scene.sent.count > 1_000 { scene.sent.removeAll() }
  }

  /// Whether it is one of the ball's answers, or its beginning as cut by the MTU.
  private func isAnswer(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return answerTexts.contains { $0.utf8.starts(with: bytes) } || bytes.count >= 20
  }

  /// Ends all links and faults; the next phone is answered.
  mutating func expectRecovery() {
    for phone in phones { scene.dismiss(phone) }
    phones = []
    if !isPluggedIn { scene.ballReturns() }
    isPluggedIn = true
    scene.expectRecovery(within: 300_000, "after a walk")
  }
}
