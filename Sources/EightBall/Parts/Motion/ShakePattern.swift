import BluetoothHost

/// Recognises a shake of the hand in samples of the acceleration, on injected time.
///
/// A *stroke* is a sample whose acceleration without gravity reaches the threshold. A *reversal* is
/// a stroke against the direction of the strokes before it, and soon after them. A shake is three
/// reversals within 1 s. Gravity is a slow average of the samples, so that each pose counts the
/// same.
///
/// Other movements lack one of these parts:
/// - In a bag, on stairs, and in a fall nothing pulls the ball down faster than gravity. With a
///   threshold above 1 g their strokes have one direction, and long gaps.
/// - A knock on the table rings. It reverses faster than a hand can, which cancels the reversals
///   before it, and the next knock comes too late.
/// - A ball that is turned reverses too seldom.
public struct ShakePattern: Sendable {
  /// What a sample shows.
  public enum Movement: Equatable, Sendable {
    /// The acceleration without gravity is less than half the threshold.
    case calm
    /// The ball moves.
    case moving
    /// The ball moves, and this sample completes a shake.
    case shake
  }

  /// The threshold that suits a hand, in mg: strokes of 3 cm at 3.2 Hz reach it.
  public static var usualThreshold: UInt16 { 1_200 }
  /// Within which time the three reversals have to come, in milliseconds.
  public static var window: UInt32 { 1_000 }
  /// The shortest time between two reversals of a hand, in milliseconds: those of a shake at 8 Hz.
  public static var shortestSpacing: UInt32 { 60 }
  /// The longest time between two strokes of one movement, in milliseconds: half a period at 2 Hz.
  public static var longestGap: UInt32 { 250 }
  /// How long there must be no stroke after a shake, before the next one counts, in milliseconds.
  public static var pause: UInt32 { 500 }

  /// The square of the threshold, in mg².
  private let squaredThreshold: Int32
  /// The average of each axis, in 1/16 mg; `nil` before the first sample.
  private var gravity: Vector?
  /// The direction of the present strokes.
  private var direction = Vector(x: 0, y: 0, z: 0)
  /// When the last stroke was, in milliseconds. A time here is an `Instant` without its upper half.
  private var lastStroke: UInt32 = 0
  /// When `direction` was set.
  private var turnTime: UInt32 = 0
  /// When the last two reversals were, the earlier one first.
  private var reversals: (UInt32, UInt32) = (0, 0)
  /// How many of `reversals` are set; `nil` if the present movement has made its shake.
  private var reversalCount: UInt8? = 0

  /// A pattern that has seen no sample.
  ///
  /// - Parameter threshold: What counts as a stroke, in mg; limited to 100…7000. Below 1100 a
  ///   turn or a fall can be part of a shake.
  public init(threshold: UInt16 = ShakePattern.usualThreshold) {
    let threshold = Int32(min(max(threshold, 100), 7_000))
    squaredThreshold = threshold &* threshold
  }

  /// Takes the next sample. They are expected 20 ms apart; a shake at 8 Hz has
  /// three in each direction then.
  public mutating func add(_ sample: MotionSample, at now: Instant) -> Movement {
    let time = UInt32(truncatingIfNeeded: now.rawValue)
    if gravity == nil { lastStroke = time &- Self.pause }
    let deviation = removeGravity(from: sample)
    let square = deviation.dot(deviation)
    guard square >= squaredThreshold else {
      return square < squaredThreshold &>> 2 ? .calm : .moving
    }
    let quiet = time &- lastStroke
    lastStroke = time
    if reversalCount == nil ? quiet >= Self.pause : quiet > Self.longestGap {
      // Another movement begins.
      reversalCount = 0
      direction = deviation
      turnTime = time
    }
    // A reversal is more than 120° for strokes that just reach the threshold, 90° for strong ones.
    guard let count = reversalCount, deviation.dot(direction) <= -(squaredThreshold &>> 1) else {
      return .moving
    }
    let spacing = time &- turnTime
    direction = deviation
    turnTime = time
    guard spacing >= Self.shortestSpacing else {
      reversalCount = 0
      return .moving
    }
    if count == 2, time &- reversals.0 <= Self.window {
      reversalCount = nil
      return .shake
    }
    reversals = (reversals.1, time)
    reversalCount = min(count &+ 1, 2)
    return .moving
  }

  /// The acceleration without gravity, in mg.
  private mutating func removeGravity(from sample: MotionSample) -> Vector {
    let sample = Vector(x: Int32(sample.x), y: Int32(sample.y), z: Int32(sample.z))
    var average =
      gravity ?? Vector(x: sample.x &<< 4, y: sample.y &<< 4, z: sample.z &<< 4)
    defer { gravity = average }
    return Vector(
      x: Self.follow(&average.x, sample.x), y: Self.follow(&average.y, sample.y),
      z: Self.follow(&average.z, sample.z))
  }

  /// Moves an average by a 16th of its distance to `value`: its time constant is 320 ms at 50
  /// samples a second. Returns the distance before.
  @inline(never)
  private static func follow(_ average: inout Int32, _ value: Int32) -> Int32 {
    // The product of two vectors of this length fits: 3 · 18000² < 2³¹.
    let distance = min(max(value &- average &>> 4, -18_000), 18_000)
    // Gravity turns by 2 g at most. What is more is a blow, and says nothing about gravity.
    average &+= min(max(distance, -2_000), 2_000)
    return distance
  }

  /// Three axes.
  private struct Vector {
    var x: Int32
    var y: Int32
    var z: Int32

    @inline(never)
    func dot(_ other: Vector) -> Int32 { x &* other.x &+ y &* other.y &+ z &* other.z }
  }
}
