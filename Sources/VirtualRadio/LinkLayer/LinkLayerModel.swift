import BluetoothHost

/// How the packets of an air take time, get lost and lose strength. An air without a model carries
/// each packet at once.
///
///     air.linkLayer = LinkLayerModel(packetLoss: 0.05)
///
/// With a model, the data of a link leaves at its connection events, as much as fits between two of
/// them by the PHY and the data length. A lost packet is sent again at a later event, so a loss costs
/// time and never data. A link whose packets are all lost ends by supervision timeout. The seed of
/// the air decides which packets are lost.
///
/// Not modelled: the procedures of the link layer (a new parameter, PHY, data length or key takes
/// effect at once), the sharing of a controller's time among its links, the window of a scan.
public struct LinkLayerModel: Equatable, Sendable {
  /// The part of all packets that are lost, 0 to 1: of a link in either direction, and of
  /// advertisements at each receiver.
  public var packetLoss: Double
  /// Whether advertisements that overlap in time are lost for a scanner or initiator in range of both.
  ///
  /// That is unslotted ALOHA: of N advertisers with the interval T (advDelay included, 5 ms on average)
  /// and packets of the duration d, the part (1 − 2d/T)^(N−1), about e^(−2(N−1)d/T), is heard.
  public var hasCollisions: Bool
  /// The side of the square on which the controllers stand, in metres: the seed places each of them.
  /// `nil` if distance does not matter.
  public var area: Double?

  /// A model in which nothing is lost, unless more is said. Values outside their ranges become the
  /// nearest valid ones.
  public init(packetLoss: Double = 0, area: Double? = nil, hasCollisions: Bool = false) {
    self.hasCollisions = hasCollisions
    // NaN is no loss.
    self.packetLoss = packetLoss > 0 ? min(packetLoss, 1) : 0
    self.area = area.map { $0 > 0 ? min($0, 100_000) : 0 }
  }
}

/// The durations of packets on the air, in µs.
enum PacketTime {
  /// From one packet to the next: Core Specification, Vol 6, Part B, 4.1.1.
  static let interFrameSpace: UInt64 = 150

  /// A data packet with `length` bytes on a PHY (1: 1M; 2: 2M; 3: coded, at 125 kbit/s): preamble, access address, header,
  /// data, MIC and CRC. Core Specification, Vol 6, Part B, 2.1.
  static func packet(_ length: Int, phy: UInt8, isEncrypted: Bool) -> UInt64 {
    let preamble = phy == 2 ? 2 : 1
    let mic = isEncrypted && length > 0 ? 4 : 0
    if phy == 3 {
      // Core Specification, Vol 6, Part B, 2.2: 80 + 256 + 16 + 24 before the header, and 24 after
      // the CRC.
      return 376 + UInt64(2 + length + mic + 3) * 64 + 24
    }
    let bytes = UInt64(preamble + 4 + 2 + length + mic + 3)
    return bytes * (phy == 2 ? 4 : 8)
  }
}

extension VirtualController {
  /// Its place on the square of a model, in metres: the same for the same seed and number.
  func place(in area: Double) -> (x: Double, y: Double) {
    var numbers = SplitMix64(seed: placeSeed)
    return (area * numbers.nextFraction(), area * numbers.nextFraction())
  }

  /// The signal strength at `receiver` by their distance, in dBm; `nil` below what a receiver hears.
  ///
  /// `signalStrength` is that at 1 m. In free space it falls by 20 dB for each tenfold distance.
  func signalStrength(at receiver: VirtualController, in area: Double) -> Int8? {
    let (own, other) = (place(in: area), receiver.place(in: area))
    let (x, y) = (own.x - other.x, own.y - other.y)
    // 10 · log10(d²), and nothing is nearer than 1 m.
    let loss = 3.010_3 * binaryLogarithm(max(x * x + y * y, 1))
    let strength = Double(signalStrength) - loss
    return strength < Self.sensitivity ? nil : Int8(strength)
  }

  /// What controllers hear, in dBm. The specification asks for -70 (Vol 6, Part A, 4.1), and usual
  /// ones do better.
  private static let sensitivity = -95.0
}

/// The logarithm to base 2, to 0.01: this module has no mathematical library.
private func binaryLogarithm(_ value: Double) -> Double {
  let part = value.significand
  return Double(value.exponent) + part * (2 - part / 3) - 5 / 3
}

extension SplitMix64 {
  /// From 0 up to 1.
  mutating func nextFraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
