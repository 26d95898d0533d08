import BluetoothHost
import Expectations
import VirtualRadio

/// Each timed event happens at its millisecond, and not at the one before.
@Suite("Deadlines")
struct TimingTests {
  private let air = VirtualAir(seed: 3)
  private let ball, phone: TestHost

  init() { (ball, phone) = twoHosts(on: air) }

  @Test("High duty cycle advertising ends after 1,280 ms, with listeners and without")
  func highDuty() {
    for isHeard in [false, true] {
      let start = air.now
      ball.advertise([], type: 1, peer: publicAddress(2))
      if isHeard { phone.scan() }
      _ = ball.receive()
      expect(air.deadline, is: start.advanced(by: isHeard ? 4 : 1_280))
      air.advance(to: start.advanced(by: 1_279))
      expect(ball.controller.isAdvertising)
      expect(ball.receive(), is: [])
      // At once, and then each 4 ms: 1 + 1,279 / 4 = 320, and 64 wait for the host.
      expect(phone.controller.counters.droppedReports, is: isHeard ? 320 - 64 : 0)
      air.advance(to: start.advanced(by: 1_280))
      expect(!ball.controller.isAdvertising)
      // Advertising Timeout, handle 0, peripheral.
      expect(ball.receive(), is: [[0x04, 0x3E, 31, 0x0A, 0x3C, 0, 0, 1] + .zeros(26)])
      expect(Set(phone.reports()), is: isHeard ? [report(.directed, publicAddress(1))] : [])
      expect(air.deadline, is: nil)
    }
  }

  @Test("Low duty cycle directed advertising does not end")
  func lowDuty() {
    ball.advertise([], type: 4, peer: publicAddress(2))
    expect(air.deadline, is: nil)
    air.advance(to: milliseconds(10_000))
    expect(ball.controller.isAdvertising)
  }

  @Test("An interval is rounded up to milliseconds: n × 0.625 ms")
  func intervals() {
    phone.scan()
    for (interval, expected) in [
      (UInt16(0x20), UInt32(20)), (0x21, 21), (0x22, 22), (0x23, 22), (0x24, 23), (0xA0, 100),
      (0x4000, 10_240),
    ] {
      let start = air.now
      ball.advertise([], interval: interval)
      expect(air.deadline, is: start.advanced(by: expected), "\(interval)")
      ball.send(LESetAdvertisingEnable(false))
      expect(air.deadline, is: nil)
    }
  }

  @Test(
    "Private addresses are renewed after their lifetime, while anything uses them",
    arguments: Activity.allCases)
  func renewal(_ activity: Activity) {
    ball.resolve(publicAddress(2), localKey: resolvingKey(1))
    activity.begin(ball, ownAddressType: 2, peer: publicAddress(2))
    // 15 min is the default.
    expect(air.deadline, is: milliseconds(900_000))
    let first = ball.localAddress(for: publicAddress(2))
    expect(first != nil)
    air.advance(to: milliseconds(899_999))
    expect(ball.localAddress(for: publicAddress(2)), is: first)
    air.advance(to: milliseconds(900_000))
    let second = ball.localAddress(for: publicAddress(2))
    expect(second != nil && second != first)
    expect(air.deadline, is: milliseconds(1_800_000))
    // A new lifetime begins when the host sets it.
    air.advance(to: milliseconds(900_500))
    ball.send(LESetResolvablePrivateAddressTimeout(timeout: 3))
    expect(air.deadline, is: milliseconds(903_500))
    air.advance(to: milliseconds(903_499))
    expect(ball.localAddress(for: publicAddress(2)), is: second)
    air.advance(to: milliseconds(903_500))
    expect(ball.localAddress(for: publicAddress(2)) != second)
    expect(air.deadline, is: milliseconds(906_500))
    // Without an activity nothing is due.
    activity.end(ball)
    expect(air.deadline, is: nil)
  }

  @Test(
    "With the own address types 0x00 and 0x01, or an empty list, nothing is renewed",
    arguments: Activity.allCases)
  func noRenewal(_ activity: Activity) {
    ball.send(LESetRandomAddress(randomAddress(9)))
    for (type, hasEntry) in [(UInt8(0), true), (1, true), (2, false)] {
      ball.send(.leClearResolvingList)
      _ = ball.receive()
      if hasEntry { ball.resolve(publicAddress(7), localKey: resolvingKey(1)) }
      activity.begin(ball, ownAddressType: type)
      expect(air.deadline, is: nil)
      activity.end(ball)
    }
  }

