import BluetoothHost

/// The model of a part on an I2C bus.
public enum PartModel: UInt8, Sendable {
  /// STMicroelectronics LIS3DH, an accelerometer.
  case lis3dh
  /// TDK InvenSense MPU-6050, an accelerometer and gyroscope.
  case mpu6050
  /// Solomon Systech SSD1306, a display of 128×64 pixels.
  case ssd1306
  /// Hitachi HD44780 with a PCF8574 expander, a display of two lines of 16 characters.
  case hd44780

  /// The model of this part with this name; `nil` if there is none.
  @inline(never)
  init?(_ text: Span<UInt8>, of part: BoardPart) {
    var number: UInt8 = 0
    while let model = PartModel(rawValue: number) {
      if model.part == part, text.equals(model.name) {
        self = model
        return
      }
      number &+= 1
    }
    return nil
  }

  /// Which part of a board it is.
  public var part: BoardPart { rawValue < Self.ssd1306.rawValue ? .motion : .display }

  /// Its name in a board file.
  public var name: StaticString {
    switch self {
    case .lis3dh: "lis3dh"
    case .mpu6050: "mpu6050"
    case .ssd1306: "ssd1306"
    case .hd44780: "hd44780"
    }
  }

  /// Its address while its address pins are low; a PCF8574 has them high on common boards.
  ///
  /// LIS3DH, data sheet rev. 2, 6.1.1; MPU-6050, product specification rev. 3.4, 9.2; SSD1306, data sheet rev. 1.1,
  /// 8.1.5.1; PCF8574, data sheet rev. 5, 7.1.
  public var usualAddress: UInt8 {
    switch self {
    case .lis3dh: 0x18
    case .mpu6050: 0x68
    case .ssd1306: 0x3C
    case .hd44780: 0x27
    }
  }
}

/// A part on an I2C bus: its model, and where it is.
public struct BusPart: Equatable, Sendable {
  /// Its model.
  public var model: PartModel
  /// The number of the bus: 1 for i2c-1.
  public var bus: UInt8
  /// Its address on the bus, 0x03 to 0x77.
  public var address: UInt8

  /// A part with these values, which are not checked. `nil` is the model's usual address.
  public init(_ model: PartModel, bus: UInt8, address: UInt8? = nil) {
    self.model = model
    self.bus = bus
    self.address = address ?? model.usualAddress
  }

  /// Writes where it is: "0x18 on i2c-1".
  @_lifetime(writer: copy writer)
  public func writePlace(to writer: inout ByteWriter) {
    writeAddress(to: &writer)
    writer.add(" on ")
    writeBus(to: &writer)
  }

  /// Writes the address as in a board file: "0x18".
  @_lifetime(writer: copy writer)
  public func writeAddress(to writer: inout ByteWriter) {
    writer.add("0x")
    writer.write(hexadecimal: address)
  }

  /// Writes the bus as in a board file: "i2c-1".
  @_lifetime(writer: copy writer)
  public func writeBus(to writer: inout ByteWriter) {
    writer.add("i2c-")
    writer.write(digitsOf: UInt(bus))
  }
}
