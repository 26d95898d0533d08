import BluetoothHost
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
