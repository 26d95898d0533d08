// Compiled by scripts/check embedded with the core: the drivers of the displays and of the motion sensors.

import BluetoothHost
import EightBall

/// Shows a screen on both displays, and reads both motion sensors, for one call each.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_parts_entry)
public func parts(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  let bytes = InlineArray<29, UInt8>(repeating: byte)
  let name = DeviceName(bytes.span) ?? DeviceName(StaticText("Magic 8-Ball"))
  let state = BallState(
    status: byte & 1 == 0 ? .advertising : .connected, isPairingOpen: byte & 2 != 0,
    isRefusing: byte & 4 != 0, answer: Answer(rawValue: byte))
  let screen = BallScreen(state, name: name)
  var pixels = DisplayDriver(SSD1306(address: byte))
  var characters = DisplayDriver(HD44780(address: byte))
  let shown = turn(of: &pixels, screen, at: now) &+ turn(of: &characters, screen, at: now)
  var low = MotionDriver(sensor: LIS3DH(address: byte), at: now)
  var other = MotionDriver(sensor: MPU6050(address: byte), at: now)
  return shown &+ turn(of: &low, at: now) &+ turn(of: &other, at: now)
}

private func turn<Sensor: MotionSensor>(
  of driver: inout MotionDriver<Sensor>, at now: Instant
) -> UInt32 {
  var bus = SilentBus(sum: 0)
  driver.interrupt(at: now)
  driver.advance(to: now, on: &bus)
  driver.check(at: now, on: &bus)
  if driver.takeShake() { bus.sum &+= 1 }
  if driver.takeEvent() == .found { bus.sum &+= 2 }
  return bus.sum &+ UInt32(truncatingIfNeeded: driver.deadline?.rawValue ?? 0)
}

private func turn<Panel: DisplayPanel>(
  of driver: inout DisplayDriver<Panel>, _ screen: BallScreen, at now: Instant
) -> UInt32 {
  var bus = SilentBus(sum: 0)
  driver.show(screen, at: now)
  driver.advance(to: now, on: &bus)
  driver.wake(at: now)
  if driver.takeEvent() == .found { bus.sum &+= 1 }
  return bus.sum &+ UInt32(truncatingIfNeeded: driver.deadline?.rawValue ?? 0)
}

/// A bus without devices but for one.
private struct SilentBus: I2CBus {
  var sum: UInt32

  mutating func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    guard address > 0 else { throw .notAcknowledged }
    for index in bytes.indices { sum &+= UInt32(bytes[index]) }
  }

  mutating func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8> { throw .notAcknowledged }
}
