import BluetoothHost

/// A client's application that records its events, and provides the values to write.
struct Collector: ClientApplication {
  enum Event: Equatable {
    case received(Report)
    case scanFailed(HCIErrorCode)
    case connectionFailed(HCIErrorCode)
    case connected(Int, DeviceAddress, LEConnectionComplete.Role)
    case disconnected(Int, HCIErrorCode)
    case service(RemoteService)
    case include(RemoteInclude)
    case characteristic(RemoteCharacteristic)
    case descriptor(RemoteDescriptor)
    case read([UInt8], from: Int)
    case ended(ClientOperation, OperationError?)
    case notified(AttributeHandle, [UInt8])
    case rssi(Int8?)
    case subrate(Int, LESubrateChange)
    case subrateFailed(Int, HCIErrorCode)
    case synchronized(Int, PHY, interval: UInt16)
    case train(Int, [UInt8], AdvertisingReport.Completeness, rssi: Int8?, txPower: Int8?)
    case unsynchronized(Int, HCIErrorCode)
    case radio(RadioState)
  }

  /// A copy of an advertising report.
  struct Report: Equatable {
    var address: DeviceAddress
    var isConnectable: Bool?
    var isScannable: Bool
    var isScanResponse: Bool
    var rssi: Int8?
    var data: [UInt8]
  }

  /// The recorded events, oldest first.
  var events: [Event] = []
  /// The values to write, by connection index.
  var values: [Int: [UInt8]] = [:]

  mutating func received(_ report: borrowing AdvertisingReport) {
    events.append(
      .received(
        Report(
          address: report.address, isConnectable: report.isConnectable,
          isScannable: report.isScannable, isScanResponse: report.isScanResponse,
          rssi: report.rssi, data: Array(report.data))))
  }

  mutating func scanFailed(_ reason: HCIErrorCode) { events.append(.scanFailed(reason)) }

  mutating func connectionFailed(_ reason: HCIErrorCode) {
    events.append(.connectionFailed(reason))
  }

  mutating func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role) {
    events.append(.connected(index, peer, role))
  }

  mutating func disconnected(at index: Int, reason: HCIErrorCode) {
    events.append(.disconnected(index, reason))
  }

  mutating func found(_ service: RemoteService, at index: Int) { events.append(.service(service)) }
  mutating func found(_ include: RemoteInclude, at index: Int) { events.append(.include(include)) }

  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    events.append(.characteristic(characteristic))
  }

  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {
    events.append(.descriptor(descriptor))
  }

  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    events.append(.read(Array(part), from: offset))
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    let rest = Array((values[index] ?? []).dropFirst(offset))
    value.writePrefix(of: rest.span)
  }

  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    events.append(.ended(operation, error))
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    events.append(.notified(handle, Array(value)))
  }

  mutating func readRSSI(_ rssi: Int8?, at index: Int) { events.append(.rssi(rssi)) }

  mutating func subrateChanged(_ event: LESubrateChange, at index: Int) {
    events.append(.subrate(index, event))
  }

  mutating func subrateFailed(_ reason: HCIErrorCode, at index: Int) {
    events.append(.subrateFailed(index, reason))
  }

  mutating func synchronized(at index: Int, phy: PHY, interval: UInt16) {
    events.append(.synchronized(index, phy, interval: interval))
  }

  mutating func received(_ report: borrowing PeriodicAdvertisingReport, at index: Int) {
    events.append(
      .train(
        index, Array(report.data), report.completeness, rssi: report.rssi, txPower: report.txPower))
  }

  mutating func synchronizationEnded(at index: Int, reason: HCIErrorCode) {
    events.append(.unsynchronized(index, reason))
  }

  mutating func radioChanged(to state: RadioState) { events.append(.radio(state)) }
}

extension [Collector.Event] {
  /// How the operations ended.
  var endings: [OperationError?] {
    compactMap { if case .ended(_, let error) = $0 { .some(error) } else { nil } }
  }

  var services: [RemoteService] {
    compactMap { if case .service(let service) = $0 { service } else { nil } }
  }

  var characteristics: [RemoteCharacteristic] {
    compactMap { if case .characteristic(let found) = $0 { found } else { nil } }
  }

  var descriptors: [RemoteDescriptor] {
    compactMap { if case .descriptor(let descriptor) = $0 { descriptor } else { nil } }
  }

  /// The value read, joined from its parts; `nil` if there are none or they leave a gap.
  var value: [UInt8]? {
    var value: [UInt8]?
    for case .read(let part, let offset) in self {
      guard offset == value?.count ?? 0 else { return nil }
      value = (value ?? []) + part
    }
    return value
  }

  var notified: [[UInt8]] {
    compactMap { if case .notified(_, let value) = $0 { value } else { nil } }
  }
}
