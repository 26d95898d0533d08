import BluetoothHost
import EightBall
import Expectations
import VirtualBoard

@Suite("The driver of a motion sensor")
struct MotionDriverTests {
  @Test(
    "At rest it has no deadline: 0 wake-ups and 0 bytes in 10 s", arguments: MotionPart.allCases)
  func rest(part: MotionPart) {
    let bench = MotionBench(part)
    // It samples for a second at first, to learn where gravity points.
    bench.lie(for: 2_000)
    expect(bench.events, is: [.found])
    expect(bench.isAtRest)
    let used = bench.count { bench.play(MotionTraces.still(seconds: 10)) }
    expect(used == (0, 0, 0), "\(used)")
  }

  @Test(
    "A shake wakes it, counts once, and it rests again a second later",
    arguments: MotionPart.allCases, MotionTraces.Pose.allCases)
  func shake(part: MotionPart, pose: MotionTraces.Pose) {
    let bench = MotionBench(part)
    bench.play(MotionTraces.still(seconds: 3, pose: pose))
    expect(bench.isAtRest)
    let start = bench.time
    let used = bench.count {
      bench.play(MotionTraces.shake(seconds: 1, pose: pose))
      bench.play(MotionTraces.still(seconds: 1.3, pose: pose))
    }
    expect(used.shakes, is: 1)
    expect(bench.shakes.allSatisfy { $0 - start < 600 }, "\(bench.shakes) after \(start)")
    expect(bench.isAtRest)
    // One edge, and at most 50 samples a second; the part itself stays quiet in between.
    expect(used.wakeUps <= 1 + 115, "\(used.wakeUps) wake-ups")
    let idle = bench.count { bench.play(MotionTraces.still(seconds: 10, pose: pose)) }
    expect(idle == (0, 0, 0), "\(idle)")
    expect(bench.events, is: [.found])
  }

  @Test("A knock wakes it for a second", arguments: MotionPart.allCases)
  func knock(part: MotionPart) {
    let bench = MotionBench(part)
    bench.lie(for: 3_000)
    let used = bench.count {
      bench.play(MotionTraces.knock(frequency: 37))
      bench.lie(for: 10_000)
    }
    expect(used.shakes, is: 0)
    expect(used.wakeUps > 50 && used.wakeUps < 80, "\(used.wakeUps) wake-ups")
    expect(bench.isAtRest)
  }

  @Test(
    "A part that is not there is reported once, tried each 10 s, and found when it comes",
    arguments: MotionPart.allCases)
  func absent(part: MotionPart) {
    let bench = MotionBench(part, isPluggedIn: false)
    let used = bench.count { bench.lie(for: 60_000) }
    expect(bench.events, is: [.lost(.bus(.notAcknowledged))])
    // At 0, 10, 20, 30, 40 and 50 s.
    expect(used.wakeUps, is: 6)
    bench.plugIn()
    bench.lie(for: 12_000)
    expect(bench.events, is: [.lost(.bus(.notAcknowledged)), .found])
    expect(bench.isAtRest)
    bench.play(MotionTraces.shake(seconds: 1))
    expect(bench.shakes.count, is: 1)
  }

  @Test(
    "A fault in use is reported once, costs one call each 10 s, and passes",
    arguments: MotionPart.allCases,
    [.notAcknowledged, .stuck, .unavailable(code: 19)] as [I2CError])
  func fault(part: MotionPart, error: I2CError) {
    let bench = MotionBench(part)
    bench.lie(for: 3_000)
    bench.play(MotionTraces.shake(seconds: 0.5))
    switch error {
    case .notAcknowledged: bench.unplug()
    case .stuck: bench.bus.wires.fault = .stuck
    case .unavailable: bench.bus.wires.fault = .removed
    }
    let used = bench.count { bench.play(MotionTraces.shake(seconds: 60)) }
    // The present sample, and at 10 to 50 s; the line rises once more at most.
    expect(used.wakeUps <= 8, "\(used.wakeUps) wake-ups")
    expect(bench.events, is: [.found, .lost(.bus(error))])
    bench.plugIn()
    bench.bus.wires.fault = nil
    bench.lie(for: 12_000)
    expect(bench.events, is: [.found, .lost(.bus(error)), .found])
    expect(bench.isAtRest)
    expect(bench.count { bench.play(MotionTraces.shake(seconds: 1)) }.shakes, is: 1)
  }

