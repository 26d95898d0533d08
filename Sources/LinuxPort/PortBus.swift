import BluetoothHost
import EightBall
import Linux

/// A bus of this machine, for parts of a board.
extension I2CDevice: I2CBus {
  /// Writes `bytes` in one transfer: at most 8,192 bytes, or 33 if the bus has an SMBus controller.
  public mutating func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    var nothing = InlineArray<0, UInt8>(repeating: 0)
    var space = nothing.mutableSpan
    try transfer(bytes, into: &space, at: address)
  }

  /// Reads from a register in one transfer: at most 8,192 bytes, or 32 if the bus has an SMBus
  /// controller.
  public mutating func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8> {
    let first: InlineArray<1, UInt8> = [register]
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    var space = bytes.mutableSpan
    try transfer(first.span, into: &space, at: address)
    return bytes
  }

  /// Reads a byte without writing any, which changes nothing in a part.
  package func readByte(of address: UInt8) throws(I2CError) -> UInt8 {
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var space = byte.mutableSpan
    let nothing = InlineArray<0, UInt8>(repeating: 0)
    try transfer(nothing.span, into: &space, at: address)
    return byte[0]
  }

  @inline(never)
  private func transfer(
    _ bytes: Span<UInt8>, into space: inout MutableSpan<UInt8>, at address: UInt8
  ) throws(I2CError) {
    let descriptor: PortDescriptor
    do throws(ErrorNumber) {
      descriptor = try open()
    } catch {
      throw .unavailable(code: error.rawValue)
    }
    do throws(ErrorNumber) {
      try Self.transfer(on: descriptor, bytes, into: &space, at: address)
    } catch {
      throw I2CError(error)
    }
  }
}

extension I2CError {
  /// Why a transfer on an open bus failed. The kernel's drivers use these numbers for the same: its
  /// Documentation/i2c/fault-codes.rst.
  init(_ code: ErrorNumber) {
    switch code {
    // ENXIO for the address, EREMOTEIO for either; i2c-algo-bit has EIO for a byte, and i2c-stub ENODEV
    // for the address.
    case .noSuchAddress, .remoteInputOutput, .inputOutput, .noSuchDevice: self = .notAcknowledged
    // EAGAIN is a lost arbitration: another controller, or a line that is held low.
    case .timedOut, .wouldBlock, .busy: self = .stuck
    default: self = .unavailable(code: code.rawValue)
    }
  }
}
