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
  case notified(AttributeHandle, [UInt8])
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

/// The application of the host's client: keeps its events, in order, until the program takes them.
struct ClientEvents: ClientApplication, ~Copyable {
  /// The controller counts as broken after this many faults without hearing a peer in between.
  private static let faultLimit = 3

  /// The attributes found on the link.
  var ball = FoundBall()
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

  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {
    faults = 0
    ball = FoundBall()
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
  }

  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    ball.note(characteristic)
  }

  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {
    guard descriptor.uuid == .clientCharacteristicConfiguration else { return }
    ball.configuration = ball.configuration ?? descriptor.handle
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    guard offset < self.value.count else { return }
    value.writePrefix(of: self.value.span.extracting(offset..<self.value.count))
  }

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    events.append(.ended(operation, error))
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    events.append(.notified(handle, [UInt8](value)))
  }

  mutating func radioChanged(to state: RadioState) {
    switch state {
    case .silent, .advertising:
      if !isReady { events.append(.ready) }
      isReady = true
    case .starting: isReady = false
    case .fault(let fault):
      isReady = false
      guard fault != .lost else {
        faults = 0
        return
      }
      faults += 1
      if faults == Self.faultLimit { events.append(.broken(RadioError(fault.text))) }
    }
  }
}
