import BluetoothHost

/// The kernel's random numbers, for the keys of pairing: getrandom(2), which waits at boot until the
/// kernel has gathered enough entropy.
public struct SystemRandom: SecureRandomNumberGenerator, Sendable {
  /// The kernel's random numbers.
  public init() {}

  /// The next number. Ends the process if the kernel has none: keys have no other source.
  public mutating func next() -> UInt64 {
    var bytes = InlineArray<8, UInt8>(repeating: 0)
    var space = bytes.mutableSpan
    let result = unsafe space.withUnsafeMutableBufferPointer {
      unsafe clinux_fill_random($0.baseAddress, $0.count)
    }
    if result != 0 { clinux_end(71) }
    var reader = ByteReader(bytes.span)
    return reader.readUInt64() ?? 0
  }
}
