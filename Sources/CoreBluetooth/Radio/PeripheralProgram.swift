import BluetoothHost
import LinuxRadio

/// The peripheral's half of a device.
struct PeripheralProgram: RadioProgram, ~Copyable {
  /// - Parameter randomAddress: What it goes by where the controller has no address.
  init(randomAddress: DeviceAddress) {}

  mutating func radioIsReady(at now: Instant) {}
  mutating func radioIsLost(_ error: RadioError, at now: Instant) {}
  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {}
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool { false }
  var deadline: Instant? { nil }
  mutating func advance(to now: Instant) {}
  mutating func turnEnded() {}
  mutating func shutDown(at now: Instant) {}
  var isFinished: Bool { true }
}
