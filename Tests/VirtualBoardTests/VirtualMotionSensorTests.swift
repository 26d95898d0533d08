import EightBall
import Expectations
import VirtualBoard

@Suite("The models of motion sensors")
struct VirtualMotionSensorTests {
  private let bus = VirtualI2CBus()

  private func write(_ bytes: [UInt8], to address: UInt8) throws {
    try bus.write(bytes.span, to: address)
  }

  private func read(_ register: UInt8, of address: UInt8) throws -> UInt8 {
    let bytes: InlineArray<1, UInt8> = try bus.read(from: register, of: address)
    return bytes[0]
  }

  @Test("Registers have their reset values, also after a loss of power")
  func reset() throws {
    let first = VirtualLIS3DH()
    let second = VirtualMPU6050()
    bus.attach(first, at: 0x18)
    bus.attach(second, at: 0x68)
    for _ in 0..<2 {
      expect(try read(0x0F, of: 0x18), is: 0x33)
      expect(try read(0x20, of: 0x18), is: 0x07)
      expect(try read(0x1E, of: 0x18), is: 0x10)
      expect(try read(0x75, of: 0x68), is: 0x68)
      expect(try read(0x6B, of: 0x68), is: 0x40)
      try write([0x20, 0x57], to: 0x18)
      try write([0x6B, 0x00], to: 0x68)
      expect(try read(0x20, of: 0x18), is: 0x57)
      first.losePower()
      second.losePower()
    }
  }

  @Test("Only writable registers change")
  func readOnly() throws {
    bus.attach(VirtualLIS3DH(), at: 0x18)
    bus.attach(VirtualMPU6050(), at: 0x68)
    try write([0x0F, 0x00], to: 0x18)
    try write([0x28, 0x55], to: 0x18)
    try write([0x75, 0x00], to: 0x68)
    try write([0x3B, 0x55], to: 0x68)
    expect(try read(0x0F, of: 0x18), is: 0x33)
    expect(try read(0x28, of: 0x18), is: 0)
    expect(try read(0x75, of: 0x68), is: 0x68)
    expect(try read(0x3B, of: 0x68), is: 0)
  }

  @Test("The LIS3DH goes on to the next register only with bit 7; the MPU-6050 always")
  func increment() throws {
    bus.attach(VirtualLIS3DH(), at: 0x18)
    bus.attach(VirtualMPU6050(), at: 0x68)
    try write([0x20, 0x11, 0x22], to: 0x18)
    expect(try read(0x20, of: 0x18), is: 0x22)
    expect(try read(0x21, of: 0x18), is: 0)
    try write([0xA0, 0x11, 0x22], to: 0x18)
    let pair: InlineArray<2, UInt8> = try bus.read(from: 0xA0, of: 0x18)
    expect([pair[0], pair[1]], is: [0x11, 0x22])
    try write([0x1B, 0x08, 0x18], to: 0x68)
    expect(try read(0x1C, of: 0x68), is: 0x18)
  }

  @Test(
    "The LIS3DH measures left-justified, by mode and range",
    arguments: [
      // CTRL_REG1, CTRL_REG4, and 1000 mg: at ±2 g 1000 / 4 = 250 in ten bits.
      (0x47, 0x00, 250 << 6), (0x47, 0x20, 62 << 6), (0x47, 0x28, 250 << 4),
      (0x4F, 0x00, 62 << 8), (0x47, 0x30, 20 << 6), (0x07, 0x00, 0),
    ] as [(UInt8, UInt8, Int)])
  func outputs(first: UInt8, fourth: UInt8, output: Int) throws {
    let part = VirtualLIS3DH()
    bus.attach(part, at: 0x18)
    try write([0x20, first], to: 0x18)
    try write([0x23, fourth], to: 0x18)
    part.acceleration = MotionSample(x: 0, y: 0, z: 1_000)
    let bytes: InlineArray<2, UInt8> = try bus.read(from: 0xAC, of: 0x18)
    expect(Int(bytes[0]) | Int(bytes[1]) << 8, is: output)
  }

  @Test("The LIS3DH compares with its threshold: 10 · 62 mg at ±8 g", arguments: [true, false])
  func threshold(isLatched: Bool) throws {
    let part = VirtualLIS3DH()
    var levels: [Bool] = []
    part.onInterrupt = { levels.append($0) }
    bus.attach(part, at: 0x18)
    try write([0xA0, 0x47, 0x01, 0x40, 0x20, isLatched ? 0x08 : 0x00], to: 0x18)
    try write([0x32, 10], to: 0x18)
    try write([0x30, 0x2A], to: 0x18)
    _ = try read(0x26, of: 0x18)
    part.acceleration = MotionSample(x: 620, y: 0, z: 1_000)
    expect(!part.isInterruptActive)
    _ = try read(0x26, of: 0x18)
    part.acceleration = MotionSample(x: 1_241, y: 0, z: 1_000)
    expect(part.isInterruptActive)
    // The filter forgets the new level: 621 · (7/8)ⁿ < 620 at once.
    part.acceleration = MotionSample(x: 1_241, y: 0, z: 1_000)
    expect(part.isInterruptActive, is: isLatched)
    expect(try read(0x31, of: 0x18), is: isLatched ? 0x40 : 0)
    expect(levels, is: [true, false])
    expect(!part.isInterruptActive)
  }

  @Test("The MPU-6050 compares with its threshold: 20 · 32 mg, and latches until it is read")
  func motion() throws {
    let part = VirtualMPU6050()
    var levels: [Bool] = []
    part.onInterrupt = { levels.append($0) }
    bus.attach(part, at: 0x68)
    for setting: [UInt8] in [[0x6B, 0x20], [0x1F, 20], [0x37, 0x20], [0x38, 0x40]] {
      try write(setting, to: 0x68)
    }
    // With ACCEL_HPF 0 the filter gives 0.
    part.acceleration = MotionSample(x: 3_000, y: 0, z: 1_000)
    part.acceleration = MotionSample(x: 0, y: 0, z: 1_000)
    expect(levels, is: [])
    // With 7 it holds the level from before.
    try write([0x1C, 0x17], to: 0x68)
    part.acceleration = MotionSample(x: 640, y: 0, z: 1_000)
    expect(levels, is: [])
    part.acceleration = MotionSample(x: 641, y: 0, z: 1_000)
    part.acceleration = MotionSample(x: 0, y: 0, z: 1_000)
    expect(levels, is: [true])
    expect(try read(0x3A, of: 0x68), is: 0x40)
    expect(try read(0x3A, of: 0x68), is: 0)
    expect(levels, is: [true, false])
    // Without the latch: a pulse.
    try write([0x37, 0x00], to: 0x68)
    part.acceleration = MotionSample(x: 641, y: 0, z: 1_000)
    expect(levels, is: [true, false, true, false])
  }
}
