import BluetoothHost
import Linux

/// What the properties of a `Device1` say, as an advertiser: the structures of advertising data, built from them.
package struct DeviceDescription: ~Copyable {
  /// The address, the least significant byte first; `nil` if the object has none.
  package private(set) var bytes: InlineArray<6, UInt8>?
  /// The signal strength in dBm; `nil` if the device is not in range, as far as bluetoothd knows.
  package private(set) var rssi: Int8?
  /// Whether it is connected.
  package private(set) var isConnected = false
  /// Whether it is connected, and bluetoothd knows its attributes.
  package private(set) var isResolved = false
  /// Whether bluetoothd has a bond with it.
  package private(set) var isPaired = false
  /// Its structures, as many as fit.
  package private(set) var data = ByteBuffer<229>()
  private var kind = DeviceAddress.Kind.public

  /// A device without properties.
  package init() {}

  /// Its address; `nil` if the object has none.
  package var address: DeviceAddress? { bytes.map { DeviceAddress(kind: kind, bytes: $0) } }

  /// Takes a property.
  package mutating func take(_ name: Span<UInt8>, _ value: DBusVariant) {
    if name.equals("Address"), let text = value.text { bytes = DeviceAddress.bytes(of: text) }
    if name.equals("AddressType"), let text = value.text, text.equals("random") { kind = .random }
    if name.equals("Connected"), let boolean = value.boolean { isConnected = boolean }
    if name.equals("ServicesResolved"), let boolean = value.boolean { isResolved = boolean }
    if name.equals("Paired"), let boolean = value.boolean { isPaired = boolean }
    if name.equals("RSSI"), let number = value.int16 { rssi = Int8(clamping: number) }
    if name.equals("Name"), let text = value.text { append(.completeLocalName) { $0.write(text) } }
    if name.equals("Appearance"), let number = value.uint16 {
      append(.appearance) { $0.write(number) }
    }
    if name.equals("TxPower"), let number = value.int16 {
      append(.txPowerLevel) { $0.write(Int8(clamping: number)) }
    }
    if name.equals("UUIDs"), let uuids = value.array("as", alignedTo: 4) {
      appendServices(uuids, .completeServiceUUIDs16, byteCount: 2)
      appendServices(uuids, .completeServiceUUIDs128, byteCount: 16)
    }
    if name.equals("ManufacturerData"), let entries = value.array("a{qv}", alignedTo: 8) {
      appendManufacturerData(entries)
    }
    if name.equals("ServiceData"), let entries = value.array("a{sv}", alignedTo: 8) {
      appendServiceData(entries)
    }
  }

  private mutating func appendServices(
    _ uuids: DBusReader, _ type: AdvertisingDataType, byteCount: Int
  ) {
    append(type) { writer in
      var reader = uuids
      while !reader.isEmpty, let text = reader.readText() {
        guard let uuid = BluetoothUUID(text: text), uuid.byteCount == byteCount else { continue }
        // As many as fit.
        guard writer.freeCapacity >= byteCount else { break }
        uuid.write(to: &writer)
      }
    }
  }

  private mutating func appendManufacturerData(_ entries: DBusReader) {
    var reader = entries
    while !reader.isEmpty {
      guard reader.enterStructure(), let company = reader.readUInt16(),
        let bytes = reader.readVariant()?.bytes
      else { return }
      append(.manufacturerSpecificData) {
        $0.write(company)
        $0.write(bytes)
      }
    }
  }

  private mutating func appendServiceData(_ entries: DBusReader) {
    var reader = entries
    while !reader.isEmpty {
      guard reader.enterStructure(), let text = reader.readText(),
        let uuid = BluetoothUUID(text: text),
        let bytes = reader.readVariant()?.bytes
      else { return }
      append(uuid.byteCount == 2 ? .serviceData16 : .serviceData128) {
        uuid.write(to: &$0)
        $0.write(bytes)
      }
    }
  }

  /// Appends a structure with the value that `body` writes; nothing if that is empty or does not fit.
  private mutating func append(_ type: AdvertisingDataType, _ body: (inout ByteWriter) -> Void) {
    let start = data.count
    var writer = data.makeAppendingWriter()
    writer.write(UInt8(0))
    writer.write(type.rawValue)
    body(&writer)
    let count = writer.count
    guard !writer.hasOverflowed, count > 2 else { return }
    writer.patch(UInt8(truncatingIfNeeded: count &- 1), at: 0)
    data.keepWritten(start &+ count)
  }
}
