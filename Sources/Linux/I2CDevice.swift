import BluetoothHost

/// An I2C bus of this machine, /dev/i2c-N: Linux's Documentation/i2c/dev-interface.rst.
///
/// Each transfer opens and closes the device. A USB adapter that is unplugged, or a module that is
/// removed, would otherwise wait until the program ends, and a bus that comes back is found again.
public struct I2CDevice: Sendable {
  /// The number of the bus: 1 for /dev/i2c-1.
  public let number: UInt8
  private let prefix: StaticString

  /// The bus with this number.
  ///
  /// - Parameter prefix: What its path begins with.
  public init(_ number: UInt8, prefix: StaticString = "/dev/i2c-") {
    self.number = number
    self.prefix = prefix
  }

  /// Writes its path.
  public func writePath(to writer: inout ByteWriter) {
    writer.write(text: prefix)
    writer.write(decimal: UInt32(number))
  }

  /// Its path, for a call of the C library.
  package var path: InlineCString<64> {
    var bytes = ByteBuffer<64>()
    bytes.write { writePath(to: &$0) }
    var path = InlineCString<64>()
    _ = path.assign(bytes.span)
    return path
  }

  /// Opens it.
  ///
  /// - Throws: Why it cannot be opened, such as `noSuchFile` or `accessDenied`.
  package func open() throws(ErrorNumber) -> PortDescriptor {
    let number = unsafe path.withPointer { unsafe clinux_open_i2c($0) }
    guard number >= 0 else { throw ErrorNumber(number) }
    return PortDescriptor(owning: number)
  }

  /// Sends `bytes`, if there are any, to the device at `address`, and then fills `space`, if it has
  /// room, with bytes from it: one transfer.
  ///
  /// - Parameter descriptor: The open bus.
  /// - Throws: Why it failed: Linux's Documentation/i2c/fault-codes.rst.
  @inline(never)
  package static func transfer(
    on descriptor: borrowing PortDescriptor, _ bytes: Span<UInt8>,
    into space: inout MutableSpan<UInt8>, at address: UInt8
  ) throws(ErrorNumber) {
    let number = descriptor.number
    let result = unsafe bytes.withUnsafeBufferPointer { sent in
      unsafe space.withUnsafeMutableBufferPointer { received in
        unsafe clinux_transfer_i2c(
          number, address, sent.baseAddress, sent.count, received.baseAddress, received.count)
      }
    }
    guard result == 0 else { throw ErrorNumber(result) }
  }
}
