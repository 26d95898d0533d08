/// A report of one advertiser.
///
/// Core Specification, Vol 4, Part E, 7.7.65.2. A controller writes one report per event;
/// `AdvertisingReports` reads an event with any number.
public struct LEAdvertisingReport: Equatable, Sendable {
  /// The type of an advertisement.
  public struct Kind: RawRepresentable, Equatable, Sendable {
    /// The value in the packet.
    public var rawValue: UInt8

    /// Any value, known or not.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// ADV_IND: every device may connect.
    public static let connectable = Kind(rawValue: 0x00)
    /// ADV_DIRECT_IND: one specific central may connect.
    public static let directed = Kind(rawValue: 0x01)
    /// ADV_SCAN_IND: scannable, not connectable.
    public static let scannable = Kind(rawValue: 0x02)
    /// ADV_NONCONN_IND: neither connectable nor scannable.
    public static let nonconnectable = Kind(rawValue: 0x03)
    /// SCAN_RSP.
    public static let scanResponse = Kind(rawValue: 0x04)
  }

  /// The value of `rssi` if the controller does not know the signal strength.
  public static let unknownRSSI: Int8 = 127

  /// The type of the advertisement.
  public var kind: Kind
  /// The advertiser.
  public var address: DeviceAddress
  /// The advertising data.
  public var data: AdvertisingData
  /// The signal strength in dBm, −127 to 20; 127 if unknown.
  public var rssi: Int8

  /// Creates a report of one advertiser.
  public init(kind: Kind, address: DeviceAddress, data: AdvertisingData, rssi: Int8) {
    self.kind = kind
    self.address = address
    self.data = data
    self.rssi = rssi
  }

  /// Writes a whole packet with this one report, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(HCIEventCode.leMeta.rawValue)
    // Subevent, count, kind, address with its kind, length, data, RSSI.
    writer.write(UInt8(truncatingIfNeeded: 1 + 1 + 1 + 7 + 1 + data.count + 1))
    writer.write(LEMetaSubevent.advertisingReport.rawValue)
    writer.write(UInt8(1))
    writer.write(kind.rawValue)
    address.write(to: &writer)
    writer.write(UInt8(truncatingIfNeeded: data.count))
    data.write(to: &writer)
    writer.write(rssi)
  }
}
