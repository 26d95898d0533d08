import BluetoothHost
import EightBall
import Testing
import VirtualRadio

/// Two balls on one air, each a host in both roles: both scan, connect, ask and are asked at once.
@Suite("Two balls ask each other")
struct BothRolesTests {
  @Test(
    "Without faults each question is heard once and answered",
    arguments: 1...3 as ClosedRange<UInt64>)
  func clean(seed: UInt64) {
    let pair = Pair(seed: seed)
    pair.run(for: 20_000)
    for (asker, other) in [(pair.first, pair.second), (pair.second, pair.first)] {
      let curiosity = asker.curiosity
      let waiting = curiosity.links.values.filter(\.awaitsAnswer).count
      #expect(curiosity.answerCount > 100)
      #expect(curiosity.accepted.count == curiosity.answerCount + waiting)
      #expect(curiosity.lostAnswers == 0)
      #expect(curiosity.errors.isEmpty)
      #expect(Set(curiosity.accepted).isSubset(of: other.questions))
      #expect(other.questions.count == Set(other.questions).count)
      // A question may be on its way.
      #expect(other.questions.count <= curiosity.accepted.count + curiosity.links.count)
    }
    #expect(!pair.isStuck)
  }

  @Test(
    "With faults nothing is lost but with its link, and both go on",
    arguments: 11...18 as ClosedRange<UInt64>)
  func faults(seed: UInt64) {
    let pair = Pair(seed: seed)
    for _ in 0..<100 {
      pair.breakSomething()
      pair.run(for: 200 + pair.number(below: 2_000))
      if pair.isStuck { break }
    }
    pair.mend()
    // The longest wait is that for a response, 30 s, and then for the link's end.
    pair.run(for: 60_000)
    let before = [pair.first.curiosity.answerCount, pair.second.curiosity.answerCount]
    pair.run(for: 20_000)
    for (index, (asker, other)) in [(pair.first, pair.second), (pair.second, pair.first)]
      .enumerated()
    {
      let curiosity = asker.curiosity
      let waiting = curiosity.links.values.filter(\.awaitsAnswer).count
      #expect(curiosity.answerCount > before[index] + 50, "it asks again")
      #expect(curiosity.accepted.count == curiosity.answerCount + curiosity.lostAnswers + waiting)
      #expect(Set(curiosity.accepted).isSubset(of: other.questions))
      #expect(other.questions.count == Set(other.questions).count)
    }
    #expect(!pair.isStuck)
  }
}

/// Two balls, the air between them, and what goes wrong.
private final class Pair {
  let air: VirtualAir
  let first: AskingBall
  let second: AskingBall
  private(set) var isStuck = false
  private var random: RandomSource

  init(seed: UInt64) {
    air = VirtualAir(seed: seed)
    first = AskingBall(name: "A", number: 1, seed: seed, on: air)
    second = AskingBall(name: "B", number: 2, seed: seed, on: air)
    random = RandomSource(seed: seed)
  }

  func number(below bound: UInt32) -> UInt32 { random.next(below: bound) }

  /// Carries everything, and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    let limit = air.now.advanced(by: milliseconds)
    var stops = 0
    while true {
      var count = 0
      while count <= 200 {
        // A question takes no time of its own: a while of it is enough.
        let (isFirstBusy, isSecondBusy) = (first.carryOne(), second.carryOne())
        if !isFirstBusy, !isSecondBusy { break }
        count += 1
      }
      if count > 200 {
        advance(to: min(limit, air.now.advanced(by: 50)))
      } else {
        var next = Instant.earlier(air.deadline, first.deadline)
        next = Instant.earlier(next, second.deadline)
        let target = min(limit, max(next ?? limit, air.now))
        stops = target == air.now ? stops + 1 : 0
        if stops > 1_000 {
          isStuck = true
          return
        }
        advance(to: target)
      }
      if air.now >= limit { return }
    }
  }

  private func advance(to instant: Instant) {
    air.advance(to: instant)
    first.advance(to: instant)
    second.advance(to: instant)
  }

  /// Something goes wrong with one of the controllers, or is well again.
  func breakSomething() {
    let ball = number(below: 2) == 0 ? first : second
    let radio = ball.radio
    switch number(below: 14) {
    case 0: radio.faults.losePacket(type: .event)
    case 1: radio.faults.losePacket(type: .acl)
    case 2: radio.faults.loseCompletions(1)
    case 3: radio.faults.duplicatePacket(type: .event)
    case 4: radio.faults.cutPacket(to: Int(number(below: 12)))
    case 5: radio.faults.leaveUnanswered()
    case 6: radio.faults.refuse(.leCreateConnection, with: .commandDisallowed)
    case 7: radio.faults.refuse(.leSetScanEnable, with: .commandDisallowed)
    case 8: radio.fail(hardwareCode: 3)
    case 9: radio.fail(hardwareCode: nil)
    case 10: ball.unplug()
    case 11: setRange(nil)
    default: mend()
    }
  }

  /// Everything is well again.
  func mend() {
    for ball in [first, second] {
      ball.radio.faults.removeAll()
      ball.plugIn()
    }
    setRange(-50)
  }

  private func setRange(_ strength: Int8?) {
    air.setSignalStrength(strength, from: first.radio, to: second.radio)
    air.setSignalStrength(strength, from: second.radio, to: first.radio)
  }
}
