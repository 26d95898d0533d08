/// The parameters of a link's timing that a device requests.
///
/// These eight bytes are part of commands and events (Core Specification, Vol 4, Part E, 7.8.12,
/// 7.8.18, 7.8.31, 7.7.65.6) and of the L2CAP request (Vol 3, Part A, 4.20), and are the value of
/// the Peripheral Preferred Connection Parameters characteristic (Vol 3, Part C, 12.3).
public struct ConnectionParameters: Equatable, Sendable {
  /// The shortest connection interval, in units of 1.25 ms, 6 to 3,200.
  public var minimumInterval: UInt16
  /// The longest connection interval, in units of 1.25 ms, 6 to 3,200.
  public var maximumInterval: UInt16
  /// How many connection events the peripheral may skip, 0 to 499.
  public var latency: UInt16
  /// How long a link may be silent until it ends, in units of 10 ms, 10 to 3,200.
  public var supervisionTimeout: UInt16

  /// Creates parameters without a check of their values.
  public init(
    minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16
  ) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  /// The number of their bytes: 8.
  static var length: Int { 8 }

  /// Reads eight bytes.
  public init?(_ reader: inout ByteReader) {
    guard let minimum = reader.readUInt16(), let maximum = reader.readUInt16(),
      let latency = reader.readUInt16(), let timeout = reader.readUInt16()
    else { return nil }
    self.init(
      minimumInterval: minimum, maximumInterval: maximum, latency: latency,
      supervisionTimeout: timeout)
  }

  /// Writes eight bytes.
  public func write(to writer: inout ByteWriter) {
    writer.write(minimumInterval)
    writer.write(maximumInterval)
    writer.write(latency)
    writer.write(supervisionTimeout)
  }

  /// The same eight bytes as a number, for an attribute's value.
  public var number: UInt64 {
    UInt64(widening: UInt32(minimumInterval) | UInt32(maximumInterval) << 16) | UInt64(
      widening: UInt32(latency) | UInt32(supervisionTimeout) << 16) &<< 32
  }

  /// Whether they are in their ranges, and the timeout is longer than twice the longest silence:
  /// Core Specification, Vol 4, Part E, 7.8.18.
  public var areValid: Bool {
    guard minimumInterval >= 6, minimumInterval <= maximumInterval, maximumInterval <= 3_200,
      latency <= 499, supervisionTimeout >= 10, supervisionTimeout <= 3_200
    else { return false }
    // 10 ms × timeout > 2 × 1.25 ms × interval × (1 + latency)
    return 4 * UInt32(supervisionTimeout) > longestSilence
  }

  /// Whether a host should accept them from its peer: they are valid, and latency does not make the
  /// link silent for longer than the longest connection interval, 4 s.
  ///
  /// The specification allows a silence of 16 s, during which nothing reaches the peripheral.
  public var areAcceptable: Bool { areValid && longestSilence <= 3_200 }

  /// The longest silence of the peripheral, in units of 1.25 ms.
  private var longestSilence: UInt32 { UInt32(maximumInterval) * (1 + UInt32(latency)) }
}
