import BluetoothHost
import EightBall
import VirtualBoard

/// A virtual bus that records its transfers.
struct MotionBus: I2CBus {
  let wires = VirtualI2CBus()
  /// A line for each transfer, in hexadecimal: "18 W 20 47", or "18 R 0F 1" for one byte from 0x0F.
  var transfers: [String] = []

  mutating func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    let values = bytes.indices.map { Self.hex(bytes[$0]) }
    transfers.append("\(Self.hex(address)) W \(values.joined(separator: " "))")
    try wires.write(bytes, to: address)
  }

  mutating func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8> {
    transfers.append("\(Self.hex(address)) R \(Self.hex(register)) \(count)")
    return try wires.read(from: register, of: address)
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}

/// The drivers of all sensors, for the bench.
protocol AnyMotionDriver {
  var deadline: Instant? { get }
  mutating func interrupt(at now: Instant)
  mutating func takeShake() -> Bool
  mutating func takeEvent() -> PartEvent?
  mutating func advance(to now: Instant, on bus: inout MotionBus)
  mutating func check(at now: Instant, on bus: inout MotionBus)
}

extension MotionDriver: AnyMotionDriver {}

/// The sensors.
enum MotionPart: CaseIterable {
  case lis3dh
  case mpu6050

  var address: UInt8 { self == .lis3dh ? LIS3DH.address : MPU6050.address }

  var sensor: any MotionSensor { self == .lis3dh ? LIS3DH() : MPU6050() }

  func makeModel() -> VirtualMotionSensor {
    self == .lis3dh ? VirtualLIS3DH() : VirtualMPU6050()
  }

  func makeDriver(at now: Instant) -> any AnyMotionDriver {
    switch self {
    case .lis3dh: MotionDriver(sensor: LIS3DH(), at: now)
    case .mpu6050: MotionDriver(sensor: MPU6050(), at: now)
    }
  }
}

/// A driver, the model of its sensor, and the port between them, on virtual time.
final class MotionBench {
  let address: UInt8
  let model: VirtualMotionSensor
  var bus = MotionBus()
  private var driver: any AnyMotionDriver
  private(set) var time: UInt64
  /// How often the driver was called.
  private(set) var wakeUps = 0
  /// When it reported a shake, in milliseconds.
  private(set) var shakes: [UInt64] = []
  private(set) var events: [PartEvent] = []
  /// Whether the line is connected.
  var isWired = true

  init(_ part: MotionPart, isPluggedIn: Bool = true, at start: UInt64 = 1_000) {
    address = part.address
    model = part.makeModel()
    time = start
    driver = part.makeDriver(at: Instant(rawValue: start))
    if isPluggedIn { plugIn() }
    model.onInterrupt = { [unowned self] in
      guard $0, isWired else { return }
      wakeUps += 1
      driver.interrupt(at: now)
    }
  }

  var now: Instant { Instant(rawValue: time) }
  var deadline: UInt64? { driver.deadline?.rawValue }
  var isAtRest: Bool { deadline == nil }

  func plugIn() { bus.wires.attach(model, at: address) }
  func unplug() { bus.wires.detach(address) }

  func check() {
    driver.check(at: now, on: &bus)
    takeAll()
  }

  /// Gives the sensor a sample each 20 ms, and calls the driver at its deadlines.
  func play(_ samples: [MotionSample]) {
    for sample in samples {
      model.acceleration = sample
      runDriver(until: time + 19)
      time += 20
    }
  }

  /// The ball lies still.
  func lie(for duration: UInt64) {
    play(Array(repeating: MotionSample(x: 0, y: 0, z: 1_000), count: Int(duration / 20)))
  }

  /// The wake-ups, shakes and bytes on the bus while it plays.
  func count(_ body: () -> Void) -> (wakeUps: Int, shakes: Int, bytes: Int) {
    let before = (wakeUps, shakes.count, bus.wires.byteCount)
    body()
    return (wakeUps - before.0, shakes.count - before.1, bus.wires.byteCount - before.2)
  }

  private func runDriver(until end: UInt64) {
    // A driver that asks for more has a loop that never ends.
    let limit = wakeUps + 100
    while wakeUps < limit, let deadline = driver.deadline, deadline.rawValue <= end {
      wakeUps += 1
      driver.advance(to: max(deadline, now), on: &bus)
      takeAll()
    }
  }

  private func takeAll() {
    if driver.takeShake() { shakes.append(time) }
    if let event = driver.takeEvent() { events.append(event) }
  }
}
