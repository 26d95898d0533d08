import BallRunner
import BluetoothHost
import EightBall

/// What runs first: fills the memory, and becomes a ball.
@c func reset() {
  let seed = prepareMemory()
  let identity = LM3S6965.identity
  let configuration = BallConfiguration(
    host: HostConfiguration(
      name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService,
      address: .automatic(orRandom: address(from: identity))),
    seed: seed ^ identity)
  #if SECURITY
    var runner = ProtectedBallRunner<1, 526, 384, LM3S6965Port, BoardSecurity>(
      configuration,
      security: BoardSecurity(
        policy: BallProtection.encrypted.policy(hasUser: false), identity: nil, bonds: BondTable(),
        delegate: PairingDesk(.encrypted), agreement: P256KeyAgreement(), random: CounterRandom()),
      on: LM3S6965Port())
  #else
    var runner = BallRunner<1, 526, 384, LM3S6965Port>(configuration, on: LM3S6965Port())
  #endif
  _ = runner.run()
  resetSystem()
}

#if SECURITY
  /// A Security Manager for one central, with four bonds in RAM.
  private typealias BoardSecurity = SecurityManager<
    1, P256KeyAgreement, CounterRandom, BondTable<4>, PairingDesk
  >
#endif

/// A static random address that a board keeps.
///
/// Core Specification, Vol 6, Part B, 1.3.2.1.
private func address(from identity: UInt64) -> DeviceAddress {
  var bytes = InlineArray<6, UInt8>(repeating: 0)
  var index = 0
  while index < 6 {
    bytes[index] = UInt8(truncatingIfNeeded: identity &>> UInt64(widening: UInt32(index &* 8)))
    index += 1
  }
  return .staticRandom(bytes)
}
