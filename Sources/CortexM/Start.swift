import BallRunner
import BluetoothHost
import EightBall

#if SECURITY
  /// A ball for one central, whose four bonds are in RAM.
  private typealias BoardBall = ProtectedBallRunner<1, 526, 384, 0, LM3S6965Port, BoardSecurity>
  private typealias BoardSecurity = SecurityManager<
    1, P256KeyAgreement, CounterRandom, BondTable<4>, PairingGate
  >

  @inline(never)
  private func makeSecurity() -> BoardSecurity {
    BoardSecurity(
      policy: BallProtection.encrypted.policy(hasUser: false), identity: nil, bonds: BondTable(),
      delegate: PairingGate(.encrypted), agreement: P256KeyAgreement(), random: CounterRandom())
  }
#else
  /// A ball for one central.
  private typealias BoardBall = BallRunner<1, 526, 384, 0, LM3S6965Port>
#endif

/// The entry point: initialises the memory and runs the ball.
@c func reset() {
  let seed = prepareMemory()
  var ball = makeBall(seed: seed)
  #if SETS
    advertiseSet(of: &ball)
  #endif
  _ = ball.run()
  resetSystem()
}

#if SETS
  /// Advertises an advertising set beside the legacy advertisement, with the name in the same packet.
  @inline(never)
  private func advertiseSet(of ball: inout BoardBall) {
    let advertisement = Advertisement(service: .ballService, name: LM3S6965Port.ballName)
    var data = ByteBuffer<62>()
    data.write { writer in
      writer.write(advertisement.data.span)
      writer.write(advertisement.scanResponse.span)
    }
    _ = ball.advertise(advertisement, AdvertisingSet(.connectable), data.span)
  }
#endif

/// Makes a ball, not yet started. A function of its own, so that its temporaries are off the stack
/// when the ball runs.
@inline(never)
private func makeBall(seed: UInt64) -> BoardBall {
  let identity = LM3S6965.identity
  let configuration = BallConfiguration(
    host: HostConfiguration(
      name: LM3S6965Port.ballName, service: .ballService,
      address: .automatic(orRandom: address(from: identity))),
    seed: seed ^ identity)
  #if SECURITY
    return BoardBall(configuration, .encrypted, makingSecurity: makeSecurity, on: LM3S6965Port())
  #else
    return BoardBall(configuration, on: LM3S6965Port())
  #endif
}

/// The board's permanent static random address.
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
