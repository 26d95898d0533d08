import BluetoothHost

/// What is known of an advertiser from its advertisements and scan responses.
struct NearbyDevice {
  /// Its address: the identity address if it has a bond and uses a private address.
  var address: DeviceAddress
  /// Its local name, if it has sent one in UTF-8.
  private(set) var name: String?
  /// Its services, in the order received.
  private(set) var services: [BluetoothUUID] = []
  /// Its last RSSI in dBm; `nil` while unknown.
  private(set) var rssi: Int?
  /// Whether it is connectable.
  private(set) var isConnectable = false
  /// Whether it was received without legacy PDUs.
  private(set) var isExtended = false
  /// Whether its advertisements are on the coded PHY.
  private(set) var isCoded = false
  /// How to follow its periodic advertising, if it has a train.
  private(set) var train: SynchronizationParameters?
  /// The interval of its train in milliseconds; `nil` without one.
  private(set) var trainInterval: UInt32?
  /// Whether a scan response may still follow.
  private(set) var awaitsScanResponse = false

  /// The data of its last advertisement, and of its last scan response; `nil` before the first.
  private(set) var advertisement: [UInt8]?
  private(set) var scanResponse: [UInt8]?
  /// How many advertisements were received.
  private var reports = 0

  private var isNameComplete = false
  private var hasResponded = false
  /// The types of data that it has sent: a bit for each.
  private var types = InlineArray<4, UInt64>(repeating: 0)

  /// How many services of one advertiser are kept.
  private static let mostServices = 64

  /// An advertiser with nothing but its address.
  init(address: DeviceAddress) {
    self.address = address
  }

  /// Whether its scan response is known, or does not come.
  var isComplete: Bool { advertisement != nil && (!awaitsScanResponse || reports > 8) }

  /// Whether it advertises the ball's service.
  var isBall: Bool { services.contains(.ballService) }

  /// Whether it has a name, a service, a train or a type of data that `other` lacks.
  func hasMore(than other: NearbyDevice) -> Bool {
    if name != other.name || isNameComplete != other.isNameComplete { return true }
    if services != other.services || train != other.train { return true }
    for index in types.indices where types[index] != other.types[index] { return true }
    return false
  }

  /// The interval of a train in milliseconds, rounded; in units of 1.25 ms.
  static func trainMilliseconds(_ units: UInt16) -> UInt32 { (UInt32(units) * 5 + 2) / 4 }

  /// Adds a report of an active scan.
  mutating func merge(_ report: borrowing AdvertisingReport) {
    // The set of a train is never connectable, but another set of the device may be.
    if let isConnectable = report.isConnectable, report.periodicInterval == nil {
      self.isConnectable = isConnectable
    }
    if let interval = report.periodicInterval {
      train = SynchronizationParameters(report)
      trainInterval = Self.trainMilliseconds(interval)
    }
    if let rssi = report.rssi { self.rssi = Int(rssi) }
    if !report.isLegacy { isExtended = true }
    isCoded = report.primaryPHY == .leCoded
    if report.isScanResponse { hasResponded = true } else { reports += 1 }
    awaitsScanResponse = report.isScannable && !hasResponded
    merge(report.data, isScanResponse: report.isScanResponse)
  }

  /// Adds the data of an advertisement or of a scan response.
  mutating func merge(_ data: Span<UInt8>, isScanResponse: Bool) {
    if isScanResponse { scanResponse = [UInt8](data) } else { advertisement = [UInt8](data) }
    // Core Specification, Vol 3, Part C, 11: a length, a type and a value, until a length of zero
    // or the end.
    var reader = ByteReader(data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      types[Int(type >> 6)] |= 1 << UInt64(type & 0x3F)
      merge(AdvertisingDataType(rawValue: type), value)
    }
  }

  private mutating func merge(_ type: AdvertisingDataType, _ value: Span<UInt8>) {
    switch type {
    case .completeLocalName, .shortenedLocalName:
      let isComplete = type == .completeLocalName
      guard isComplete || !isNameComplete,
        let text = String(validating: [UInt8](value), as: UTF8.self)
      else { return }
      name = text
      isNameComplete = isComplete
    case .incompleteServiceUUIDs16, .completeServiceUUIDs16: addServices(value, byteCount: 2)
    case .incompleteServiceUUIDs32, .completeServiceUUIDs32: addServices(value, byteCount: 4)
    case .incompleteServiceUUIDs128, .completeServiceUUIDs128: addServices(value, byteCount: 16)
    default: return
    }
  }

  private mutating func addServices(_ value: Span<UInt8>, byteCount: Int) {
    var reader = ByteReader(value)
    while let uuid = BluetoothUUID(advertised: &reader, byteCount: byteCount),
      services.count < Self.mostServices
    {
      if !services.contains(uuid) { services.append(uuid) }
    }
  }
}

/// The advertisers of a scan, the oldest first.
struct NearbyDevices {
  /// How many are remembered. A new one replaces the oldest.
  private static let capacity = 1_024
  /// How long a report waits for the advertiser's scan response, in milliseconds.
  private static let responseTimeout: UInt32 = 500

  private struct Entry {
    var device: NearbyDevice
    var isReported = false
    /// Until when the first report waits for the scan response; `nil` if it does not.
    var end: Instant?
  }

  private var entries: [Entry] = []

  /// When `takeDue` must be called; `nil` if no advertiser waits.
  var deadline: Instant? { entries.compactMap(\.end).min() }

  /// Adds a report. Returns the advertiser as now known.
  mutating func merge(_ report: borrowing AdvertisingReport) -> NearbyDevice {
    let index = index(of: report.address)
    entries[index].device.merge(report)
    return entries[index].device
  }

  /// Adds a report. Returns the advertiser if it is new, complete as far as can be expected, or has
  /// more data than before.
  mutating func news(in report: borrowing AdvertisingReport, at now: Instant) -> NearbyDevice? {
    let index = index(of: report.address)
    let before = entries[index].device
    entries[index].device.merge(report)
    let device = entries[index].device
    if entries[index].isReported { return device.hasMore(than: before) ? device : nil }
    guard !device.awaitsScanResponse else {
      entries[index].end = entries[index].end ?? now.advanced(by: Self.responseTimeout)
      return nil
    }
    return takeNew(index)
  }

  /// Takes an advertiser whose scan response did not come in time; `nil` if there is none.
  mutating func takeDue(at now: Instant) -> NearbyDevice? {
    guard let index = entries.firstIndex(where: { entry in entry.end.map { $0 <= now } ?? false })
    else { return nil }
    return takeNew(index)
  }

  private mutating func takeNew(_ index: Int) -> NearbyDevice {
    entries[index].isReported = true
    entries[index].end = nil
    return entries[index].device
  }

  /// The index of the entry of this advertiser, which it makes if necessary.
  private mutating func index(of address: DeviceAddress) -> Int {
    if let index = entries.firstIndex(where: { $0.device.address == address }) { return index }
    if entries.count == Self.capacity { entries.removeFirst() }
    entries.append(Entry(device: NearbyDevice(address: address)))
    return entries.count - 1
  }
}
