import BluetoothHost

/// The data of extended advertising: as many services as fit in the 124 bytes that apps have on Apple's
/// systems, and the name, or as much of it as fits.
struct ExtendedAdvertisement {
  static let capacity = 124

  private(set) var bytes: [UInt8] = [2, AdvertisingDataType.flags.rawValue, 0x06]

  init(_ services: [BluetoothUUID], _ name: [UInt8]) {
    append(
      services, byteCount: 2, .completeServiceUUIDs16, .incompleteServiceUUIDs16)
    append(
      services, byteCount: 16, .completeServiceUUIDs128, .incompleteServiceUUIDs128)
    let room = Self.capacity - bytes.count - 2
    guard room > 0, !name.isEmpty else { return }
    let prefix = name.span.prefixOfUTF8(room)
    let isWhole = prefix.count == name.count
    append(
      isWhole ? .completeLocalName : .shortenedLocalName, Array(name.prefix(prefix.count)))
  }

  /// Appends the list of the services with UUIDs of this length.
  private mutating func append(
    _ services: [BluetoothUUID], byteCount: Int, _ whole: AdvertisingDataType,
    _ part: AdvertisingDataType
  ) {
    let all = services.filter { $0.byteCount == byteCount }
    let fitting = all.prefix(max(0, Self.capacity - bytes.count - 2) / byteCount)
    guard !fitting.isEmpty else { return }
    var list = ByteBuffer<124>()
    list.write { writer in for service in fitting { service.write(to: &writer) } }
    let value = list.span.indices.map { list.span[$0] }
    append(fitting.count == all.count ? whole : part, value)
  }

  private mutating func append(_ type: AdvertisingDataType, _ value: [UInt8]) {
    bytes += [UInt8(value.count + 1), type.rawValue] + value
  }
}
