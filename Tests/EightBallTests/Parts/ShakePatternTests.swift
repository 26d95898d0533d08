import BluetoothHost
import EightBall
import Expectations

@Suite("The pattern of a shake")
struct ShakePatternTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var trace: [MotionSample]

    init(_ name: String, _ trace: [MotionSample]) {
      testDescription = name
      self.trace = trace
    }
  }

  @Test(
    "A hand's shake counts once, in each pose and direction, fast or slow",
    arguments: MotionTraces.Pose.allCases.flatMap { pose in
      [
        Case("\(pose), up and down", MotionTraces.shake(seconds: 1.5, pose: pose)),
        Case(
          "\(pose), to and fro", MotionTraces.shake(seconds: 1.5, axis: [1, 0, 0], pose: pose)),
        Case(
          "\(pose), aslant",
          MotionTraces.shake(seconds: 1.5, axis: [0.6, -0.6, 0.5], pose: pose)),
        Case(
          "\(pose), slow and wide",
          MotionTraces.shake(seconds: 2, frequency: 2.5, centimetres: 6, pose: pose)),
        Case(
          "\(pose), fast and short",
          MotionTraces.shake(seconds: 1, frequency: 6.5, centimetres: 1, pose: pose)),
        Case("\(pose), for 20 s", MotionTraces.shake(seconds: 20, pose: pose)),
      ].map { Case($0.testDescription, MotionTraces.still(seconds: 1, pose: pose) + $0.trace) }
    })
  func shakes(_ item: Case) {
    expect(shakes(in: item.trace).count, is: 1)
  }

  @Test(
    "Other movements do not count",
    arguments: [
      Case("lies still for a minute", MotionTraces.still(seconds: 60)),
      Case("on the stairs for a minute", MotionTraces.stairs(seconds: 60)),
      Case("in a bag for a minute", MotionTraces.bag(seconds: 60)),
      Case("is turned five times, slowly", MotionTraces.turns(5, period: 4)),
      Case("is turned five times, as by hand", MotionTraces.turns(5, period: 1.6)),
      Case("falls", MotionTraces.drop()),
      Case(
        "too weak a shake, 1.0 g",
        MotionTraces.shake(seconds: 5, frequency: 3, centimetres: 2.8)),
    ]
      + [10, 13, 17, 23].map { frequency in
        Case(
          "on a machine that runs at \(frequency) Hz",
          MotionTraces.machine(seconds: 30, frequency: frequency))
      }
      + [12, 17, 23, 31, 37, 43, 49, 60, 90].map { frequency in
        // Five knocks in 2 s, at different phases of a sample.
        Case(
          "knocks on a table that rings at \(frequency) Hz",
          (0..<30).flatMap {
            MotionTraces.knock(frequency: frequency, phase: Double($0) / 30)
          })
      })
  func others(_ item: Case) {
    expect(shakes(in: MotionTraces.still(seconds: 1) + item.trace), is: [])
  }

  @Test("The next shake counts after half a second of calm")
  func twoShakes() {
    let shake = MotionTraces.shake(seconds: 1)
    let trace = shake + MotionTraces.still(seconds: 0.6) + shake
    expect(shakes(in: trace).count, is: 2)
    expect(shakes(in: shake + MotionTraces.still(seconds: 0.2) + shake).count, is: 1)
  }

  @Test("A shake at 4 Hz is recognised at its third reversal")
  func latency() {
    // The first half swing has a quarter of its strength. The second one, 1.4 g, reaches the
    // threshold at 170 ms, and three half periods of 125 ms follow: 545 ms.
    let times = shakes(in: MotionTraces.shake(seconds: 1))
    expect(times.count, is: 1)
    expect(times.allSatisfy { $0 >= 520 && $0 <= 560 }, "\(times)")
  }

  // MARK: Boundaries

  /// Strokes along x, each at a time in milliseconds, and no sample in between. The first, third and
  /// fifth go to the right.
  ///
  /// A stroke moves the average by 1/16: to the right by 1200 / 16 = 75 mg. Then -1125 mg is a
  /// stroke of exactly 1200 mg to the left, which takes the average back to 0.
  private func movements(
    _ times: [UInt64], right: Int16 = 1_200, left: Int16 = -1_125
  ) -> [ShakePattern.Movement] {
    var pattern = ShakePattern(threshold: 1_200)
    _ = pattern.add(MotionSample(x: 0, y: 0, z: 1_000), at: Instant(rawValue: 0))
    return times.enumerated().map { index, time in
      pattern.add(
        MotionSample(x: index % 2 == 0 ? right : left, y: 0, z: 1_000),
        at: Instant(rawValue: 5_000 + time))
    }
  }

  @Test("Two reversals are no shake, three are")
  func count() {
    expect(movements([0, 100, 200]), is: [.moving, .moving, .moving])
    expect(movements([0, 100, 200, 300]), is: [.moving, .moving, .moving, .shake])
  }

  @Test("The first and the third reversal are at most 1000 ms apart")
  func window() {
    // Strong strokes of 3 g, each direction held for 500 ms: a reversal at 100, at 600, and last.
    func last(_ left: [UInt64]) -> [ShakePattern.Movement] {
      var pattern = ShakePattern(threshold: 1_200)
      _ = pattern.add(MotionSample(x: 0, y: 0, z: 1_000), at: Instant(rawValue: 4_000))
      let times = [0, 100, 300, 500, 600, 800, 1_000] + left
      return times.map { time in
        let isRight = time < 100 || (600...1_099).contains(time) || time >= 1_600
        return pattern.add(
          MotionSample(x: isRight ? 3_000 : -3_000, y: 0, z: 1_000),
          at: Instant(rawValue: 5_000 + time))
      }
    }
    expect(last([1_100]).map { $0 == .shake }, is: Array(repeating: false, count: 7) + [true])
    expect(last([1_101]).contains(.shake), is: false)
    // Then the second and the fourth.
    expect(last([1_101, 1_300, 1_500, 1_600]).last, is: .shake)
    expect(last([1_101, 1_300, 1_500, 1_601]).last, is: .moving)
  }

  @Test("A stroke more than 250 ms after the last one begins another movement")
  func gap() {
    expect(movements([0, 100, 200, 450]).last, is: .shake)
    expect(movements([0, 100, 200, 451]).last, is: .moving)
    expect(movements([0, 100, 200, 451, 551, 651]).last, is: .moving)
    expect(movements([0, 100, 200, 451, 551, 651, 751]).last, is: .shake)
  }

  @Test("A reversal within 60 ms of the one before cancels the count")
  func spacing() {
    expect(movements([0, 60, 120, 180]).last, is: .shake)
    expect(movements([0, 60, 120, 179]).last, is: .moving)
    expect(movements([0, 60, 120, 179, 240, 300, 360]).last, is: .shake)
    expect(movements([0, 60, 120, 179, 240, 300]).last, is: .moving)
  }

  @Test("A stroke that is 1 mg too weak does not count")
  func threshold() {
    expect(movements([0, 100, 200, 300], left: -1_124).last, is: .moving)
    expect(movements([0, 100, 200, 300], right: 1_199, left: -1_125).last, is: .moving)
  }

  @Test("After a shake, strokes count when there was none for 500 ms")
  func pause() {
    let shake: [UInt64] = [0, 100, 200, 300]
    let next: [UInt64] = [100, 200, 300]
    expect(movements(shake + [400, 500, 600, 700]).count { $0 == .shake }, is: 1)
    expect(movements(shake + ([0] + next).map { $0 + 799 }).count { $0 == .shake }, is: 1)
    expect(movements(shake + ([0] + next).map { $0 + 800 }).count { $0 == .shake }, is: 2)
  }

  @Test("Less than half the threshold is calm")
  func calm() {
    expect(movements([0], right: 599), is: [.calm])
    expect(movements([0], right: 600), is: [.moving])
  }

  @Test("Any samples at any times leave it working", arguments: [1, 2, 3])
  func anySamples(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var pattern = ShakePattern(threshold: [0, 1_200, .max][Int(seed) - 1])
    func value() -> Int16 {
      switch random.next(below: 3) {
      case 0: .min
      case 1: .max
      default: Int16(truncatingIfNeeded: random.next())
      }
    }
    for _ in 0..<10_000 {
      _ = pattern.add(
        MotionSample(x: value(), y: value(), z: value()),
        at: Instant(rawValue: UInt64(random.next()) << random.next(below: 32)))
    }
    let end = MotionTraces.still(seconds: 10).enumerated().map { index, sample in
      pattern.add(sample, at: Instant(rawValue: UInt64(index) * 20))
    }
    expect(end.suffix(50).allSatisfy { $0 != .shake })
    if seed == 2 {
      expect(shakes(in: MotionTraces.shake(seconds: 1), after: pattern, at: 60_000).count, is: 1)
    }
  }

  /// When the pattern reports a shake, in milliseconds.
  private func shakes(
    in trace: [MotionSample], after pattern: ShakePattern = ShakePattern(), at start: UInt64 = 0
  ) -> [UInt64] {
    var pattern = pattern
    return trace.indices.compactMap { index in
      let time = start + UInt64(index) * 20
      let movement = pattern.add(trace[index], at: Instant(rawValue: time))
      return movement == .shake ? time : nil
    }
  }
}
