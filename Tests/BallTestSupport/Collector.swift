import BluetoothHost

/// An advertiser, as described by its advertisements and scan responses.
package struct Discovery: Equatable, Sendable {
  /// The advertiser.
  package let address: DeviceAddress
  /// Whether it has sent its whole name.
  package private(set) var isNameComplete = false
  /// Its 128-bit services.
  package private(set) var serviceUUIDs: [BluetoothUUID] = []
  /// Whether it accepts connections.
  package private(set) var isConnectable = false

  init(address: DeviceAddress) { self.address = address }

  mutating func merge(_ report: borrowing AdvertisingReport) {
    isConnectable = report.isConnectable ?? isConnectable
    var reader = ByteReader(report.data)
    while let length = reader.readUInt8(), length > 0, let type = reader.readUInt8(),
      let value = reader.readBytes(Int(length) - 1)
    {
      switch AdvertisingDataType(rawValue: type) {
      case .completeLocalName: isNameComplete = true
      case .incompleteServiceUUIDs128, .completeServiceUUIDs128:
        var uuids = ByteReader(value)
        while let uuid = BluetoothUUID(&uuids, byteCount: 16) {
          if !serviceUUIDs.contains(uuid) { serviceUUIDs.append(uuid) }
        }
      default: break
      }
    }
  }
}

/// The result of an operation.
package enum OperationOutput: Equatable, Sendable {
  /// The MTU now in force.
  case mtu(ATTMTU)
  /// The services found, by handle.
  case services([RemoteService])
  /// The characteristics found, by handle.
  case characteristics([RemoteCharacteristic])
  /// The attributes found, by handle.
  case descriptors([RemoteDescriptor])
  /// The value read.
  case value([UInt8])
  /// The write was accepted; or, without response, is on its way.
  case written
}

/// The application of a client for tests: keeps what the host reports.
package struct Collector: ClientApplication {
  /// A report of the host. Links have the index of their connection.
  package enum Event: Equatable {
    case discovered(Discovery)
    case scanFailed(HCIErrorCode)
    case connectionFailed(HCIErrorCode)
    case connected(Int, DeviceAddress, LEConnectionComplete.Role)
    case disconnected(Int, HCIErrorCode)
    case ended(Int, ClientOperation, Result<OperationOutput, OperationError>)
    case notified(Int, AttributeHandle, [UInt8])
    case readRSSI(Int, Int8?)
    case radio(RadioState)
    case bearerOpened(Int, link: Int, mtu: Int)
    case bearerClosed(Int, link: Int, ChannelEnd)
  }

  /// The results of an operation so far.
  private struct Findings {
    var services: [RemoteService] = []
    var characteristics: [RemoteCharacteristic] = []
    var descriptors: [RemoteDescriptor] = []
    var value: [UInt8] = []
  }

  /// The events, oldest first.
  package var events: [Event] = []
  /// The advertisers of this scan.
  package var advertisers: [Discovery] = []
  /// The value that each connection's operation writes.
  package var values: [Int: [UInt8]] = [:]
  /// The peers of the links.
  package private(set) var peers: [Int: DeviceAddress] = [:]
  /// What protects the link that was last reported.
  package private(set) var security = LinkSecurity.none
  private var findings: [Int: Findings] = [:]

  package init() {}

  /// How the operations have ended.
  package var results: [Result<OperationOutput, OperationError>] {
    events.compactMap { if case .ended(_, _, let result) = $0 { result } else { nil } }
  }

  /// The errors of operations.
  package var errors: [OperationError] {
    results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
  }

  /// The values that servers have sent.
  package var notified: [(handle: AttributeHandle, value: [UInt8])] {
    events.compactMap {
      if case .notified(_, let handle, let value) = $0 { (handle, value) } else { nil }
    }
  }

  /// Takes the events.
  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  package mutating func received(_ report: borrowing AdvertisingReport) {
    let known = advertisers.firstIndex { [address = report.address] in $0.address == address }
    var discovery = known.map { advertisers[$0] } ?? Discovery(address: report.address)
    let before = discovery
    discovery.merge(report)
    if let known { advertisers[known] = discovery } else { advertisers.append(discovery) }
    if known == nil || discovery != before { events.append(.discovered(discovery)) }
  }

  package mutating func readRSSI(_ rssi: Int8?, at index: Int) {
    events.append(.readRSSI(index, rssi))
  }

  package mutating func scanFailed(_ reason: HCIErrorCode) { events.append(.scanFailed(reason)) }

  package mutating func connectionFailed(_ reason: HCIErrorCode) {
    events.append(.connectionFailed(reason))
  }

  package mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) {
    peers[index] = peer
    events.append(.connected(index, peer, role))
  }

  package mutating func disconnected(at index: Int, reason: HCIErrorCode) {
    peers[index] = nil
    events.append(.disconnected(index, reason))
  }

  package mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    self.security = security
  }

  package mutating func found(_ service: RemoteService, at index: Int) {
    findings[index, default: Findings()].services.append(service)
  }

  package mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    findings[index, default: Findings()].characteristics.append(characteristic)
  }

  package mutating func found(_ descriptor: RemoteDescriptor, at index: Int) {
    findings[index, default: Findings()].descriptors.append(descriptor)
  }

  package mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    findings[index, default: Findings()].value += part.indices.map { part[$0] }
  }

  package func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    let rest = Array((values[index] ?? []).dropFirst(offset))
    value.writePrefix(of: rest.span)
  }

  package mutating func ended(
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
    events.append(.ended(index, operation, error.map { .failure($0) } ?? .success(output)))
  }

  package mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    events.append(.notified(index, handle, value.indices.map { value[$0] }))
  }

  package mutating func bearerOpened(_ bearer: Int, at index: Int, mtu: ATTMTU) {
    events.append(.bearerOpened(bearer, link: index, mtu: mtu.byteCount))
  }

  package mutating func bearerClosed(_ bearer: Int, at index: Int, with end: ChannelEnd) {
    events.append(.bearerClosed(bearer, link: index, end))
  }

  package mutating func radioChanged(to state: RadioState) { events.append(.radio(state)) }
}
