import BluetoothHost
import EightBall
import Glibc

/// Traces of a ball that moves, 50 samples a second, in mg.
///
/// They are computed from a model of each movement, since no recording can be checked by a reader:
/// the formula stands beside each trace. Noise has a fixed seed. A pose is the direction of gravity.
enum MotionTraces {
  /// Where the sensor's z axis points.
  enum Pose: CaseIterable {
    case upright
    case faceDown
    case onItsSide

    var gravity: [Double] {
      switch self {
      case .upright: [0, 0, 1]
      case .faceDown: [0, 0, -1]
      case .onItsSide: [0.6, 0.8, 0]
      }
    }
  }

  /// Lies still: the noise of the parts is 5 to 20 mg; this is ±60 mg, evenly distributed.
  static func still(seconds: Double, pose: Pose = .upright) -> [MotionSample] {
    var noise = Noise(seed: 1)
    return trace(seconds) { _ in
      pose.gravity.map { $0 + noise.next(within: 0.06) }
    }
  }

  /// A hand moves it to and fro along `axis`: x(t) = amplitude · sin(2πft), which is an acceleration
  /// of amplitude · (2πf)², growing to its full strength in the first quarter of a second. 3 cm at 4
  /// Hz are 0.03 · 25.1² = 18.9 m/s² = 1.9 g.
  static func shake(
    seconds: Double, frequency: Double = 4, centimetres: Double = 3, axis: [Double] = [0, 0, 1],
    pose: Pose = .upright
  ) -> [MotionSample] {
    let peak = centimetres / 100 * pow(2 * .pi * frequency, 2) / 9.81
    var noise = Noise(seed: 2)
    return trace(seconds) { time in
      let stroke = min(time * 4, 1) * peak * sin(2 * .pi * frequency * time)
      return zip(pose.gravity, axis).map { $0 + $1 * stroke + noise.next(within: 0.06) }
    }
  }

  /// A knock on the table under it: the table rings at `frequency` Hz and loses two thirds of its
  /// swing each 50 ms. It begins with 3 g.
  static func knock(frequency: Double, phase: Double = 0) -> [MotionSample] {
    trace(0.4) { time in
      [0, 0, 1 + 3 * exp(-time / 0.05) * cos(2 * .pi * (frequency * time + phase))]
    }
  }

  /// On a machine that shakes it with 1.8 g.
  static func machine(seconds: Double, frequency: Double) -> [MotionSample] {
    trace(seconds) { time in [1.8 * sin(2 * .pi * frequency * time), 0, 1] }
  }

  /// Down the stairs in a hand or a pocket, two steps a second: each step ends with a blow of 1.8 g
  /// upwards that lasts 80 ms, half a sine. In between it sinks with 0.3 g, so that the mean is 0:
  /// 1.8 g · 2/π · 80 ms = 92 mg·s, and 0.22 g · 420 ms = 92 mg·s.
  static func stairs(seconds: Double) -> [MotionSample] {
    var noise = Noise(seed: 3)
    return trace(seconds) { time in
      let phase = time.truncatingRemainder(dividingBy: 0.5)
      let step = phase < 0.08 ? 1.8 * sin(.pi * phase / 0.08) : -0.22
      return [noise.next(within: 0.3), noise.next(within: 0.3), 1 + step]
    }
  }

  /// In the bag of a walker: 0.4 g up and down at 1.8 Hz, it swings by 20°, and at each step it
  /// strikes the hip with 1.6 g for 40 ms. Things around it push it with up to 0.5 g on each axis.
  static func bag(seconds: Double) -> [MotionSample] {
    var noise = Noise(seed: 4)
    return trace(seconds) { time in
      let angle = 0.35 * sin(2 * .pi * 0.9 * time)
      let step = (time * 1.8).truncatingRemainder(dividingBy: 1)
      let blow = step < 0.072 ? 1.6 : 0
      return [
        sin(angle) + blow + noise.next(within: 0.5), noise.next(within: 0.5),
        cos(angle) + 0.4 * sin(2 * .pi * step) + noise.next(within: 0.5),
      ]
    }
  }

  /// Is turned from one face to the other and back, each way in half of `period`: gravity is all
  /// that acts.
  static func turns(_ count: Double, period: Double) -> [MotionSample] {
    trace(count * period) { time in
      let angle = Double.pi / 2 * (1 - cos(2 * .pi * time / period))
      return [0, sin(angle), cos(angle)]
    }
  }

  /// Falls from 80 cm: 400 ms without weight, a blow of 7 g, and two bounces of half the time each,
  /// with blows of 5 g and 3 g.
  static func drop() -> [MotionSample] {
    let sections: [(Int, Double)] = [
      (10, 1), (20, 0), (1, 8), (20, 0), (1, 6), (10, 0), (1, 4), (50, 1),
    ]
    return sections.flatMap { count, z in
      Array(repeating: sample([0, 0, z]), count: count)
    }
  }

  private static func trace(_ seconds: Double, _ body: (Double) -> [Double]) -> [MotionSample] {
    (0..<Int(seconds * 50)).map { sample(body(Double($0) / 50)) }
  }

  private static func sample(_ axes: [Double]) -> MotionSample {
    let values = axes.map { Int16(($0 * 1_000).rounded()) }
    return MotionSample(x: values[0], y: values[1], z: values[2])
  }

  private struct Noise {
    var source: RandomSource

    init(seed: UInt64) { source = RandomSource(seed: seed) }

    mutating func next(within limit: Double) -> Double {
      limit * (Double(source.next(below: 2_001)) / 1_000 - 1)
    }
  }
}
