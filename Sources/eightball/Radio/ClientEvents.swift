import BluetoothHost
import EightBall
import LinuxRadio

/// An event of the host's client.
enum ClientEvent {
  /// The controller works.
  case ready
  /// The controller has failed three times without hearing a peer in between.
  case broken(RadioError)
  case heard(NearbyDevice)
  case connected
  case connectionFailed(HCIErrorCode)
  case disconnected(HCIErrorCode)
  case ended(ClientOperation, OperationError?)
  /// The operation on an enhanced bearer has ended.
  case endedOnBearer(Int, OperationError?)
  case bearerOpened(Int, ATTMTU)
  case bearerClosed(Int)
  case notified(AttributeHandle, [UInt8])
  case rssi(Int8?)
  case subrate(LESubrateChange)
  /// The link keeps its subrate, for this reason.
  case subrateFailed(HCIErrorCode)
  /// A synchronization receives its train, with this interval in milliseconds.
  case synchronized(PHY, interval: UInt32)
  case train(TrainReport)
  /// A synchronization has ended.
  case unsynchronized(HCIErrorCode)
}

/// The data of one packet of a periodic advertising train.
struct TrainReport {
  var rssi: Int?
  /// Whether the data is all of it.
  var isComplete: Bool
  var data: [UInt8]
}

/// The attributes of a ball, as far as they were found.
struct FoundBall {
  /// The handles of its service.
  var service: AttributeHandleRange?
  var question: RemoteCharacteristic?
  var answer: RemoteCharacteristic?
  /// The last handle of the answer's descriptors.
  var answerEnd: AttributeHandle?
  /// The answer's Client Characteristic Configuration.
  var configuration: AttributeHandle?

  /// The handles of the answer's descriptors; `nil` if there are none.
  var descriptors: AttributeHandleRange? {
    guard let answer, let end = answerEnd ?? service?.end, answer.value < end else { return nil }
    return AttributeHandleRange(
      start: AttributeHandle(rawValue: answer.value.rawValue + 1), end: end)
  }

  /// How to subscribe to the answer; `nil` if that is impossible.
  var subscription: ClientConfiguration? {
    guard let properties = answer?.properties else { return nil }
    if properties.contains(.notify) { return .notification }
    return properties.contains(.indicate) ? .indication : nil
  }

  mutating func note(_ characteristic: RemoteCharacteristic) {
    if let answer, answerEnd == nil, characteristic.declaration > answer.value {
      answerEnd = AttributeHandle(rawValue: characteristic.declaration.rawValue - 1)
    }
    switch characteristic.uuid {
    case .question: question = question ?? characteristic
    case .answer: answer = answer ?? characteristic
    default: break
    }
  }
}

/// The client of a tool's host: it finds legacy and extended advertisers, with all of their data.
typealias ToolClient = ScanningClient<
  1, ClientEvents, ExtendedScanner<8, 1_650>
>

/// The application of the host's client: keeps its events, in order, until the program takes them.
struct ClientEvents: ClientApplication, ~Copyable {
  /// The controller counts as broken after this many faults without hearing a peer in between.
  private static let faultLimit = 3

  /// The attributes of a ball, as far as they were found on the link.
  var ball = FoundBall()
  /// All that was found on the link.
  var found = FoundAttributes()
  /// The value that the operation under way on each bearer has read so far: that of the link is 0.
  private(set) var readValues: [Int: [UInt8]] = [:]
  /// The value that the operation under way writes.
  var value: [UInt8] = []
  /// The time of the current call.
  var now = Instant(rawValue: 0)

  private let reportsChangesOnly: Bool
  private var devices = NearbyDevices()
  private var events: [ClientEvent] = []
  private var isReady = false
  private var faults = 0

  /// - Parameter reportsChangesOnly: Whether an advertiser is reported only when it is new or has
  ///   more data than before, or with each report.
  init(reportsChangesOnly: Bool) {
    self.reportsChangesOnly = reportsChangesOnly
  }

