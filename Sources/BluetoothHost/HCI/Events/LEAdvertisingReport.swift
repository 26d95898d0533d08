/// One advertiser heard while scanning.
///
/// Core Specification, Vol 4, Part E, 7.7.65.2. The event may carry several reports; read them
/// with `LEAdvertisingReports`.
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

/// The reports of one LE Advertising Report event, read one at a time: `next()` until `nil`.
///
/// Each report is read whole before the next begins. The specification's tables can be read as
/// all kinds first, then all addresses, and so on; controllers send report after report, and
/// nearly always just one.
public struct LEAdvertisingReports: ~Escapable {
  private var reader: ByteReader
  private var remaining: Int

  /// Reads the parameters after the subevent byte; `nil` if there are none.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard let count = reader.readUInt8() else { return nil }
    self.reader = reader
    remaining = Int(count)
  }

  /// The next report; `nil` at the end, or where the event is cut short or tells of more than
  /// 31 bytes of data.
  public mutating func next() -> LEAdvertisingReport? {
    guard remaining > 0, let kind = reader.readUInt8(), let address = DeviceAddress(&reader),
      let length = reader.readUInt8(), let bytes = reader.readBytes(Int(length)),
      let data = AdvertisingData(bytes), let rssi = reader.readInt8()
    else {
      remaining = 0
      return nil
    }
    remaining -= 1
    return LEAdvertisingReport(
      kind: LEAdvertisingReport.Kind(rawValue: kind), address: address, data: data, rssi: rssi)
  }
}
