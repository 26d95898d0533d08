import BluetoothHost
import Expectations

@Suite("Delays after failed pairings")
struct AttemptLimiterTests {
  private let one = address(1)

  @Test("The delay is 1 s, and doubles with each failure up to 64 s")
  func waits() {
    let waits = (0...9).map { AttemptLimiter<4>.wait(after: $0) }
    expect(waits, is: [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000])
    expect(AttemptLimiter<4>.wait(after: .max), is: 64_000)
  }

  @Test("A success resets the delay")
  func success() {
    var limiter = AttemptLimiter<4>()
    for _ in 0..<5 { limiter.noteFailure(one, at: at(0)) }
    expect(!limiter.isAllowed(one, at: at(15_999)))
    expect(limiter.isAllowed(one, at: at(16_000)))
    limiter.noteSuccess(one)
    expect(limiter.isAllowed(one, at: at(0)))
    limiter.noteFailure(one, at: at(0))
    expect(limiter.isAllowed(one, at: at(1_000)))
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
      expect(!limiter.isAllowed(one, at: at(time + wait - 1)), "\(time)")
      expect(limiter.isAllowed(one, at: at(time + wait)), "\(time)")
    }
  }

  @Test("A limiter without capacity delays no device")
  func empty() {
    var limiter = AttemptLimiter<0>()
    limiter.noteFailure(one, at: at(0))
    expect(limiter.isAllowed(one, at: at(0)))
  }

  @Test("In a full limiter the device whose delay ends first is replaced, at any place")
  func replaced() {
    // The times of the failures of the devices 1, 2 and 3, and the device that is forgotten.
    let cases: [(times: [UInt64], forgotten: UInt8)] = [
      ([0, 1, 2], 1), ([1, 0, 2], 2), ([2, 1, 0], 3), ([1, 2, 0], 3), ([2, 0, 1], 2),
      ([0, 2, 1], 1), ([5, 5, 5], 1), ([6, 5, 5], 2),
    ]
    for (times, forgotten) in cases {
      var limiter = AttemptLimiter<3>()
      for number: UInt8 in 1...3 {
        limiter.noteFailure(address(number), at: at(times[Int(number) - 1]))
      }
      limiter.noteFailure(address(4), at: at(6))
      for number: UInt8 in 1...4 {
        expect(
          limiter.isAllowed(address(number), at: at(6)), is: number == forgotten,
          "\(times), \(number)")
      }
    }
  }

  @Test("A success makes room, so that no failing device is forgotten")
  func freed() {
    for succeeded: UInt8 in 1...3 {
      var limiter = AttemptLimiter<3>()
      for number: UInt8 in 1...3 { limiter.noteFailure(address(number), at: at(0)) }
      limiter.noteSuccess(address(succeeded))
      limiter.noteSuccess(address(9))
      limiter.noteFailure(address(4), at: at(0))
      for number: UInt8 in 1...4 {
        expect(limiter.isAllowed(address(number), at: at(999)), is: number == succeeded)
        expect(limiter.isAllowed(address(number), at: at(1_000)))
      }
    }
  }

  @Test("Failures beyond the seventh are not counted, and quiet minutes forget one each")
  func forgotten() {
    // After ten failures at 0 the delay ends at 64 s. The quiet minutes, and the next delay.
    for (minutes, wait): (UInt64, UInt64) in [
      (0, 64_000), (1, 64_000), (2, 32_000), (3, 16_000), (5, 4_000), (6, 2_000), (7, 1_000),
      (8, 1_000),
    ] {
      var limiter = AttemptLimiter<1>()
      for _ in 0..<10 { limiter.noteFailure(address(1), at: at(0)) }
      expect(!limiter.isAllowed(address(1), at: at(63_999)))
      let time = 64_000 + minutes * 60_000
      limiter.noteFailure(address(1), at: at(time))
      expect(!limiter.isAllowed(address(1), at: at(time + wait - 1)), "\(minutes)")
      expect(limiter.isAllowed(address(1), at: at(time + wait)), "\(minutes)")
    }
  }
}
