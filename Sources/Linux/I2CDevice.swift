import BluetoothHost

/// An I2C bus of this machine, /dev/i2c-N: Linux's Documentation/i2c/dev-interface.rst.
///
/// Each transfer opens and closes the device. A USB adapter that is unplugged, or a module that is
/// removed, would otherwise wait until the program ends, and a bus that comes back is found again.
public struct I2CDevice: Sendable {
  /// Why a transfer failed: Linux's Documentation/i2c/fault-codes.rst.
  package enum TransferError: Error {
    /// The bus cannot be opened.
    case closed(ErrorNumber)
    /// The transfer on the open bus failed.
    case failed(ErrorNumber)
  }

  /// The number of the bus: 1 for /dev/i2c-1.
  public let number: UInt8
  private let prefix: StaticString

  /// The bus with this number.
  ///
  /// - Parameter prefix: What its path begins with, at most 20 bytes.
  public init(_ number: UInt8, prefix: StaticString = "/dev/i2c-") {
    self.number = number
    self.prefix = prefix
  }

  /// Writes its path.
  public func writePath(to writer: inout ByteWriter) {
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

  /// Sends `bytes`, if there are any, to the device at `address`, and then fills `space`, if it has
  /// room, with bytes from it: one transfer.
  @inline(never)
  package func transfer(
    _ bytes: Span<UInt8>, into space: inout MutableSpan<UInt8>, at address: UInt8
  ) throws(TransferError) {
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
    throw wasOpened == 0 ? .closed(ErrorNumber(result)) : .failed(ErrorNumber(result))
  }
}
