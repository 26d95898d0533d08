import BluetoothHost
import EightBall

/// The number that decides everything in a swarm: the same number gives the same swarm.
///
/// A ball depends on its number and not on the number of balls: ball 7 of 10 and ball 7 of 1,000
/// have the same address and give the same answers.
public struct SwarmSeed: Equatable, Sendable {
  /// The number.
  public var rawValue: UInt64

  /// The seed of this number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The seed of the answers of a ball.
  public func answers(of ball: Int) -> UInt64 { number(1, ball) }

  /// The seed of the faults of a ball.
  public func faults(of ball: Int) -> UInt64 { number(2, ball) }

  /// The static random address of a ball, unique in the swarm.
  ///
  /// Core Specification, Vol 6, Part B, 1.3.2.1: the other bits are neither all ones nor all zeros.
  public func address(of ball: Int) -> DeviceAddress {
    let own = number(3, ball)
    // Two bytes differ from ball to ball, up to 65,536; the other 30 bits are pseudorandom.
    let mark = UInt16(truncatingIfNeeded: number(4, 0)) ^ UInt16(truncatingIfNeeded: ball)
    let bytes: InlineArray<6, UInt8> = [
      UInt8(truncatingIfNeeded: mark), UInt8(truncatingIfNeeded: mark >> 8),
      UInt8(truncatingIfNeeded: own), UInt8(truncatingIfNeeded: own >> 8),
      // At least a one and a zero.
      UInt8(truncatingIfNeeded: own >> 16) & 0xFE | 0x02, UInt8(truncatingIfNeeded: own >> 24),
    ]
    return .staticRandom(bytes)
  }

  /// A number for one purpose and ball.
  private func number(_ purpose: UInt64, _ ball: Int) -> UInt64 {
    // Odd factors without a pattern separate the purposes and the balls; the source mixes them.
    let ball = UInt64(truncatingIfNeeded: ball) &* 0xD1B5_4A32_D192_ED03
    var source = RandomSource(seed: rawValue &+ purpose &* 0x8CB9_2BA7_2F3D_8DD7 &+ ball)
    return UInt64(source.next()) << 32 | UInt64(source.next())
  }
}
