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
  /// Whether it came in legacy PDUs.
  public let isLegacy: Bool
  /// The advertiser's set, 0 to 15; `nil` if it did not say, as with legacy PDUs.
  public let advertisingSet: UInt8?
  /// The PHY of the advertisement: 1M or coded.
  public let primaryPHY: PHY
  /// The PHY of its data; `nil` if that came with the advertisement.
  public let secondaryPHY: PHY?
  /// The transmit power in dBm; `nil` if unknown.
  public let txPower: Int8?
  /// The interval of the set's periodic advertising, in units of 1.25 ms; `nil` if it has none.
  /// `Host.synchronize` follows it.
  public let periodicInterval: UInt16?
  /// Whether the data is all of it.
  public internal(set) var completeness: Completeness
  /// The advertising data or the scan response data.
  public let data: Span<UInt8>

  /// How much of the advertiser's data a report has.
  public enum Completeness: UInt8, Sendable {
    /// All of it.
    case complete = 0
    /// A part, and another report has more. A host with extended scanning joins the parts.
    case partial = 1
    /// The beginning: the rest was not received, or is longer than what the host keeps.
    case truncated = 2
  }

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
    isLegacy = true
    advertisingSet = nil
    primaryPHY = .le1M
    secondaryPHY = nil
    txPower = nil
    periodicInterval = nil
    completeness = .complete
    self.data = data
  }

  /// Reads an extended report, with which some controllers answer a legacy scan too; `nil` if
  /// truncated.
  @_lifetime(copy reader) init?(extended reader: inout ByteReader) {
    guard let report = LEExtendedAdvertisingReport(&reader) else { return nil }
    self.init(report, data: report.data)
  }

  @_lifetime(copy data) private init(
    _ report: borrowing LEExtendedAdvertisingReport, data: Span<UInt8>
  ) {
    let properties = report.properties
    address = report.address
    isScanResponse = properties.contains(.scanResponse)
    isScannable = properties.contains(.scannable) && !isScanResponse
    isConnectable = isScanResponse ? nil : properties.contains(.connectable)
    rssi = report.rssi == LEAdvertisingReport.unknownRSSI ? nil : report.rssi
    isLegacy = properties.contains(.legacy)
    advertisingSet = report.advertisingSet <= 0x0F ? report.advertisingSet : nil
    primaryPHY = report.primaryPHY
    secondaryPHY = report.secondaryPHY.rawValue == 0 ? nil : report.secondaryPHY
    txPower = report.txPower == LESetExtendedAdvertisingParameters.anyPower ? nil : report.txPower
    periodicInterval = report.periodicInterval == 0 ? nil : report.periodicInterval
    completeness = report.completeness
    self.data = data
  }

  /// The same report with other data, joined from several reports.
  @_lifetime(copy data) init(
    _ other: borrowing AdvertisingReport, completeness: Completeness, data: Span<UInt8>
  ) {
    address = other.address
    isConnectable = other.isConnectable
    isScannable = other.isScannable
    isScanResponse = other.isScanResponse
    rssi = other.rssi
    isLegacy = other.isLegacy
    advertisingSet = other.advertisingSet
    primaryPHY = other.primaryPHY
    secondaryPHY = other.secondaryPHY
    txPower = other.txPower
    periodicInterval = other.periodicInterval
    self.completeness = completeness
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

/// A report of one advertiser, in legacy PDUs or others. Core Specification, Vol 4, Part E,
/// 7.7.65.13. A controller writes one report per event; `AdvertisingReports` reads an event with any
/// number.
public struct LEExtendedAdvertisingReport: ~Escapable {
  /// The most data of one report: an event has at most 255 bytes, and 26 of them are not data.
  public static let longestPart = 255 - prefixLength
  /// The parameters of an event with one report that are not data, its subevent included.
  private static let prefixLength = 26

  /// The kind of the advertisement.
  public var properties: AdvertisingProperties
  /// Whether the data is all of it.
  public var completeness: AdvertisingReport.Completeness
  /// The advertiser.
  public var address: DeviceAddress
  /// The PHY of the advertisement: 1M or coded.
  public var primaryPHY: PHY
  /// The PHY of the data; 0 if there is none.
  public var secondaryPHY: PHY
  /// The advertiser's set, 0 to 15; 0xFF if it did not say.
  public var advertisingSet: UInt8
  /// The transmit power in dBm; 127 if unknown.
  public var txPower: Int8
  /// The signal strength in dBm; 127 if unknown.
  public var rssi: Int8
  /// The interval of the set's periodic advertising, in units of 1.25 ms; 0 if it has none.
  public var periodicInterval: UInt16
  /// A part of the data.
  public var data: Span<UInt8>

  /// Creates a report of one advertiser.
  @_lifetime(copy data) public init(
    properties: AdvertisingProperties, completeness: AdvertisingReport.Completeness,
    address: DeviceAddress, primaryPHY: PHY, secondaryPHY: PHY, advertisingSet: UInt8,
    txPower: Int8 = LESetExtendedAdvertisingParameters.anyPower, rssi: Int8,
    periodicInterval: UInt16 = 0, data: Span<UInt8>
  ) {
    self.properties = properties
    self.completeness = completeness
    self.address = address
    self.primaryPHY = primaryPHY
    self.secondaryPHY = secondaryPHY
    self.advertisingSet = advertisingSet
    self.txPower = txPower
    self.rssi = rssi
    self.periodicInterval = periodicInterval
    self.data = data
  }

  /// Reads one report of an event; `nil` if truncated.
  @_lifetime(copy reader) public init?(_ reader: inout ByteReader) {
    guard let eventType = reader.readUInt16(), let kind = reader.readUInt8(),
      let address = DeviceAddress(&reader, kind: DeviceAddress.Kind(rawValue: kind & 1)),
      let primary = reader.readUInt8(), let secondary = reader.readUInt8(),
      let advertisingSet = reader.readUInt8(), let txPower = reader.readInt8(),
      let rssi = reader.readInt8(), let periodicInterval = reader.readUInt16(),
      // The target of directed advertising.
      reader.readBytes(7) != nil, let length = reader.readUInt8(),
      let data = reader.readBytes(Int(length))
    else { return nil }
    self.init(
      properties: AdvertisingProperties(rawValue: eventType & 0x1F),
      completeness: AdvertisingReport.Completeness(rawValue: UInt8(eventType >> 5 & 0b11))
        ?? .truncated,
      address: address, primaryPHY: PHY(rawValue: primary), secondaryPHY: PHY(rawValue: secondary),
      advertisingSet: advertisingSet, txPower: txPower, rssi: rssi,
      periodicInterval: periodicInterval, data: data)
  }

  /// Writes the parameters of an event with this one report, after its subevent.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(UInt8(1))
    writer.write(properties.rawValue | UInt16(completeness.rawValue) << 5)
    address.write(to: &writer)
    writer.write(primaryPHY.rawValue)
    writer.write(secondaryPHY.rawValue)
    writer.write(advertisingSet)
    writer.write(txPower)
    writer.write(rssi)
    writer.write(periodicInterval)
    // No target that the scanner could not resolve.
    DeviceAddress.zero.write(to: &writer)
    writer.write(UInt8(truncatingIfNeeded: data.count))
    writer.write(data)
  }
  /// Writes the whole packet with this one report, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(HCIEventCode.leMeta.rawValue)
    writer.write(UInt8(truncatingIfNeeded: Self.prefixLength + data.count))
    writer.write(LEMetaSubevent.extendedAdvertisingReport.rawValue)
    writeParameters(to: &writer)
  }
}
