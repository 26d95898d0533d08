/// The protocol or service of a channel: a Simplified Protocol/Service Multiplexer.
///
/// Core Specification, Vol 3, Part A, 4.22: the Bluetooth SIG assigns 0x0001 to 0x007F; 0x0080 to
/// 0x00FF are dynamic, and a GATT service announces their use.
public struct SPSM: Equatable, Hashable, Sendable {
  /// The value in the PDU, 0x0001 to 0x00FF.
  public let rawValue: UInt16

  /// `nil` outside of 0x0001…0x00FF.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 0x0001, rawValue <= 0x00FF else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The first SPSM of the dynamic range.
  public static var firstDynamic: SPSM { SPSM(valid: 0x0080) }

  /// Whether it is in the dynamic range, which each device assigns.
  public var isDynamic: Bool { rawValue >= 0x0080 }
}

/// The longest SDU that one end of a channel accepts: 23 to 65,535 bytes.
///
/// Core Specification, Vol 3, Part A, 4.22. Each end has its own.
public struct ChannelMTU: Equatable, Sendable {
  /// The length in bytes, 23 to 65,535.
  public let rawValue: UInt16

  /// `nil` below 23.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 23 else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// 23, which every device accepts.
  public static var minimum: ChannelMTU { ChannelMTU(valid: 23) }

  /// The length in bytes.
  public var byteCount: Int { Int(rawValue) }
}

/// The longest K-frame payload that one end of a channel accepts: 23 to 65,533 bytes.
///
/// Core Specification, Vol 3, Part A, 3.4.1 and 4.22. It includes the two bytes of the SDU length
/// in the first K-frame of an SDU.
public struct ChannelMPS: Equatable, Sendable {
  /// The length in bytes, 23 to 65,533.
  public let rawValue: UInt16

  /// `nil` outside of 23…65,533.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 23, rawValue <= 65_533 else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// 23, which every device accepts.
  public static var minimum: ChannelMPS { ChannelMPS(valid: 23) }

  /// 498: with its four-byte header, a frame then fills two link-layer packets of at most 251 bytes
  /// (Vol 6, Part B, 2.4): 2 × 251 − 4 = 498.
  public static var twoPackets: ChannelMPS { ChannelMPS(valid: 498) }

  /// The length in bytes.
  public var byteCount: Int { Int(rawValue) }
}

extension L2CAPChannel {
  /// The first dynamic channel identifier of LE links.
  ///
  /// Core Specification, Vol 3, Part A, 2.1.
  public static var firstDynamic: L2CAPChannel { L2CAPChannel(rawValue: 0x0040) }

  /// The number of dynamic channel identifiers on one LE link: 0x0040 to 0x007F.
  public static var dynamicCount: Int { 64 }

  /// Whether it is a dynamic channel identifier of an LE link.
  public var isDynamic: Bool { rawValue >= 0x0040 && rawValue <= 0x007F }
}
