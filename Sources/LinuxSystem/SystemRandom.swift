import BluetoothHost

/// The kernel's random numbers, for the keys of pairing: getrandom(2), which blocks at boot until
/// the kernel has gathered enough entropy.
///
/// On Linux, Swift's generator makes that call, and ends the process if it fails: a key is never
/// made of anything else.
public struct SystemRandom: SecureRandomNumberGenerator, Sendable {
  private var generator = SystemRandomNumberGenerator()

  /// The kernel's random numbers.
  public init() {}

  /// The next 64-bit number; all numbers are equally likely.
  public mutating func next() -> UInt64 { generator.next() }
}
