/// Which protocol or service a channel is for: a Simplified Protocol/Service Multiplexer.
///
/// Core Specification, Vol 3, Part A, 4.22: 0x0001 to 0x007F are fixed, and assigned by the Bluetooth
/// SIG; 0x0080 to 0x00FF are dynamic, and a GATT service says which one is for what.
public struct SPSM: Equatable, Hashable, Sendable {
  /// The number as it is sent, 0x0001 to 0x00FF.
  public let rawValue: UInt16

  /// `nil` outside of 0x0001…0x00FF.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 0x0001, rawValue <= 0x00FF else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The first of the dynamic range.
  public static var firstDynamic: SPSM { SPSM(valid: 0x0080) }

  /// Whether a device chooses itself what it is for.
  public var isDynamic: Bool { rawValue >= 0x0080 }
}

/// The longest SDU that one end of a channel takes: 23 to 65,535 bytes.
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

  /// 23: what every device takes.
  public static var minimum: ChannelMTU { ChannelMTU(valid: 23) }

  /// The length in bytes.
  public var byteCount: Int { Int(rawValue) }
}

/// The longest payload of a K-frame that one end of a channel takes: 23 to 65,533 bytes.
///
/// Core Specification, Vol 3, Part A, 3.4.1 and 4.22. The two bytes of the SDU's length, in the first
/// K-frame of an SDU, are part of it.
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

  /// 23: what every device takes.
  public static var minimum: ChannelMPS { ChannelMPS(valid: 23) }

  /// 498: with its header of four bytes, a frame fills two packets of the link layer, which carry at
  /// most 251 bytes each (Vol 6, Part B, 2.4): 2 × 251 − 4 = 498.
  public static var twoPackets: ChannelMPS { ChannelMPS(valid: 498) }

  /// The length in bytes.
  public var byteCount: Int { Int(rawValue) }
}

extension L2CAPChannel {
  /// The first channel identifier that devices give out on LE links.
  ///
  /// Core Specification, Vol 3, Part A, 2.1.
  public static var firstDynamic: L2CAPChannel { L2CAPChannel(rawValue: 0x0040) }

  /// How many channel identifiers devices can give out on one LE link: 0x0040 to 0x007F.
  public static var dynamicCount: Int { 64 }

  /// Whether it is one that a device gives out on an LE link.
  public var isDynamic: Bool { rawValue >= 0x0040 && rawValue <= 0x007F }
}