  @Test("A lifetime that is set before the addresses are used counts from their use")
  func lifetimeBeforeUse() {
    ball.resolve(publicAddress(2), localKey: resolvingKey(1))
    ball.send(LESetResolvablePrivateAddressTimeout(timeout: 5))
    expect(air.deadline, is: nil)
    air.advance(to: milliseconds(1_234))
    ball.scan(ownAddressType: 2)
    expect(air.deadline, is: milliseconds(6_234))
  }

  @Test("A device added while addresses are in use gets its own at once; the others keep theirs")
  func laterEntry() {
    ball.resolve(publicAddress(2), localKey: resolvingKey(1))
    ball.scan(ownAddressType: 2)
    let first = ball.localAddress(for: publicAddress(2))
    air.advance(to: milliseconds(1_000))
    ball.resolve(publicAddress(3), localKey: resolvingKey(2))
    expect(ball.localAddress(for: publicAddress(3)), is: nil)
    ball.advertise(ownAddressType: 2, peer: publicAddress(3))
    _ = ball.receive()
    expect(ball.localAddress(for: publicAddress(2)), is: first)
    expect(ball.localAddress(for: publicAddress(3)) != nil)
    expect(air.deadline, is: milliseconds(900_000))
    // At the end of the lifetime, the next use renews them all, in the same millisecond.
    ball.send(LESetAdvertisingEnable(false))
    ball.stopScanning()
    air.advance(to: milliseconds(900_000))
    expect(ball.localAddress(for: publicAddress(2)), is: first)
    ball.scan(ownAddressType: 2)
    expect(ball.localAddress(for: publicAddress(2)) != first)
  }

  @Test("A renewed address is advertised, and the target of directed advertising is new as well")
  func renewedTarget() {
    ball.resolve(publicAddress(2), peerKey: resolvingKey(2), localKey: resolvingKey(1))
    ball.send(LESetResolvablePrivateAddressTimeout(timeout: 1))
    ball.advertise(type: 4, ownAddressType: 2, peer: publicAddress(2))
    _ = ball.receive()
    let peer = HCIOpcode.leReadPeerResolvableAddress
    let target = ball.resolvableAddress(peer, for: publicAddress(2))
    air.advance(to: milliseconds(1_000))
    expect(ball.resolvableAddress(peer, for: publicAddress(2)) != target)
    expect(ball.controller.isAdvertising)
  }

  @Test("Both sides of a link have the supervision timeout of its parameters, in units of 10 ms")
  func supervision() {
    for timeout in [UInt16(10), 11, 3_200] {
      let pair = Pair(supervisionTimeout: timeout)
      pair.air.advance(to: milliseconds(7))
      pair.air.setSignalStrength(nil, from: pair.peripheral.controller, to: pair.central.controller)
      let due = milliseconds(7).advanced(by: UInt32(timeout) * 10)
      expect(pair.air.deadline, is: due)
      let ends = [pair.central, pair.peripheral].map { ended($0.handle, .connectionTimeout) }
      pair.air.advance(to: due)
      expect([pair.central.receive(), pair.peripheral.receive()], is: ends.map { [$0] })
      expect(pair.air.deadline, is: nil)
    }
  }

  @Test("A delayed answer of the key at exactly 40 s is too late; 1 ms before, it is in time")
  func keyAnswer() {
    for (delay, isEncrypted) in [(UInt32(39_999), true), (40_000, false)] {
      let link = EncryptingPair()
      let near = link.near
      link.peripheral.controller.faults.delayKeyAnswer(by: delay)
      link.begin()
      _ = link.answer(link.key)
      link.pair.air.advance(to: milliseconds(UInt64(delay) - 1))
      expect(link.central.receive(), is: [])
      link.pair.air.advance(to: milliseconds(40_000))
      expect(
        link.central.receive(),
        is: [isEncrypted ? link.changed(near) : ended(near, .linkLayerResponseTimeout)])
      expect(link.pair.air.deadline, is: nil)
    }
  }

  @Test("Time begins at 0 or as given, and never goes back")
  func backwards() {
    expect(VirtualAir().now, is: milliseconds(0))
    expect(AirBench().now, is: milliseconds(0))
    expect(VirtualAir(now: milliseconds(5)).now, is: milliseconds(5))
    air.advance(to: milliseconds(100))
    air.advance(to: milliseconds(50))
    expect(air.now, is: milliseconds(100))
    phone.scan()
    ball.advertise()
    expect(air.deadline, is: milliseconds(200))
  }
}
