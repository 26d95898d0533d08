/// The accelerometer LIS3DH of STMicroelectronics: data sheet DocID17530, rev. 2, and application
/// note AN3308. Its line is the pin INT1.
public struct LIS3DH: MotionSensor {
  /// The usual address, with pin SA0 low; 0x19 with SA0 high. Section 6.1.1.
  public static var address: UInt8 { 0x18 }

  private let address: UInt8

  /// The part at an address of seven bits.
  public init(address: UInt8 = LIS3DH.address) { self.address = address }

  /// Interrupts on a high event of each axis, any of them: section 8.21.
  private static var interruptEvents: UInt8 { 0x2A }

  /// Sets the part to 50 Hz and ±8 g in normal mode, which uses 11 µA: section 3.2.1, table 12.
  ///
  /// High-resolution mode would cut off at 5.6 Hz, a ninth of the data rate (section 3.2.1), and a
  /// hand can shake as fast.
  public func start<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, threshold: UInt16
  ) throws(PartError) {
    // WHO_AM_I, section 8.5.
    try bus.checkIdentity(0x0F, is: 0x33, of: address)
    // At ±8 g a unit of the threshold is 62 mg, and it has seven bits: section 8.23.
    let units = min(max(threshold / 62, 1), 127)
    let settings: InlineArray<9, UInt16> = [
      // CTRL_REG1, section 8.8: 50 Hz, three axes.
      0x2047,
      // CTRL_REG2, section 8.9: interrupt 1 sees the output of the high-pass filter, so that the
      // direction of gravity does not matter. It cuts off at 1 Hz at this data rate: AN3308.
      0x2101,
      // CTRL_REG3, section 8.10: interrupt 1 drives INT1.
      0x2240,
      // CTRL_REG4, section 8.11: both bytes of a value belong to one sample, ±8 g.
      0x23A0,
      // CTRL_REG5, section 8.12: no FIFO, interrupt 1 is latched.
      0x2408,
      // CTRL_REG6, section 8.13: INT1 is active high.
      0x2500,
      // INT1_THS and INT1_DURATION, sections 8.23 and 8.24: one sample above it is enough.
      0x3200 | units, 0x3300,
      // INT1_CFG.
      0x3000 | UInt16(Self.interruptEvents),
    ]
    try bus.writeRegisters(settings.span, of: address)
  }

  /// The latest acceleration. Sections 8.16 to 8.18.
  public func sample<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus
  ) throws(PartError) -> MotionSample {
    // Bit 7 of a register's number makes the part go on to the next one: section 6.1.1.
    let bytes: InlineArray<6, UInt8> = try bus.readRegisters(from: 0x80 | 0x28, of: address)
    func value(_ index: Int) -> Int16 {
      // The ten bits of 16 mg each (section 2.1, table 4) are left-justified: a unit is ¼ mg.
      Int16(truncatingIfNeeded: UInt16(bytes[index + 1]) &<< 8 | UInt16(bytes[index])) &>> 2
    }
    return MotionSample(x: value(0), y: value(2), z: value(4))
  }

  /// Takes INT1 low.
  public func arm<Bus: I2CBus & ~Copyable>(on bus: inout Bus) throws(PartError) -> Bool {
    // This read makes the present acceleration the zero of the filter, which would otherwise take
    // half a second to forget a turn: section 8.9, table 34.
    let _: InlineArray<1, UInt8> = try bus.readRegisters(from: 0x26, of: address)
    // INT1_CFG, and INT1_SRC, whose reading ends the latch: sections 8.21 and 8.22.
    let bytes: InlineArray<2, UInt8> = try bus.readRegisters(from: 0x80 | 0x30, of: address)
    guard bytes[0] == Self.interruptEvents else { throw .lostSettings }
    return bytes[1] & 0x40 != 0
  }
}
