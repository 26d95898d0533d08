import BluetoothHost

/// An advertiser, as far as it is known from its advertisements and its scan responses.
public struct Discovery: Equatable, Sendable {
  /// The advertiser.
  public var address: DeviceAddress
  /// Its local name, if it has told one that is UTF-8.
  public var name: String?
  /// Whether `name` is all of the name, rather than its beginning.
  public var isNameComplete = false
  /// The services that it says it has, in the order in which it told them.
  public var serviceUUIDs: [BluetoothUUID] = []
  /// How strongly it was heard last, in dBm; `nil` while unknown.
  public var rssi: Int8?
  /// Whether it takes connections.
  public var isConnectable = false

  /// An advertiser of which only the address is known.
  public init(address: DeviceAddress) {
    self.address = address
  }

  /// Adds what one report tells.
  mutating func merge(_ report: AdvertiserReport) {
    if let isConnectable = report.isConnectable { self.isConnectable = isConnectable }
    if let rssi = report.rssi { self.rssi = rssi }
    for (type, value) in report.structures { merge(type, value) }
  }

  private mutating func merge(_ type: AdvertisingDataType, _ value: [UInt8]) {
    switch type {
    case .completeLocalName:
      guard let name = String(validating: value, as: UTF8.self) else { return }
      self.name = name
      isNameComplete = true
    case .shortenedLocalName:
      guard !isNameComplete, let name = String(validating: value, as: UTF8.self) else { return }
      self.name = name
    case .incompleteServiceUUIDs16, .completeServiceUUIDs16:
      mergeUUIDs(value, byteCount: 2)
    case .incompleteServiceUUIDs128, .completeServiceUUIDs128:
      mergeUUIDs(value, byteCount: 16)
    default:
      return
    }
  }

  private mutating func mergeUUIDs(_ value: [UInt8], byteCount: Int) {
    var reader = ByteReader(value.span)
    while let uuid = BluetoothUUID(&reader, byteCount: byteCount) {
      if !serviceUUIDs.contains(uuid) { serviceUUIDs.append(uuid) }
    }
  }
}
