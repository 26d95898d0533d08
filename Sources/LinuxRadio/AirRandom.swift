import BluetoothHost
import Linux

/// What the keys and the random addresses of a program on a radio are made from: the kernel's random numbers.
///
/// On an air with simulated time they come from the seeds of the air, of the radio's place on it and of the program,
/// so that they are the same in each run. They are no secret then: such a program is a test.
package final class AirRandom: SecureRandomNumberGenerator {
  private let time: AirTime
  private let ownSeed: UInt64
  /// The seed without an air; `nil` for that of the air.
  private let fixedSeed: UInt64?
  private let makeIdentity: (AirRandom) -> LocalIdentity?
  /// The numbers of the seeds, from the first one on.
  private var numbers: SplitMix64?
  private var madeIdentity: LocalIdentity?

  /// - Parameters:
  ///   - time: The time of the program.
  ///   - seed: The seed of the program; `nil` if it has none.
  ///   - makeIdentity: Makes the identity of the device from these numbers; `nil` for a device that has one.
  package init(
    of time: AirTime, seed: UInt64? = nil,
    makeIdentity: @escaping (AirRandom) -> LocalIdentity? = { _ in nil }
  ) {
    self.time = time
    ownSeed = seed ?? 0
    fixedSeed = nil
    self.makeIdentity = makeIdentity
  }

  /// The numbers of a seed, without an air.
  package init(seed: UInt64) {
    time = AirTime()
    ownSeed = 0
    fixedSeed = seed
    makeIdentity = { _ in nil }
  }

  /// Numbers for a device that has the address of `choice`. One that would get a new random address gets it from the
  /// seed.
  ///
  /// - Parameter isAddressNew: Whether the address is a new one if the choice is `automatic`.
  package convenience init(
    of time: AirTime, seed: UInt64? = nil, _ choice: AddressChoice, isAddressNew: Bool = false
  ) {
    let isNew = choice == .random || choice == .automatic && isAddressNew
    self.init(of: time, seed: seed) { random in
      guard isNew else { return nil }
      var random = random
      return LocalIdentity(
        identityResolvingKey: .zero, address: .newStaticRandom(from: &random))
    }
  }

  /// The next number.
  package func next() -> UInt64 {
    guard let seed = fixedSeed ?? time.seed else {
      var system = SystemRandom()
      return system.next()
    }
    var numbers = self.numbers ?? SplitMix64(seed: seed ^ ownSeed)
    defer { self.numbers = numbers }
    return numbers.next()
  }

  /// The identity from the seed; `nil` by real time, and for a device that has one.
  package var identity: LocalIdentity? {
    guard time.seed != nil else { return nil }
    madeIdentity = madeIdentity ?? makeIdentity(self)
    return madeIdentity
  }
}
