import BluetoothHost
import EightBall
import Testing
import VirtualRadio

/// Two balls on one air, each a host in both roles: both scan, connect, ask and answer at the same
/// time.
@Suite("Two balls ask each other")
struct BothRolesTests {
  @Test(
    "Without faults each question arrives once and is answered",
    arguments: 1...3 as ClosedRange<UInt64>)
  func clean(seed: UInt64) {
    let pair = Pair(seed: seed)
    pair.run(for: 20_000)
    for (asker, other) in [(pair.first, pair.second), (pair.second, pair.first)] {
      let client = asker.askingClient
      let waiting = client.links.values.filter(\.awaitsAnswer).count
      #expect(client.answerCount > 100)
      #expect(client.accepted.count == client.answerCount + waiting)
      #expect(client.lostAnswers == 0)
      #expect(client.errors.isEmpty)
      #expect(Set(client.accepted).isSubset(of: other.questions))
      #expect(other.questions.count == Set(other.questions).count)
      // One question may be on its way.
      #expect(other.questions.count <= client.accepted.count + client.links.count)
    }
    #expect(!pair.isStuck)
  }

  @Test(
    "With faults only the end of a link loses anything, and both continue",
    arguments: 11...18 as ClosedRange<UInt64>)
  func faults(seed: UInt64) {
    let pair = Pair(seed: seed)
    for _ in 0..<100 {
      pair.breakSomething()
      pair.run(for: 200 + pair.number(below: 2_000))
      if pair.isStuck { break }
    }
    pair.mend()
    // The longest wait is 30 s for a response, and then for the link's end.
    pair.run(for: 60_000)
    let before = [pair.first.askingClient.answerCount, pair.second.askingClient.answerCount]
    pair.run(for: 20_000)
    for (index, (asker, other)) in [(pair.first, pair.second), (pair.second, pair.first)]
      .enumerated()
    {
      let client = asker.askingClient
      let waiting = client.links.values.filter(\.awaitsAnswer).count
      #expect(client.answerCount > before[index] + 50, "it asks again")
      #expect(client.accepted.count == client.answerCount + client.lostAnswers + waiting)
      #expect(Set(client.accepted).isSubset(of: other.questions))
      #expect(other.questions.count == Set(other.questions).count)
    }
    #expect(!pair.isStuck)
  }
}

/// Two balls, their air, and the faults.
private final class Pair {
  private let bench: AirBench
  private let devices: [AirDevice<AskingBall>]
  private(set) var isStuck = false
  private var random: RandomSource

  init(seed: UInt64) {
    let bench = AirBench(seed: seed)
    self.bench = bench
    devices = [("A", 1), ("B", 2)].map { name, number in
      bench.add(
        AskingBall(name: name, number: number, seed: seed),
        on: bench.air.addController(
          address: DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])))
    }
    random = RandomSource(seed: seed)
    for device in devices { device.host.host.start(at: bench.now) }
  }

  var first: AskingBall { devices[0].host }
  var second: AskingBall { devices[1].host }

  func number(below bound: UInt32) -> UInt32 { random.next(below: bound) }

  /// Carries packets and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    do {
      try bench.run(for: milliseconds)
    } catch {
      isStuck = true
      Issue.record(error)
    }
  }

  /// Starts or ends a fault of one of the controllers.
  func breakSomething() {
    let device = devices[Int(number(below: 2))]
    let radio = device.controller
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
    case 10:
      device.unplug()
      device.host.host.radioLost()
    case 11: setRange(nil)
    default: mend()
    }
  }

  /// Ends all faults.
  func mend() {
    for device in devices {
      device.controller.faults.removeAll()
      if !device.isPluggedIn {
        device.plugIn()
        device.host.host.start(at: bench.now)
      }
    }
    setRange(-50)
  }

  private func setRange(_ strength: Int8?) {
    let (first, second) = (devices[0].controller, devices[1].controller)
    bench.air.setSignalStrength(strength, from: first, to: second)
    bench.air.setSignalStrength(strength, from: second, to: first)
  }
}
