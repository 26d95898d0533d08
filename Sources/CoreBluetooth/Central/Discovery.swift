import BluetoothHost
import Foundation

/// What is known of an advertiser from its advertisements and scan responses.
struct Discovery: Equatable, Sendable {
  /// Service data.
  struct ServiceData: Equatable, Sendable {
    var uuid: BluetoothUUID
    /// Their meaning is defined by the service's specification.
    var bytes: [UInt8]
  }

  /// The advertiser.
  var address: DeviceAddress
  /// Its local name, if it has sent one in UTF-8.
  var name: String?
  /// Whether `name` is the complete name.
  var isNameComplete = false
  /// Its services, in the order received.
  var serviceUUIDs: [BluetoothUUID] = []
  /// The services that it solicits, in the order received.
  var solicitedUUIDs: [BluetoothUUID] = []
  /// The last data of each service.
  var serviceData: [ServiceData] = []
  /// The last manufacturer specific data: the company identifier, two bytes, least significant
  /// first, then the manufacturer's data.
  var manufacturerData: [UInt8]?
  /// Its transmit power in dBm, if it has sent one.
  var txPower: Int8?
  /// Its last RSSI in dBm; `nil` while unknown.
  var rssi: Int8?
  /// Whether it is connectable.
  var isConnectable = false
  /// Whether a scan response may still follow.
  var awaitsScanResponse = false

  /// How many services, and how much service data, are kept for one advertiser.
  private static let listCapacity = 64

  /// An advertiser with nothing but its address.
  init(address: DeviceAddress) { self.address = address }

  /// Whether it has a name, a service or a kind of data that `other` lacks. Another RSSI or changed
  /// data does not count.
  func hasMore(than other: Discovery) -> Bool {
    name != other.name || isNameComplete != other.isNameComplete
      || serviceUUIDs != other.serviceUUIDs || solicitedUUIDs != other.solicitedUUIDs
      || serviceData.map(\.uuid) != other.serviceData.map(\.uuid)
      || (manufacturerData == nil) != (other.manufacturerData == nil)
      || (txPower == nil) != (other.txPower == nil) || isConnectable != other.isConnectable
      || awaitsScanResponse != other.awaitsScanResponse
  }

  /// Adds a later discovery, which may come from a new scan: what `later` lacks stays as it is.
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
    // Core Specification, Vol 3, Part C, 11: a length, a type and a value, until a length of zero
    // or the end.
    var reader = ByteReader(report.data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    { merge(AdvertisingDataType(rawValue: type), [UInt8](value)) }
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
    case .solicitedServiceUUIDs16: Self.merge(value, byteCount: 2, into: &solicitedUUIDs)
    case .solicitedServiceUUIDs32: Self.merge(value, byteCount: 4, into: &solicitedUUIDs)
    case .solicitedServiceUUIDs128: Self.merge(value, byteCount: 16, into: &solicitedUUIDs)
    case .serviceData16: mergeServiceData(value, byteCount: 2)
    case .serviceData32: mergeServiceData(value, byteCount: 4)
    case .serviceData128: mergeServiceData(value, byteCount: 16)
    case .manufacturerSpecificData: manufacturerData = value
    case .txPowerLevel:
      guard value.count == 1, let power = value.first else { return }
      txPower = Int8(bitPattern: power)
    default: return
    }
  }

  private static func merge(_ value: [UInt8], byteCount: Int, into list: inout [BluetoothUUID]) {
    var reader = ByteReader(value.span)
    while let uuid = BluetoothUUID(advertised: &reader, byteCount: byteCount) {
      add(uuid, to: &list)
    }
  }

  private static func add(_ uuid: BluetoothUUID, to list: inout [BluetoothUUID]) {
    if list.count < listCapacity, !list.contains(uuid) { list.append(uuid) }
  }

  private mutating func mergeServiceData(_ value: [UInt8], byteCount: Int) {
    var reader = ByteReader(value.span)
    guard let uuid = BluetoothUUID(advertised: &reader, byteCount: byteCount) else { return }
    add(ServiceData(uuid: uuid, bytes: [UInt8](reader.readRemaining())))
  }

  private mutating func add(_ data: ServiceData) {
    if let index = serviceData.firstIndex(where: { $0.uuid == data.uuid }) {
      serviceData[index] = data
    } else if serviceData.count < Self.listCapacity {
      serviceData.append(data)
    }
  }
}

extension Discovery {
  /// The advertisement data, by Apple's keys.
  var advertisementData: [String: Any] {
    var data: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
    if let name { data[CBAdvertisementDataLocalNameKey] = name }
    if let txPower { data[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: Int(txPower)) }
    if let manufacturerData {
      data[CBAdvertisementDataManufacturerDataKey] = Data(manufacturerData)
    }
    if !serviceUUIDs.isEmpty {
      data[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs.map { CBUUID($0) }
    }
    if !solicitedUUIDs.isEmpty {
      data[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicitedUUIDs.map { CBUUID($0) }
    }
    if !serviceData.isEmpty {
      data[CBAdvertisementDataServiceDataKey] = Dictionary(
        serviceData.map { (CBUUID($0.uuid), Data($0.bytes)) }, uniquingKeysWith: { $1 })
    }
    return data
  }
}
