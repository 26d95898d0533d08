import BluetoothHost

/// Random numbers that are the same in every run, on every machine, for tests that need keys.
package struct FixedRandom: SecureRandomNumberGenerator {
  private var numbers: SplitMix64

  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { numbers.next() }
}
