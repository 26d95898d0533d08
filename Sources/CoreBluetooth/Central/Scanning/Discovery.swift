import BluetoothHost

/// An advertiser, as far as it is known from its advertisements and its scan responses.
struct Discovery: Equatable, Sendable {
  /// Data that belongs to a service.
  struct ServiceData: Equatable, Sendable {
    var uuid: BluetoothUUID
    /// What the data means is for the service's specification to say.
    var bytes: [UInt8]
  }

  /// The advertiser.
  var address: DeviceAddress
  /// Its local name, if it has sent one that is UTF-8.
  var name: String?
  /// Whether `name` is all of the name, rather than its beginning.
  var isNameComplete = false
  /// Its services, in the order in which they were heard.
  var serviceUUIDs: [BluetoothUUID] = []
  /// The services that it looks for, in the order in which they were heard.
  var solicitedUUIDs: [BluetoothUUID] = []
  /// The last data of each service.
  var serviceData: [ServiceData] = []
  /// The maker's last data: two bytes of company identifier, the least significant first, then
  /// whatever the maker likes.
  var manufacturerData: [UInt8]?
  /// Its transmit power in dBm, if it has sent one.
  var txPower: Int8?
  /// Its last signal strength in dBm; `nil` while unknown.
  var rssi: Int8?
  /// Whether it takes connections.
  var isConnectable = false
  /// Whether a scan response may follow, which has not been heard yet.
  var awaitsScanResponse = false

  /// No more services, and no more data of services, are kept of one advertiser.
  private static let listCapacity = 64

  /// An advertiser of which only the address is known.
  init(address: DeviceAddress) {
    self.address = address
  }

  /// Whether it has a name, a service, or a kind of data that `other` does not have. Signal strength,
  /// and data that has just changed, are nothing more.
  func tellsMore(than other: Discovery) -> Bool {
    name != other.name || isNameComplete != other.isNameComplete
      || serviceUUIDs != other.serviceUUIDs || solicitedUUIDs != other.solicitedUUIDs
      || serviceData.map(\.uuid) != other.serviceData.map(\.uuid)
      || (manufacturerData == nil) != (other.manufacturerData == nil)
      || (txPower == nil) != (other.txPower == nil) || isConnectable != other.isConnectable
      || awaitsScanResponse != other.awaitsScanResponse
  }

  /// Adds what was heard of it later, which may have been heard from the beginning again: whatever
  /// `later` lacks stays as it is.
  mutating func merge(_ later: Discovery) {
    if let name = later.name, later.isNameComplete || !isNameComplete {
      (self.name, isNameComplete) = (name, later.isNameComplete)
    }
    for uuid in later.serviceUUIDs { Self.add(uuid, to: &serviceUUIDs) }
    for uuid in later.solicitedUUIDs { Self.add(uuid, to: &solicitedUUIDs) }
    for data in later.serviceData { add(data) }
    manufacturerData = later.manufacturerData ?? manufacturerData
    txPower = later.txPower ?? txPower
    rssi = later.rssi ?? rssi
    isConnectable = later.isConnectable
    awaitsScanResponse = later.awaitsScanResponse
  }

  /// Adds one report of a scan.
  mutating func merge(_ report: borrowing AdvertisingReport) {
    if let isConnectable = report.isConnectable { self.isConnectable = isConnectable }
    if let rssi = report.rssi { self.rssi = rssi }
    // Core Specification, Vol 3, Part C, 11: a length, a type and a value, until a length of zero or
    // the end.
    var reader = ByteReader(report.data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      merge(AdvertisingDataType(rawValue: type), [UInt8](value))
    }
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
      Self.merge(value, byteCount: 2, into: &serviceUUIDs)
    case .incompleteServiceUUIDs32, .completeServiceUUIDs32:
      Self.merge(value, byteCount: 4, into: &serviceUUIDs)
    case .incompleteServiceUUIDs128, .completeServiceUUIDs128:
      Self.merge(value, byteCount: 16, into: &serviceUUIDs)
    case .solicitedServiceUUIDs16:
      Self.merge(value, byteCount: 2, into: &solicitedUUIDs)
    case .solicitedServiceUUIDs32:
      Self.merge(value, byteCount: 4, into: &solicitedUUIDs)
    case .solicitedServiceUUIDs128:
      Self.merge(value, byteCount: 16, into: &solicitedUUIDs)
    case .serviceData16:
      mergeServiceData(value, byteCount: 2)
    case .serviceData32:
      mergeServiceData(value, byteCount: 4)
    case .serviceData128:
      mergeServiceData(value, byteCount: 16)
    case .manufacturerSpecificData:
      manufacturerData = value
    case .txPowerLevel:
      guard value.count == 1, let power = value.first else { return }
      txPower = Int8(bitPattern: power)
    default:
      return
    }
  }

  private static func merge(
    _ value: [UInt8], byteCount: Int, into list: inout [BluetoothUUID]
  ) {
    var reader = ByteReader(value.span)
    while let uuid = readUUID(&reader, byteCount) { add(uuid, to: &list) }
  }

  private static func add(_ uuid: BluetoothUUID, to list: inout [BluetoothUUID]) {
    if list.count < listCapacity, !list.contains(uuid) { list.append(uuid) }
  }

  private mutating func mergeServiceData(_ value: [UInt8], byteCount: Int) {
    var reader = ByteReader(value.span)
    guard let uuid = Self.readUUID(&reader, byteCount) else { return }
    add(ServiceData(uuid: uuid, bytes: [UInt8](reader.readRemaining())))
  }

  private mutating func add(_ data: ServiceData) {
    if let index = serviceData.firstIndex(where: { $0.uuid == data.uuid }) {
      serviceData[index] = data
    } else if serviceData.count < Self.listCapacity {
      serviceData.append(data)
    }
  }

  /// Advertising data, unlike the attribute protocol, has UUIDs of 32 bits too.
  private static func readUUID(_ reader: inout ByteReader, _ byteCount: Int) -> BluetoothUUID? {
    guard byteCount == 4 else { return BluetoothUUID(&reader, byteCount: byteCount) }
    return reader.readUInt32().map { BluetoothUUID(assigned: $0) }
  }
}
