import EightBall

/// A model of the accelerometer of the MPU-6050: register map RM-MPU-6000A-00, rev. 4.0.
///
/// It has the sample registers in all ranges, and the motion interrupt on the pin INT, latched or
/// as a pulse, behind the high-pass filter. It lacks the gyroscope, the thermometer, the FIFO, the
/// auxiliary bus, and the polarity of the pin.
public final class VirtualMPU6050: VirtualMotionSensor {
  /// A part after power-up, flat on the table: in sleep mode.
  public init() { super.init(identity: 0x68) }

  /// Section 3.
  override func reset() { registers[0x6B] = 0x40 }

  /// The registers of type R/W that the model knows, and those of motion detection that rev. 3.2
  /// documents: section 3.
  override func isWritable(_ register: Int) -> Bool {
    switch register {
    case 0x0D...0x10, 0x19...0x20, 0x23, 0x37, 0x38, 0x69...0x6C: true
    default: false
    }
  }

  override func read(_ register: Int) -> UInt8 {
    let value = registers[register]
    switch register {
    case 0x75: return identity
    case 0x3A: endInterrupt()
    default:
      // INT_RD_CLEAR: any reading ends the interrupt, section 4.15.
      if registers[0x37] & 0x10 != 0 { endInterrupt() }
    }
    return value
  }

  private func endInterrupt() {
    registers[0x3A] = 0
    setInterrupt(false)
  }

  override func takeSample() {
    // SLEEP of PWR_MGMT_1: section 4.30.
    guard registers[0x6B] & 0x40 == 0 else { return }
    let range = Int(registers[0x1C] >> 3 & 3)
    for (axis, value) in axes.enumerated() {
      // 16,384 units are 1 g at ±2 g: product specification, section 6.2.
      let output = min(max(value * (16_384 >> range) / 1_000, -32_768), 32_767)
      registers[0x3B + 2 * axis] = UInt8(truncatingIfNeeded: output >> 8)
      registers[0x3C + 2 * axis] = UInt8(truncatingIfNeeded: output)
    }
    detectMotion()
  }

  private func detectMotion() {
    // ACCEL_HPF of ACCEL_CONFIG, rev. 3.2, section 4.5: 0 gives 0, 7 holds the zero, and 1 to 4 cut
    // off at 5 Hz to 0.63 Hz. What that is in cycle mode is not documented; here a sample moves the
    // zero by 1/8 to 1/64.
    let peak: Int
    switch registers[0x1C] & 7 {
    case 0:
      resetFilter()
      return
    case 7: peak = filteredPeak(shift: nil)
    case let filter: peak = filteredPeak(shift: 2 + Int(filter))
    }
    // MOT_THR: section 4.6, in units of 32 mg by the product specification, section 6.2.
    guard registers[0x38] & 0x40 != 0, peak > Int(registers[0x1F]) * 32 else { return }
    registers[0x3A] |= 0x40
    setInterrupt(true)
    // Without LATCH_INT_EN the pin gives a pulse of 50 µs: section 4.15.
    if registers[0x37] & 0x20 == 0 { setInterrupt(false) }
  }
}
