import BluetoothHost
import Testing

@Suite("Delays after failed pairings")
struct AttemptLimiterTests {
  private let one = DeviceAddress.staticRandom([1, 0, 0, 0, 0, 0])

  private func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }

  @Test("The delay is 1 s, and doubles with each failure up to 64 s")
  func waits() {
    let waits = (0...9).map { AttemptLimiter<4>.wait(after: $0) }
    #expect(
      waits == [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000])
    #expect(AttemptLimiter<4>.wait(after: .max) == 64_000)
  }

  @Test("A success resets the delay")
  func success() {
    var limiter = AttemptLimiter<4>()
    for _ in 0..<5 { limiter.noteFailure(one, at: at(0)) }
    #expect(!limiter.isAllowed(one, at: at(15_999)))
    #expect(limiter.isAllowed(one, at: at(16_000)))
    limiter.noteSuccess(one)
    #expect(limiter.isAllowed(one, at: at(0)))
    limiter.noteFailure(one, at: at(0))
    #expect(limiter.isAllowed(one, at: at(1_000)))
  }

  @Test("Each minute without a failure halves the next delay")
  func decrease() {
    // 4 failures at 0 delay to 8 s. Each case: the time of the next failure, and its delay.
    for (time, wait): (UInt64, UInt64) in [
      (8_000, 16_000), (67_999, 16_000), (68_000, 8_000), (128_000, 4_000), (188_000, 2_000),
      (248_000, 1_000), (10_000_000, 1_000), (UInt64.max / 2, 1_000),
    ] {
      var limiter = AttemptLimiter<4>()
      for _ in 0..<4 { limiter.noteFailure(one, at: at(0)) }
      limiter.noteFailure(one, at: at(time))
      #expect(!limiter.isAllowed(one, at: at(time + wait - 1)), "\(time)")
      #expect(limiter.isAllowed(one, at: at(time + wait)), "\(time)")
    }
  }

  @Test("The device whose delay ends first is replaced")
  func full() {
    var limiter = AttemptLimiter<2>()
    let addresses = (1...3).map { DeviceAddress.staticRandom([UInt8($0), 0, 0, 0, 0, 0]) }
    limiter.noteFailure(addresses[0], at: at(0))
    limiter.noteFailure(addresses[0], at: at(0))
    limiter.noteFailure(addresses[1], at: at(0))
    limiter.noteFailure(addresses[2], at: at(0))
    #expect(!limiter.isAllowed(addresses[0], at: at(1_999)))
    #expect(limiter.isAllowed(addresses[1], at: at(0)), "forgotten")
    #expect(!limiter.isAllowed(addresses[2], at: at(999)))
  }

  @Test("A limiter without capacity delays no device")
  func empty() {
    var limiter = AttemptLimiter<0>()
    limiter.noteFailure(one, at: at(0))
    #expect(limiter.isAllowed(one, at: at(0)))
  }
}
