import BluetoothHost
import EightBall
import Linux

/// A bus of this machine, for parts of a board.
extension I2CDevice: I2CBus {
  /// Writes `bytes` in one transfer: at most 8,192 bytes, or 33 if the bus has an SMBus controller.
  public mutating func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    var nothing = InlineArray<0, UInt8>(repeating: 0)
    var space = nothing.mutableSpan
    try exchange(bytes, &space, with: address)
  }

  /// Reads from a register in one transfer: at most 8,192 bytes, or 32 if the bus has an SMBus
  /// controller.
  public mutating func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8> {
    let first: InlineArray<1, UInt8> = [register]
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    var space = bytes.mutableSpan
    try exchange(first.span, &space, with: address)
    return bytes
  }

  /// Reads a byte without writing any, which changes nothing in a part.
  package func readByte(of address: UInt8) throws(I2CError) -> UInt8 {
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var space = byte.mutableSpan
    let nothing = InlineArray<0, UInt8>(repeating: 0)
    try exchange(nothing.span, &space, with: address)
    return byte[0]
  }

  @inline(never)
  private func exchange(
    _ bytes: Span<UInt8>, _ space: inout MutableSpan<UInt8>, with address: UInt8
  ) throws(I2CError) {
    do throws(TransferError) {
      try transfer(bytes, into: &space, at: address)
    } catch {
      switch error {
      case .closed(let code): throw .unavailable(code: code.rawValue)
      case .failed(let code): throw I2CError(code)
      }
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
