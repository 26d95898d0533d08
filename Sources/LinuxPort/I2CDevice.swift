import BluetoothHost
import EightBall
import Linux

/// An I2C bus of this machine, /dev/i2c-N: Linux's Documentation/i2c/dev-interface.rst.
///
/// Each transfer opens and closes the device. A USB adapter that is unplugged, or a module that is
/// removed, would otherwise wait until the program ends, and a bus that comes back is found again.
package struct I2CDevice: I2CBus, Sendable {
  /// The number of the bus: 1 for /dev/i2c-1.
  package let number: UInt8
  private let prefix: StaticString

  /// The bus with this number.
  ///
  /// - Parameter prefix: What its path begins with, at most 20 bytes.
  package init(_ number: UInt8, prefix: StaticString = "/dev/i2c-") {
    self.number = number
    self.prefix = prefix
  }

  /// Writes its path.
  package func writePath(to writer: inout ByteWriter) {
    writer.write(text: prefix)
    writer.write(decimal: UInt32(number))
  }

  /// Calls `body` with its path as a C string, which is valid during the call.
  package func withPath<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    var bytes = InlineArray<24, UInt8>(repeating: 0)
    var writer = ByteWriter(bytes.mutableSpan, limit: 23)
    writePath(to: &writer)
    return unsafe bytes.span.withUnsafeBytes {
      unsafe body($0.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
  }

  /// Writes `bytes` in one transfer: at most 8,192 bytes, or 33 if the bus has an SMBus controller.
  package mutating func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    var nothing = InlineArray<0, UInt8>(repeating: 0)
    var space = nothing.mutableSpan
    try transfer(bytes, into: &space, at: address)
  }

  /// Reads from a register in one transfer: at most 8,192 bytes, or 32 if the bus has an SMBus
  /// controller.
  package mutating func read<let count: Int>(
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

  /// Sends `bytes`, if there are any, to the device at `address`, and then fills `space`, if it has
  /// room, with bytes from it: one transfer.
  @inline(never)
  private func transfer(
    _ bytes: Span<UInt8>, into space: inout MutableSpan<UInt8>, at address: UInt8
  ) throws(I2CError) {
    var wasOpened: Int32 = 0
    let result = unsafe withPath { path in
      unsafe bytes.withUnsafeBufferPointer { sent in
        unsafe space.withUnsafeMutableBufferPointer { received in
          unsafe clinux_transfer_i2c(
            path, &wasOpened, address, sent.baseAddress, sent.count, received.baseAddress,
            received.count)
        }
      }
    }
    guard result < 0 else { return }
    let code = ErrorNumber(result)
    throw wasOpened == 0 ? .unavailable(code: code.rawValue) : I2CError(code)
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
