/// One advertiser heard while scanning.
///
/// Core Specification, Vol 4, Part E, 7.7.65.2. A controller writes one report an event; a host reads
/// an event with any number by `AdvertisingReports`.
public struct LEAdvertisingReport: Equatable, Sendable {
  /// What kind of advertisement was heard.
  public struct Kind: RawRepresentable, Equatable, Sendable {
    /// The number as it is sent.
    public var rawValue: UInt8

    /// Any number, known or not.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// ADV_IND: anyone may connect.
    public static let connectable = Kind(rawValue: 0x00)
    /// ADV_DIRECT_IND: one named central may connect.
    public static let directed = Kind(rawValue: 0x01)
    /// ADV_SCAN_IND: gives a scan response, takes no connection.
    public static let scannable = Kind(rawValue: 0x02)
    /// ADV_NONCONN_IND: only tells.
    public static let nonconnectable = Kind(rawValue: 0x03)
    /// SCAN_RSP.
    public static let scanResponse = Kind(rawValue: 0x04)
  }

  /// The signal strength when the controller does not know it.
  public static let unknownRSSI: Int8 = 127

  /// What kind of advertisement was heard.
  public var kind: Kind
  /// The advertiser.
  public var address: DeviceAddress
  /// What it said.
  public var data: AdvertisingData
  /// How strongly it was heard, in dBm, −127 to 20; 127 when unknown.
  public var rssi: Int8

  /// A report of one advertiser.
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
