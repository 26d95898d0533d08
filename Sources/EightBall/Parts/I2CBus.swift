import BluetoothHost

/// An I2C bus with one controller, this machine. NXP UM10204, rev. 7.
///
/// A call is one transfer and waits for its end: at 400 kHz a byte takes 23 µs. No call allocates.
public protocol I2CBus: ~Copyable {
  /// Writes `bytes` to the device at `address`, from a START to a STOP condition.
  ///
  /// - Parameters:
  ///   - bytes: At least one byte.
  ///   - address: Seven bits.
  mutating func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError)

  /// Writes the number of a register to the device at `address`, and reads `count` bytes after a repeated
  /// START condition.
  ///
  /// - Parameters:
  ///   - register: The first byte that the device receives.
  ///   - address: Seven bits.
  mutating func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8>
}

/// Why a transfer on an I2C bus failed.
public enum I2CError: Error, Equatable, Sendable {
  /// No device acknowledged: none has the address, or it does not answer.
  case notAcknowledged
  /// A device holds a line of the bus low, or the transfer did not end in time.
  case stuck
  /// The machine has no such bus, or the program may not use it. The code is an errno of the machine.
  case unavailable(code: Int32)
}