  /// Whether `takeEvents` has any.
  var hasEvents: Bool { !events.isEmpty }

  /// Takes the events, the oldest first.
  mutating func takeEvents() -> [ClientEvent] {
    var taken: [ClientEvent] = []
    swap(&taken, &events)
    return taken
  }

  /// When `advance` must be called; `nil` if nothing is due.
  var deadline: Instant? { reportsChangesOnly ? devices.deadline : nil }

  /// Reports the advertisers whose scan response did not come in time.
  mutating func advance(to now: Instant) {
    guard reportsChangesOnly else { return }
    while let device = devices.takeDue(at: now) { events.append(.heard(device)) }
  }

  // MARK: ClientApplication

  mutating func received(_ report: borrowing AdvertisingReport) {
    faults = 0
    if !reportsChangesOnly {
      events.append(.heard(devices.merge(report)))
    } else if let device = devices.news(in: report, at: now) {
      events.append(.heard(device))
    }
  }

  mutating func synchronized(at index: Int, phy: PHY, interval: UInt16) {
    faults = 0
    events.append(.synchronized(phy, interval: NearbyDevice.trainMilliseconds(interval)))
  }

  mutating func received(_ report: borrowing PeriodicAdvertisingReport, at index: Int) {
    events.append(
      .train(
        TrainReport(
          rssi: report.rssi.map(Int.init), isComplete: report.completeness == .complete,
          data: [UInt8](report.data))))
  }

  mutating func synchronizationEnded(at index: Int, reason: HCIErrorCode) {
    events.append(.unsynchronized(reason))
  }

  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {
    faults = 0
    ball = FoundBall()
    found = FoundAttributes()
    readValues = [:]
    events.append(.connected)
  }

  mutating func connectionFailed(_ reason: HCIErrorCode) {
    events.append(.connectionFailed(reason))
  }

  mutating func disconnected(at index: Int, reason: HCIErrorCode) {
    events.append(.disconnected(reason))
  }

  mutating func found(_ service: RemoteService, at index: Int) {
    ball.service = ball.service ?? service.range
    found.services.append(service)
  }

  mutating func found(_ include: RemoteInclude, at index: Int) { found.includes.append(include) }

  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    ball.note(characteristic)
    found.characteristics.append(characteristic)
  }

  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {
    found.types.append(descriptor)
    guard descriptor.uuid == .clientCharacteristicConfiguration else { return }
    ball.configuration = ball.configuration ?? descriptor.handle
  }

  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    if offset == 0 { readValues[index] = [] }
    readValues[index, default: []] += [UInt8](part)
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    guard offset < self.value.count else { return }
    value.writePrefix(of: self.value.span.extracting(offset..<self.value.count))
  }

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    events.append(index == 0 ? .ended(operation, error) : .endedOnBearer(index, error))
  }

  mutating func bearerOpened(_ bearer: Int, at index: Int, mtu: ATTMTU) {
    events.append(.bearerOpened(bearer, mtu))
  }

  mutating func bearerClosed(_ bearer: Int, at index: Int, with end: ChannelEnd) {
    events.append(.bearerClosed(bearer))
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    events.append(.notified(handle, [UInt8](value)))
  }

  mutating func readRSSI(_ rssi: Int8?, at index: Int) { events.append(.rssi(rssi)) }

  mutating func subrateChanged(_ event: LESubrateChange, at index: Int) {
    events.append(.subrate(event))
  }

  mutating func subrateFailed(_ reason: HCIErrorCode, at index: Int) {
    events.append(.subrateFailed(reason))
  }

  mutating func radioChanged(to state: RadioState) {
    switch state {
    case .silent, .advertising:
      if !isReady { events.append(.ready) }
      isReady = true
    case .starting: isReady = false
    case .fault(let error):
      isReady = false
      guard error != .lost else {
        faults = 0
        return
      }
      faults += 1
      if faults == Self.faultLimit { events.append(.broken(RadioError(error.text))) }
    }
  }
}

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
