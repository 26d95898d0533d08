/// A motion sensor of a board.
public struct MotionDescription: Equatable, Sendable {
  /// The sensors that the ball has drivers for.
  public enum Part: Sendable {
    /// `PartModel.lis3dh`.
    case lis3dh
    /// `PartModel.mpu6050`.
    case mpu6050
  }

  /// Which sensor.
  public var part: Part
  /// The number of its I2C bus: 1 for i2c-1.
  public var bus: UInt8
  /// Its address on the bus, 0x03 to 0x77.
  public var address: UInt8
  /// The line of its interrupt, which is active while the sensor reports motion.
  public var line: LineDescription
  /// The acceleration, without gravity, of a stroke of a shake, 100 to 8,000 thousandths of standard gravity (mg).
  public var threshold: UInt16

  /// The threshold of a board that sets none.
  public static var usualThreshold: UInt16 { ShakePattern.usualThreshold }

  /// A sensor with these values, which are not checked. `nil` is the sensor's usual address.
  public init(
    _ part: Part, bus: UInt8, address: UInt8? = nil, line: LineDescription,
    threshold: UInt16 = usualThreshold
  ) {
    self.part = part
    self.bus = bus
    self.address = address ?? (part == .lis3dh ? PartModel.lis3dh : .mpu6050).usualAddress
    self.line = line
    self.threshold = threshold
  }
}

/// A display of a board.
public struct DisplayDescription: Equatable, Sendable {
  /// The displays that the ball has drivers for.
  public enum Part: Sendable {
    /// `PartModel.ssd1306`.
    case ssd1306
    /// `PartModel.hd44780`.
    case hd44780
  }

  /// Which display.
  public var part: Part
  /// The number of its I2C bus: 1 for i2c-1.
  public var bus: UInt8
  /// Its address on the bus, 0x03 to 0x77.
  public var address: UInt8

  /// A display with these values, which are not checked. `nil` is the display's usual address.
  public init(_ part: Part, bus: UInt8, address: UInt8? = nil) {
    self.part = part
    self.bus = bus
    self.address = address ?? (part == .ssd1306 ? PartModel.ssd1306 : .hd44780).usualAddress
  }
}
