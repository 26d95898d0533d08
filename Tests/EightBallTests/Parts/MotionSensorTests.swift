import EightBall
import Expectations
import VirtualBoard

@Suite("The motion sensors")
struct MotionSensorTests {
  @Test("The LIS3DH is set up by these transfers")
  func startLIS3DH() throws {
    var bus = MotionBus()
    bus.wires.attach(VirtualLIS3DH(), at: 0x19)
    // 600 mg / 62 mg = 9.
    try LIS3DH(address: 0x19).start(on: &bus, threshold: 600)
    expect(
      bus.transfers,
      is: [
        "19 R 0F 1",  // WHO_AM_I
        "19 W 20 47",  // CTRL_REG1: 50 Hz, X, Y, Z
        "19 W 21 01",  // CTRL_REG2: filter on interrupt 1
        "19 W 22 40",  // CTRL_REG3: I1_IA1
        "19 W 23 A0",  // CTRL_REG4: BDU, 8 g
        "19 W 24 08",  // CTRL_REG5: LIR_INT1
        "19 W 25 00",  // CTRL_REG6: active high
        "19 W 32 09",  // INT1_THS
        "19 W 33 00",  // INT1_DURATION
        "19 W 30 2A",  // INT1_CFG: ZHIE, YHIE, XHIE
      ])
    bus.transfers = []
    _ = try LIS3DH(address: 0x19).sample(on: &bus)
    _ = try LIS3DH(address: 0x19).arm(on: &bus)
    expect(bus.transfers, is: ["19 R A8 6", "19 R 26 1", "19 R B0 2"])
  }

  @Test("The MPU-6050 is set up by these transfers")
  func startMPU6050() throws {
    var bus = MotionBus()
    bus.wires.attach(VirtualMPU6050(), at: 0x69)
    // 600 mg / 32 mg = 18 = 0x12.
    try MPU6050(address: 0x69).start(on: &bus, threshold: 600)
    expect(
      bus.transfers,
      is: [
        "69 R 75 1",  // WHO_AM_I
        "69 W 6B 28",  // PWR_MGMT_1: CYCLE, TEMP_DIS
        "69 W 6C C7",  // PWR_MGMT_2: 40 Hz, gyroscope in standby
        "69 W 1C 11",  // ACCEL_CONFIG: 8 g, filter at 5 Hz
        "69 W 1F 12",  // MOT_THR
        "69 W 20 01",  // MOT_DUR
        "69 W 69 10",  // MOT_DETECT_CTRL: ACCEL_ON_DELAY 1 ms
        "69 W 37 20",  // INT_PIN_CFG: LATCH_INT_EN
        "69 W 38 40",  // INT_ENABLE: MOT_EN
      ])
    bus.transfers = []
    _ = try MPU6050(address: 0x69).sample(on: &bus)
    _ = try MPU6050(address: 0x69).arm(on: &bus)
    expect(bus.transfers, is: ["69 R 3B 6", "69 R 38 3"])
  }

  @Test("A threshold beyond the part's range is limited", arguments: [0, 61, 8_000, 65_535])
  func limits(threshold: UInt16) throws {
    var bus = MotionBus()
    bus.wires.attach(VirtualLIS3DH(), at: 0x18)
    bus.wires.attach(VirtualMPU6050(), at: 0x68)
    try LIS3DH().start(on: &bus, threshold: threshold)
    try MPU6050().start(on: &bus, threshold: threshold)
    // 8000 / 62 = 129 > 127, and 8000 / 32 = 250.
    let isLow = threshold < 62
    expect(bus.transfers.contains("18 W 32 \(isLow ? "01" : "7F")"))
    let units = [0: "01", 61: "01", 8_000: "FA", 65_535: "FF"][threshold] ?? ""
    expect(bus.transfers.contains("68 W 1F \(units)"))
  }

  @Test("Samples are in mg", arguments: MotionPart.allCases)
  func samples(part: MotionPart) throws {
    var bus = MotionBus()
    let model = part.makeModel()
    bus.wires.attach(model, at: part.address)
    try part.sensor.start(on: &bus, threshold: 600)
    for values: [Int16] in [
      [0, 0, 1_000], [-1_000, 16, -16], [4_321, -4_321, 7_800], [1, 2, 3],
    ] {
      model.acceleration = MotionSample(x: values[0], y: values[1], z: values[2])
      let sample = try part.sensor.sample(on: &bus)
      // A unit of the LIS3DH is 16 mg; one of the MPU-6050 is ¼ mg.
      let unit = part == .lis3dh ? 16 : 1
      for (measured, value) in zip([sample.x, sample.y, sample.z], values) {
        expect(abs(Int(measured) - Int(value)) < unit + 1, "\(values) became \(sample)")
      }
    }
    // Beyond ±8 g: 511 · 16 = 8176 mg and -512 · 16 = -8192 mg; 32767 · 125 / 512 = 7999 mg and
    // -32768 · 125 / 512 = -8000 mg.
    model.acceleration = MotionSample(x: .max, y: .min, z: 0)
    let limits = try part.sensor.sample(on: &bus)
    expect(
      limits,
      is: part == .lis3dh
        ? MotionSample(x: 8_176, y: -8_192, z: 0) : MotionSample(x: 7_999, y: -8_000, z: 0))
  }

  @Test("Each fault has its error, in each call", arguments: MotionPart.allCases)
  func faults(part: MotionPart) throws {
    var bus = MotionBus()
    let model = part.makeModel()
    func expectError(_ error: PartError) {
      #expect(throws: error) { try part.sensor.start(on: &bus, threshold: 600) }
      #expect(throws: error) { try part.sensor.sample(on: &bus) }
      #expect(throws: error) { try part.sensor.arm(on: &bus) }
    }
    expectError(.bus(.notAcknowledged))
    bus.wires.attach(model, at: part.address)
    model.acknowledges = false
    expectError(.bus(.notAcknowledged))
    model.acknowledges = true
    bus.wires.fault = .stuck
    expectError(.bus(.stuck))
    bus.wires.fault = .removed
    expectError(.bus(.unavailable(code: 19)))
    bus.wires.fault = nil

    // The part of another maker at its address is left alone.
    model.identity = 0x55
    bus.transfers = []
    #expect(throws: PartError.wrongIdentity(0x55)) {
      try part.sensor.start(on: &bus, threshold: 600)
    }
    expect(bus.transfers.count, is: 1)
    model.identity = part == .lis3dh ? 0x33 : 0x68

    try part.sensor.start(on: &bus, threshold: 600)
    _ = try part.sensor.arm(on: &bus)
    model.losePower()
    #expect(throws: PartError.lostSettings) { try part.sensor.arm(on: &bus) }
  }
}