  @Test(
    "A part that lost its supply in use is set up again, unless another one answers",
    arguments: MotionPart.allCases)
  func powerLoss(part: MotionPart) {
    let bench = MotionBench(part)
    let identity = bench.model.identity
    bench.lie(for: 3_000)
    bench.play(MotionTraces.shake(seconds: 0.2))
    bench.model.losePower()
    bench.model.identity = 0x55
    bench.lie(for: 30_000)
    expect(bench.events, is: [.found, .lost(.lostSettings)])
    bench.model.identity = identity
    bench.lie(for: 12_000)
    expect(bench.events, is: [.found, .lost(.lostSettings), .found])
    expect(bench.isAtRest)
  }

  @Test("A loss at rest, which has no sign, is found by a check", arguments: MotionPart.allCases)
  func check(part: MotionPart) {
    let bench = MotionBench(part)
    bench.lie(for: 3_000)
    let used = bench.count { bench.check() }
    expect(bench.isAtRest)
    expect(used.bytes > 0)
    bench.model.losePower()
    bench.lie(for: 1_000)
    expect(bench.events, is: [.found])
    bench.check()
    expect(bench.events, is: [.found, .lost(.lostSettings)])
    // A check of a part that is lost does nothing.
    let idle = bench.count { bench.check() }
    expect(idle == (0, 0, 0), "\(idle)")
    bench.lie(for: 12_000)
    expect(bench.events, is: [.found, .lost(.lostSettings), .found])
  }

  @Test(
    "A missed edge is taken up by a check, and the next edge comes", arguments: MotionPart.allCases)
  func missedEdge(part: MotionPart) {
    let bench = MotionBench(part)
    bench.lie(for: 3_000)
    bench.isWired = false
    bench.play(MotionTraces.shake(seconds: 1))
    expect(bench.shakes.count, is: 0)
    expect(bench.model.isInterruptActive)
    expect(bench.isAtRest)
    bench.isWired = true
    // The line stays high: no edge will come.
    bench.play(MotionTraces.shake(seconds: 1))
    expect(bench.isAtRest)
    bench.check()
    expect(!bench.isAtRest)
    bench.lie(for: 3_000)
    expect(bench.isAtRest)
    expect(!bench.model.isInterruptActive)
    bench.play(MotionTraces.shake(seconds: 1))
    expect(bench.shakes.count, is: 1)
  }

  @Test(
    "A ball that is never calm is sampled for 60 s, then not for 10 s",
    arguments: MotionPart.allCases)
  func neverCalm(part: MotionPart) {
    let bench = MotionBench(part)
    bench.lie(for: 3_000)
    bench.play(MotionTraces.bag(seconds: 30))
    // 50 samples a second for 60 s of each 70 s, and one edge.
    let used = bench.count { bench.play(MotionTraces.bag(seconds: 210)) }
    expect(used.wakeUps > 8_500 && used.wakeUps < 9_200, "\(used.wakeUps) wake-ups")
    expect(used.shakes, is: 0)
    bench.lie(for: 12_000)
    expect(bench.isAtRest)
    expect(bench.events, is: [.found])
  }

  @Test("A line that flutters costs no more than a ball that moves")
  func storm() {
    var bus = MotionBus()
    let model = VirtualLIS3DH()
    bus.wires.attach(model, at: 0x18)
    var driver = MotionDriver(sensor: LIS3DH(), at: Instant(rawValue: 0))
    var calls = 0
    // Each millisecond has an edge.
    for time in 0..<UInt64(200_000) {
      let now = Instant(rawValue: time)
      driver.interrupt(at: now)
      if time % 20 == 0 { model.acceleration = MotionSample(x: 0, y: 0, z: 1_000) }
      guard let deadline = driver.deadline, deadline <= now else { continue }
      driver.advance(to: now, on: &bus)
      calls += 1
    }
    // It works for 60 s, 70 to 130 s and 140 to 200 s. Each second ends with a rest of 1 ms, and the
    // next begins with a sample: 51 calls a second.
    expect(calls > 8_500 && calls < 180 * 51 + 10, "\(calls) calls")
  }
}
