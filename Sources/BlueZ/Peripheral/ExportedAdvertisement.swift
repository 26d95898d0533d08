import BluetoothHost
import Linux

/// The host's advertisement, as the properties of an object that bluetoothd asks for:
/// org.bluez.LEAdvertisement(5). bluetoothd makes the packets, and chooses which of them has the name.
enum ExportedAdvertisement {
  /// The path of the object.
  static var path: StaticString { "/advertisement" }

  /// Writes all properties: `a{sv}`.
  static func write(_ advertisement: Advertisement, to writer: inout DBusWriter) {
    let properties = writer.beginArray(alignedTo: 8)
    writer.beginProperty("Type", "s")
    writer.write("peripheral")
    // Each property collects the structures of its types in both packets.
    writeUUIDs(advertisement, "ServiceUUIDs", (0x02, 0x03), (0x04, 0x05), (0x06, 0x07), to: &writer)
    writeUUIDs(advertisement, "SolicitUUIDs", (0x14, 0x14), (0x1F, 0x1F), (0x15, 0x15), to: &writer)
    writeServiceData(advertisement, to: &writer)
    writeManufacturerData(advertisement, to: &writer)
    forEach(advertisement) { type, value in
      var reader = ByteReader(value)
      switch AdvertisingDataType(rawValue: type) {
      case .flags:
        writer.beginProperty("Discoverable", "b")
        writer.write(value.count > 0 && value[0] & 0x03 != 0)
      case .completeLocalName, .shortenedLocalName:
        writer.beginProperty("LocalName", "s")
        writer.write(value)
      case .appearance:
        guard let number = reader.readUInt16() else { return }
        writer.beginProperty("Appearance", "q")
        writer.write(number)
      default: break
      }
    }
    writer.endArray(properties)
  }

  private static func forEach(_ advertisement: Advertisement, _ body: (UInt8, Span<UInt8>) -> Void)
  {
    forEach(advertisement.data.span, body)
    forEach(advertisement.scanResponse.span, body)
  }

  private static func forEach(_ data: Span<UInt8>, _ body: (UInt8, Span<UInt8>) -> Void) {
    var reader = ByteReader(data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) &- 1)
    { body(type, value) }
  }

  /// Writes the UUIDs in structures of two types each for UUIDs of 2, 4 and 16 bytes: `as`.
  private static func writeUUIDs(
    _ advertisement: Advertisement, _ name: StaticString, _ short: (UInt8, UInt8),
    _ middle: (UInt8, UInt8), _ long: (UInt8, UInt8), to writer: inout DBusWriter
  ) {
    writer.beginProperty(name, "as")
    let list = writer.beginArray(alignedTo: 4)
    forEach(advertisement) { type, value in
      let size: Int =
        switch type {
        case short.0, short.1: 2
        case middle.0, middle.1: 4
        case long.0, long.1: 16
        default: 0
        }
      guard size > 0 else { return }
      var reader = ByteReader(value)
      while let uuid = BluetoothUUID(advertised: &reader, byteCount: size) {
        writer.writeText { uuid.writeText(to: &$0) }
      }
    }
    writer.endArray(list)
  }

  /// Writes the service data: `a{sv}`, a UUID and `ay`.
  private static func writeServiceData(_ advertisement: Advertisement, to writer: inout DBusWriter)
  {
    writer.beginProperty("ServiceData", "a{sv}")
    let list = writer.beginArray(alignedTo: 8)
    forEach(advertisement) { type, value in
      let size: Int =
        switch AdvertisingDataType(rawValue: type) {
        case .serviceData16: 2
        case .serviceData32: 4
        case .serviceData128: 16
        default: 0
        }
      var reader = ByteReader(value)
      guard size > 0, let uuid = BluetoothUUID(advertised: &reader, byteCount: size) else { return }
      writer.beginStructure()
      writer.writeText { uuid.writeText(to: &$0) }
      writer.write(signature: "ay")
      writer.write(bytes: reader.readRemaining())
    }
    writer.endArray(list)
  }

  /// Writes the manufacturer specific data: `a{qv}`, a company and `ay`.
  private static func writeManufacturerData(
    _ advertisement: Advertisement, to writer: inout DBusWriter
  ) {
    writer.beginProperty("ManufacturerData", "a{qv}")
    let list = writer.beginArray(alignedTo: 8)
    forEach(advertisement) { type, value in
      var reader = ByteReader(value)
      guard type == AdvertisingDataType.manufacturerSpecificData.rawValue,
        let company = reader.readUInt16()
      else { return }
      writer.beginStructure()
      writer.write(company)
      writer.write(signature: "ay")
      writer.write(bytes: reader.readRemaining())
    }
    writer.endArray(list)
  }
}
