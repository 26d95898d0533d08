import BluetoothHost

/// What one advertising report tells, whichever event brought it.
struct AdvertiserReport {
  var address: DeviceAddress
  /// `nil` for a scan response, which does not tell.
  var isConnectable: Bool?
  /// Whether it is a scan response, and whether it invites to ask for one.
  var isScanResponse: Bool
  var isScannable: Bool
  /// In dBm; `nil` when unknown.
  var rssi: Int8?
  /// The structures of the advertising data.
  var structures: [(type: AdvertisingDataType, value: [UInt8])]

  /// From a legacy report.
  init(_ report: LEAdvertisingReport) {
    address = report.address
    isScanResponse = report.kind == .scanResponse
    isScannable = report.kind == .connectable || report.kind == .scannable
    isConnectable =
      isScanResponse ? nil : report.kind == .connectable || report.kind == .directed
    rssi = report.rssi == LEAdvertisingReport.unknownRSSI ? nil : report.rssi
    structures = Self.structures(in: report.data.span)
  }

  /// Reads one report of an LE Extended Advertising Report event; `nil` where it is cut short.
  /// Some controllers answer a legacy scan with these.
  ///
  /// Core Specification, Vol 4, Part E, 7.7.65.13.
  init?(extended reader: inout ByteReader) {
    guard let eventType = reader.readUInt16(), let kind = reader.readUInt8(),
      let address = DeviceAddress(&reader, kind: DeviceAddress.Kind(rawValue: kind & 1)),
      // The two PHYs, the advertising set and the transmit power.
      reader.readBytes(4) != nil,
      let rssi = reader.readInt8(),
      // The interval of periodic advertising, and at whom it is directed.
      reader.readBytes(2 + 7) != nil,
      let length = reader.readUInt8(), let data = reader.readBytes(Int(length))
    else { return nil }
    self.address = address
    isScanResponse = eventType & 0b1000 != 0
    isScannable = eventType & 0b0010 != 0 && !isScanResponse
    isConnectable = isScanResponse ? nil : eventType & 0b0001 != 0
    self.rssi = rssi == LEAdvertisingReport.unknownRSSI ? nil : rssi
    structures = Self.structures(in: data)
  }

  /// Reads a whole LE Extended Advertising Report event after its subevent, as far as it makes
  /// sense.
  static func extendedReports(_ reader: consuming ByteReader) -> [AdvertiserReport] {
    guard let count = reader.readUInt8() else { return [] }
    var reports: [AdvertiserReport] = []
    while reports.count < Int(count), let report = AdvertiserReport(extended: &reader) {
      reports.append(report)
    }
    return reports
  }

  /// Core Specification, Vol 3, Part C, 11: a length, a type and a value, until a length of zero
  /// or the end.
  private static func structures(
    in data: Span<UInt8>
  ) -> [(type: AdvertisingDataType, value: [UInt8])] {
    var found: [(type: AdvertisingDataType, value: [UInt8])] = []
    var reader = ByteReader(data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      found.append((AdvertisingDataType(rawValue: type), [UInt8](value)))
    }
    return found
  }
}
