import BluetoothHost

/// The kernel's random numbers, for the keys of pairing: getrandom(2), which waits at the machine's start
/// until the kernel has gathered enough.
///
/// Swift's own generator makes that call on Linux, and ends the process where the kernel has no random
/// numbers at all: a key is never made of anything else.
public struct SystemRandom: SecureRandomNumberGenerator, Sendable {
  private var generator = SystemRandomNumberGenerator()

  /// The kernel's random numbers.
  public init() {}

  /// The next number, each equally likely.
  public mutating func next() -> UInt64 { generator.next() }
}
