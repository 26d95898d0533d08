import BluetoothHost

/// An advertiser, as far as it is known from its advertisements and its scan responses.
public struct Discovery: Equatable, Sendable {
  /// Data that belongs to a service.
  public struct ServiceData: Equatable, Sendable {
    /// The service.
    public var uuid: BluetoothUUID
    /// Its data, of which the service's specification says what it means.
    public var bytes: [UInt8]

    /// The data of a service.
    public init(uuid: BluetoothUUID, bytes: [UInt8]) {
      self.uuid = uuid
      self.bytes = bytes
    }
  }

  /// The advertiser.
  public var address: DeviceAddress
  /// Its local name, if it has told one that is UTF-8.
  public var name: String?
  /// Whether `name` is all of the name, rather than its beginning.
  public var isNameComplete = false
  /// The services that it says it has, in the order in which it told them.
  public var serviceUUIDs: [BluetoothUUID] = []
  /// The services that it looks for, in the order in which it told them.
  public var solicitedUUIDs: [BluetoothUUID] = []
  /// The data of services that it told last, one for each service.
  public var serviceData: [ServiceData] = []
  /// What its maker told last: two bytes of company identifier, the least significant first, then
  /// whatever the maker likes.
  public var manufacturerData: [UInt8]?
  /// How strongly it sends, in dBm, if it tells.
  public var txPower: Int8?
  /// How strongly it was heard last, in dBm; `nil` while unknown.
  public var rssi: Int8?
  /// Whether it takes connections.
  public var isConnectable = false
  /// Whether it may have more to tell in a scan response, which has not been heard yet.
  public var awaitsScanResponse = false

  /// However long an advertiser goes on to tell new ones, no more are kept.
  private static let listCapacity = 64

  /// An advertiser of which only the address is known.
  public init(address: DeviceAddress) {
    self.address = address
  }

  /// Whether it tells a name, a service, or a kind of data that `other` does not. Signal strength,
  /// and data that has just changed, are nothing more.
  public func tellsMore(than other: Discovery) -> Bool {
    name != other.name || isNameComplete != other.isNameComplete
      || serviceUUIDs != other.serviceUUIDs || solicitedUUIDs != other.solicitedUUIDs
      || serviceData.map(\.uuid) != other.serviceData.map(\.uuid)
      || (manufacturerData == nil) != (other.manufacturerData == nil)
      || (txPower == nil) != (other.txPower == nil) || isConnectable != other.isConnectable
      || awaitsScanResponse != other.awaitsScanResponse
  }

  /// Adds what was heard of it later, which may have been heard from the beginning again: whatever
  /// that does not tell stays as it is.
  package mutating func merge(_ later: Discovery) {
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

  /// Adds what one report of a scan tells.
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
