import EightBall

/// A virtual I2C bus with models of devices, and faults.
///
///     let bus = VirtualI2CBus()
///     bus.attach(VirtualSSD1306(), at: 0x3C)
///     bus.fault = .stuck
///
/// It has no clock. All calls come from one thread.
public final class VirtualI2CBus: I2CBus {
  /// A fault of the whole bus.
  public enum Fault: Equatable, Sendable {
    /// A device holds the data line low.
    case stuck
    /// The machine has no such bus: errno ENODEV.
    case removed
  }

  /// The present fault; `nil` if the bus works.
  public var fault: Fault?
  /// How many bytes have crossed the bus, addresses among them: each takes nine clocks.
  public private(set) var byteCount = 0

  private var devices: [UInt8: any VirtualI2CDevice] = [:]

  /// A bus without devices.
  public init() {}

  /// Connects a device; replaces the one at this address.
  public func attach(_ device: any VirtualI2CDevice, at address: UInt8) {
    devices[address] = device
  }

  /// Disconnects the device at this address, as when its wires are pulled.
  public func detach(_ address: UInt8) { devices[address] = nil }

  /// The device at this address; `nil` without one.
  public func device(at address: UInt8) -> (any VirtualI2CDevice)? { devices[address] }

  /// Writes `bytes` to the device at `address`.
  public func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    let device = try select(address)
    byteCount += bytes.count
    for index in bytes.indices {
      guard device.receive(bytes[index], isFirst: index == 0) else { throw .notAcknowledged }
    }
    device.stop()
  }

  /// Writes `register` to the device at `address`, and reads `count` bytes.
  public func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8> {
    let device = try select(address)
    byteCount += 2 + count
    guard device.receive(register, isFirst: true) else { throw .notAcknowledged }
    let bytes = InlineArray<count, UInt8> { _ in device.send() }
    device.stop()
    return bytes
  }

  private func select(_ address: UInt8) throws(I2CError) -> any VirtualI2CDevice {
    switch fault {
    case .stuck: throw .stuck
    case .removed: throw .unavailable(code: 19)
    case nil: break
    }
    byteCount += 1
    guard let device = devices[address] else { throw .notAcknowledged }
    return device
  }
}

/// A model of a device on a virtual I2C bus, byte by byte.
public protocol VirtualI2CDevice: AnyObject {
  /// Takes a byte that the controller writes; `false` if the device does not acknowledge it.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - isFirst: Whether it is the first after a START condition, such as the number of a register.
  func receive(_ byte: UInt8, isFirst: Bool) -> Bool

  /// The next byte that the controller reads.
  func send() -> UInt8

  /// The transfer has ended.
  func stop()
}
