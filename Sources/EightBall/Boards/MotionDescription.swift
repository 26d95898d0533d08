/// A motion sensor of a board.
public struct MotionDescription: Equatable, Sendable {
  /// Which sensor, and where it is.
  public var part: BusPart
  /// The line of its interrupt, which is active while the sensor reports motion.
  public var line: LineDescription
  /// The acceleration, without gravity, of a stroke of a shake, 100 to 8,000 thousandths of standard gravity (mg).
  public var threshold: UInt16

  /// The threshold of a board that sets none.
  public static var usualThreshold: UInt16 { ShakePattern.usualThreshold }

  /// A sensor with these values, which are not checked.
  public init(_ part: BusPart, line: LineDescription, threshold: UInt16 = usualThreshold) {
    self.part = part
    self.line = line
    self.threshold = threshold
  }
}
