import BluetoothHost
import EightBall

/// The motion sensor of a board: one of those that there are drivers for.
package enum BoardSensor: MotionSensor {
  case lis3dh(LIS3DH)
  case mpu6050(MPU6050)

  /// The driver of a sensor.
  package init(_ part: BusPart) {
    self =
      part.model == .mpu6050
      ? .mpu6050(MPU6050(address: part.address)) : .lis3dh(LIS3DH(address: part.address))
  }

  package func start<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, threshold: UInt16
  ) throws(PartError) {
    switch self {
    case .lis3dh(let sensor): try sensor.start(on: &bus, threshold: threshold)
    case .mpu6050(let sensor): try sensor.start(on: &bus, threshold: threshold)
    }
  }

  package func sample<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus
  ) throws(PartError) -> MotionSample {
    switch self {
    case .lis3dh(let sensor): try sensor.sample(on: &bus)
    case .mpu6050(let sensor): try sensor.sample(on: &bus)
    }
  }

  package func arm<Bus: I2CBus & ~Copyable>(on bus: inout Bus) throws(PartError) -> Bool {
    switch self {
    case .lis3dh(let sensor): try sensor.arm(on: &bus)
    case .mpu6050(let sensor): try sensor.arm(on: &bus)
    }
  }
}

/// The display of a board: one of those that there are drivers for.
package enum BoardDisplay: DisplayPanel {
  case ssd1306(SSD1306)
  case hd44780(HD44780)

  /// The driver of a display.
  package init(_ part: BusPart) {
    self =
      part.model == .hd44780
      ? .hd44780(HD44780(address: part.address)) : .ssd1306(SSD1306(address: part.address))
  }

  package var address: UInt8 {
    switch self {
    case .ssd1306(let panel): panel.address
    case .hd44780(let panel): panel.address
    }
  }

  package mutating func reset() {
    switch self {
    case .ssd1306(var panel):
      panel.reset()
      self = .ssd1306(panel)
    case .hd44780(var panel):
      panel.reset()
      self = .hd44780(panel)
    }
  }

  package mutating func writeNext(
    towards text: ScreenText, _ brightness: Brightness, to writer: inout ByteWriter
  ) -> UInt32? {
    switch self {
    case .ssd1306(var panel):
      defer { self = .ssd1306(panel) }
      return panel.writeNext(towards: text, brightness, to: &writer)
    case .hd44780(var panel):
      defer { self = .hd44780(panel) }
      return panel.writeNext(towards: text, brightness, to: &writer)
    }
  }
}
