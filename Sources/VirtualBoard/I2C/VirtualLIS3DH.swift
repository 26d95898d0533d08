import EightBall

/// A model of the accelerometer LIS3DH: data sheet DocID17530, rev. 2.
///
/// It has the sample registers in the three modes and all ranges, interrupt 1 on the pin INT1 with
/// high events of any axis, latched or not, and the high-pass filter. It lacks low events, 6D and
/// clicks, the FIFO, interrupt 2, and the polarity of the pin.
public final class VirtualLIS3DH: VirtualMotionSensor {
  /// A part after power-up, flat on the table: in power-down mode.
  public init() { super.init(identity: 0x33) }

  /// Section 7, table 21.
  override func reset() {
    registers[0x1E] = 0x10
    registers[0x20] = 0x07
  }

  /// The registers of type rw: section 7, table 21.
  override func isWritable(_ register: Int) -> Bool {
    switch register {
    case 0x1E...0x26, 0x2E, 0x30, 0x32...0x34, 0x36...0x38, 0x3A...0x3F: true
    default: false
    }
  }

  /// Without bit 7 a transfer stays at its register: section 6.1.1.
  override func next(after pointer: Int) -> Int {
    pointer & 0x80 == 0 ? pointer : 0x80 | (pointer + 1) & 0x7F
  }

  override func read(_ register: Int) -> UInt8 {
    let value = registers[register]
    switch register {
    case 0x0F: return identity
    case 0x26:
      // The normal mode of the filter: section 8.9, table 34.
      if registers[0x21] & 0xC0 == 0 { resetFilter() }
    case 0x31:
      // Reading INT1_SRC ends a latched interrupt: sections 8.12 and 8.22.
      if isLatched {
        registers[0x31] = 0
        setInterrupt(false)
      }
    default: break
    }
    return value
  }

  private var isLatched: Bool { registers[0x24] & 0x08 != 0 }
  private var range: Int { Int(registers[0x23] >> 4 & 3) }

  override func takeSample() {
    // Power-down mode: section 8.8, table 31.
    guard registers[0x20] & 0xF0 != 0 else { return }
    for (axis, value) in axes.enumerated() {
      let output = registers[0x20] >> axis & 1 == 0 ? 0 : output(value)
      registers[0x28 + 2 * axis] = UInt8(truncatingIfNeeded: output)
      registers[0x29 + 2 * axis] = UInt8(truncatingIfNeeded: output >> 8)
    }
    // STATUS_REG: new data of each axis, section 8.15.
    registers[0x27] = 0x0F
    updateInterrupt()
  }

  /// A left-justified value of 8 bits in low-power mode, 10 bits in normal mode, and 12 bits in
  /// high-resolution mode: section 3.2.1. A unit of 12 bits is 1, 2, 4 or 12 mg: section 2.1, table
  /// 4.
  private func output(_ value: Int) -> Int {
    let bits = registers[0x20] & 0x08 != 0 ? 8 : registers[0x23] & 0x08 != 0 ? 12 : 10
    let unit = [1, 2, 4, 12][range] << (12 - bits)
    let limit = 1 << (bits - 1)
    return min(max(value / unit, -limit), limit - 1) << (16 - bits)
  }

  private func updateInterrupt() {
    // XHIE, YHIE and ZHIE of INT1_CFG: section 8.21.
    let isEnabled = [0x02, 0x08, 0x20].map { registers[0x30] & $0 != 0 }
    // The filter cuts off at 1 Hz at 50 Hz (AN3308): 2π · 1 / 50 is about 1/8.
    var peak = filteredPeak(shift: 3, isEnabled: isEnabled)
    if registers[0x21] & 0x01 == 0 {
      peak = zip(axes, isEnabled).map { $1 ? abs($0) : 0 }.max() ?? 0
    }
    // Section 8.23, table 59.
    let threshold = Int(registers[0x32] & 0x7F) * [16, 32, 62, 186][range]
    let isHigh = isEnabled.contains(true) && peak > threshold
    guard isHigh || !isLatched else { return }
    registers[0x31] = isHigh ? 0x40 : 0
    // I1_IA1 of CTRL_REG3: section 8.10.
    setInterrupt(isHigh && registers[0x22] & 0x40 != 0)
  }
}
