/// An advertiser's report, legacy or extended, valid during the call that receives it:
/// Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
public struct AdvertisingReport: ~Escapable {
  /// The advertiser's address: its identity address if it has a bond and uses a private address.
  public internal(set) var address: DeviceAddress
  /// Whether it is connectable; `nil` for a scan response, which does not say.
  public let isConnectable: Bool?
  /// Whether it answers scan requests.
  public let isScannable: Bool
  /// Whether this is a scan response.
  public let isScanResponse: Bool
  /// The signal strength in dBm; `nil` if unknown.
  public let rssi: Int8?
  /// The advertising data or the scan response data.
  public let data: Span<UInt8>

  /// Reads a legacy report; `nil` if it is truncated, or has more than 31 bytes of data.
  @_lifetime(copy reader) init?(legacy reader: inout ByteReader) {
    guard let byte = reader.readUInt8(), let address = DeviceAddress(&reader),
      let length = reader.readUInt8(), Int(length) <= AdvertisingData.capacity,
      let data = reader.readBytes(Int(length)), let rssi = reader.readInt8()
    else { return nil }
    let kind = LEAdvertisingReport.Kind(rawValue: byte)
    self.address = address
    isScanResponse = kind == .scanResponse
    isScannable = kind == .connectable || kind == .scannable
    isConnectable = kind == .scanResponse ? nil : kind == .connectable || kind == .directed
    self.rssi = rssi == LEAdvertisingReport.unknownRSSI ? nil : rssi
    self.data = data
  }

  /// Reads an extended report, with which some controllers answer a legacy scan; `nil` if
  /// truncated.
  @_lifetime(copy reader) init?(extended reader: inout ByteReader) {
    guard let eventType = reader.readUInt16(), let kind = reader.readUInt8(),
      let address = DeviceAddress(&reader, kind: DeviceAddress.Kind(rawValue: kind & 1)),
      // The two PHYs, the advertising set and the transmit power.
      reader.readBytes(4) != nil, let rssi = reader.readInt8(),
      // The interval of periodic advertising, and the target of directed advertising.
      reader.readBytes(2 + 7) != nil, let length = reader.readUInt8(),
      let data = reader.readBytes(Int(length))
    else { return nil }
    self.address = address
    isScanResponse = eventType & 0b1000 != 0
    isScannable = eventType & 0b0010 != 0 && eventType & 0b1000 == 0
    isConnectable = eventType & 0b1000 != 0 ? nil : eventType & 0b0001 != 0
    self.rssi = rssi == LEAdvertisingReport.unknownRSSI ? nil : rssi
    self.data = data
  }
}

/// The reports of one event, one at a time. Controllers write them one after another, nearly always
/// one per event; the specification's tables could also be read as all kinds first, and so on.
package struct AdvertisingReports: ~Escapable {
  private var reader: ByteReader
  private let isExtended: Bool
  private var remaining: Int

  /// Reads the parameters after the subevent byte; `nil` if there are none.
  @_lifetime(copy reader) package init?(_ reader: consuming ByteReader, isExtended: Bool) {
    guard let count = reader.readUInt8() else { return nil }
    self.reader = reader
    self.isExtended = isExtended
    remaining = Int(count)
  }

  /// The next report; `nil` at the end, or if the rest of the event is truncated or invalid.
  @_lifetime(copy self) package mutating func next() -> AdvertisingReport? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    if isExtended, let report = AdvertisingReport(extended: &reader) { return report }
    if !isExtended, let report = AdvertisingReport(legacy: &reader) { return report }
    remaining = 0
    return nil
  }
}

/// A report of one advertiser. Core Specification, Vol 4, Part E, 7.7.65.2. A controller writes one
/// report per event; `AdvertisingReports` reads an event with any number.
public struct LEAdvertisingReport: Equatable, Sendable {
  /// The type of an advertisement.
  public struct Kind: RawRepresentable, Equatable, Sendable {
    /// The value in the packet.
    public var rawValue: UInt8

    /// Any value, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

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
