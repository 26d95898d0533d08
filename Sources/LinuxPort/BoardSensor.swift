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
