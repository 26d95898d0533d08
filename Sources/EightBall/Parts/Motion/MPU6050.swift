/// The accelerometer of the MPU-6050 of InvenSense: register map RM-MPU-6000A-00, rev. 4.0, and
/// product specification PS-MPU-6000A-00, rev. 3.4. Its line is the pin INT. The gyroscope is off.
public struct MPU6050: MotionSensor {
  /// The usual address, with pin AD0 low; 0x69 with AD0 high. Product specification, section 9.2.
  public static var address: UInt8 { 0x68 }

  private let address: UInt8

  /// The part at an address of seven bits.
  public init(address: UInt8 = MPU6050.address) { self.address = address }

  /// INT_ENABLE with MOT_EN: section 4.16.
  private static var motionEnabled: UInt8 { 0x40 }

  /// Sets the part to its accelerometer-only low-power mode at 40 Hz, which uses 140 µA (product
  /// specification, section 6.3), and to ±8 g.
  public func start<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, threshold: UInt16
  ) throws(PartError) {
    // WHO_AM_I, section 4.34: the same at both addresses.
    try bus.checkIdentity(0x75, is: 0x68, of: address)
    // A unit of the threshold is 32 mg: product specification, section 6.2.
    let units = min(max(threshold / 32, 1), 255)
    let settings: InlineArray<8, UInt16> = [
      // PWR_MGMT_1 and PWR_MGMT_2, sections 4.30 and 4.31: cycle mode without the thermometer;
      // 40 Hz, the gyroscope in standby.
      0x6B28, 0x6CC7,
      // ACCEL_CONFIG, section 4.5: ±8 g; motion is detected behind the high-pass filter (rev. 3.2,
      // section 4.5), which forgets the direction of gravity. 0 instead of 1 would mute it.
      0x1C11,
      // MOT_THR, section 4.6, and MOT_DUR, rev. 3.2, section 4.9: 1 ms above it is enough.
      0x1F00 | units, 0x2001,
      // MOT_DETECT_CTRL, section 4.28: the filters get 1 ms more at each wake-up.
      0x6910,
      // INT_PIN_CFG, section 4.15: active high, push-pull, held until INT_STATUS is read.
      0x3720,
      // INT_ENABLE.
      0x3800 | UInt16(Self.motionEnabled),
    ]
    try bus.writeRegisters(settings.span, of: address)
  }

  /// The latest acceleration. Section 4.18.
  public func sample<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus
  ) throws(PartError) -> MotionSample {
    let bytes: InlineArray<6, UInt8> = try bus.readRegisters(from: 0x3B, of: address)
    func value(_ index: Int) -> Int16 {
      let raw = Int16(truncatingIfNeeded: UInt16(bytes[index]) &<< 8 | UInt16(bytes[index + 1]))
      // 4096 units are 1 g: 1000 / 4096 = 125 / 512.
      return Int16(truncatingIfNeeded: (Int32(raw) &* 125) &>> 9)
    }
    return MotionSample(x: value(0), y: value(2), z: value(4))
  }

  /// Takes INT low.
  public func arm<Bus: I2CBus & ~Copyable>(on bus: inout Bus) throws(PartError) -> Bool {
    // INT_ENABLE, a reserved register, and INT_STATUS, whose reading ends the latch: section 4.17.
    let bytes: InlineArray<3, UInt8> = try bus.readRegisters(from: 0x38, of: address)
    guard bytes[0] == Self.motionEnabled else { throw .lostSettings }
    return bytes[2] & 0x40 != 0
  }
}
