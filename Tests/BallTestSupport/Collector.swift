import BluetoothHost

/// An advertiser, as described by its advertisements and scan responses.
package struct Discovery: Equatable, Sendable {
  /// The advertiser.
  package let address: DeviceAddress
  /// Its name, if it has sent one that is UTF-8.
  package private(set) var name: String?
  /// Whether `name` is the whole name.
  package private(set) var isNameComplete = false
  /// Its services.
  package private(set) var serviceUUIDs: [BluetoothUUID] = []
  /// Whether it accepts connections.
  package private(set) var isConnectable = false
  /// The last signal strength, in dBm.
  package private(set) var rssi: Int8?

  init(address: DeviceAddress) {
    self.address = address
  }

  /// Whether it has more than `other`. The signal strength does not count.
  func saysMore(than other: Discovery) -> Bool {
    var same = self
    same.rssi = other.rssi
    return same != other
  }

  mutating func merge(_ report: borrowing AdvertisingReport) {
    isConnectable = report.isConnectable ?? isConnectable
    rssi = report.rssi ?? rssi
    var reader = ByteReader(report.data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      merge(AdvertisingDataType(rawValue: type), value.indices.map { value[$0] })
    }
  }

  private mutating func merge(_ type: AdvertisingDataType, _ value: [UInt8]) {
    switch type {
    case .completeLocalName, .shortenedLocalName:
      guard type == .completeLocalName || !isNameComplete,
        let name = String(validating: value, as: UTF8.self)
      else { return }
      self.name = name
      isNameComplete = type == .completeLocalName
    case .incompleteServiceUUIDs16, .completeServiceUUIDs16:
      addServices(in: value, byteCount: 2)
    case .incompleteServiceUUIDs128, .completeServiceUUIDs128:
      addServices(in: value, byteCount: 16)
    default:
      return
    }
  }

  private mutating func addServices(in value: [UInt8], byteCount: Int) {
    var reader = ByteReader(value.span)
    while let uuid = BluetoothUUID(&reader, byteCount: byteCount) {
      if !serviceUUIDs.contains(uuid) { serviceUUIDs.append(uuid) }
    }
  }
}

/// The application of a `TestCentral`: keeps the host's reports until the central takes them.
struct Collector: ClientApplication {
  /// A report of the host. Links have the index of their connection.
  enum Event {
    case discovered(Discovery)
    case scanFailed(HCIErrorCode)
    case connectionFailed(HCIErrorCode)
    case connected(Int, DeviceAddress)
    case disconnected(Int, HCIErrorCode)
    case ended(Int, OperationOutput, OperationError?)
    case notified(Int, AttributeHandle, [UInt8])
    case radio(RadioState)
  }

  /// The results of an operation so far.
  private struct Findings {
    var services: [RemoteService] = []
    var characteristics: [RemoteCharacteristic] = []
    var descriptors: [RemoteDescriptor] = []
    var value: [UInt8] = []
  }

  /// The events, oldest first.
  var events: [Event] = []
  /// The advertisers of this scan.
  var advertisers: [Discovery] = []
  /// The value that each connection's operation writes.
  var values: [Int: [UInt8]] = [:]
  private var findings: [Int: Findings] = [:]

  mutating func received(_ report: borrowing AdvertisingReport) {
    let known = advertisers.firstIndex { [address = report.address] in $0.address == address }
    let before = known.map { advertisers[$0] }
    var discovery = before ?? Discovery(address: report.address)
    discovery.merge(report)
    if let known { advertisers[known] = discovery } else { advertisers.append(discovery) }
    if before.map({ discovery.saysMore(than: $0) }) ?? true {
      events.append(.discovered(discovery))
    }
  }

  mutating func scanFailed(_ reason: HCIErrorCode) { events.append(.scanFailed(reason)) }

  mutating func connectionFailed(_ reason: HCIErrorCode) {
    events.append(.connectionFailed(reason))
  }

  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {
    events.append(.connected(index, peer))
  }

  mutating func disconnected(at index: Int, reason: HCIErrorCode) {
    events.append(.disconnected(index, reason))
  }

  mutating func found(_ service: RemoteService, at index: Int) {
    findings[index, default: Findings()].services.append(service)
  }

  mutating func found(_ include: RemoteInclude, at index: Int) {}

  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    findings[index, default: Findings()].characteristics.append(characteristic)
  }

  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {
    findings[index, default: Findings()].descriptors.append(descriptor)
  }

  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    findings[index, default: Findings()].value += part.indices.map { part[$0] }
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    let rest = Array((values[index] ?? []).dropFirst(offset))
    value.writePrefix(of: rest.span)
  }

  mutating func ended(
    _ operation: ClientOperation, with error: OperationError?, at index: Int
  ) {
    let found = findings.removeValue(forKey: index) ?? Findings()
    let output: OperationOutput =
      switch operation {
      case .exchangeMTU: .mtu(.minimum)
      case .discoverServices, .discoverServicesByUUID: .services(found.services)
      case .discoverCharacteristics: .characteristics(found.characteristics)
      case .discoverDescriptors: .descriptors(found.descriptors)
      case .write, .writeWithoutResponse, .subscribe: .written
      default: .value(found.value)
      }
    events.append(.ended(index, output, error))
  }

  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    events.append(.notified(index, handle, value.indices.map { value[$0] }))
  }

  mutating func readRSSI(_ rssi: Int8?, at index: Int) {}
  mutating func radioChanged(to state: RadioState) { events.append(.radio(state)) }
}
