import BluetoothHost

/// A database with open values, and values that require a protected link. It can grow.
struct GuardedDatabase: AttributeDatabase {
  enum Handle {
    static let serviceChanged = AttributeHandle(rawValue: 0x0003)
    static let serviceChangedConfiguration = AttributeHandle(rawValue: 0x0004)
    static let clientFeatures = AttributeHandle(rawValue: 0x0006)
    static let databaseHash = AttributeHandle(rawValue: 0x0008)
    static let open = AttributeHandle(rawValue: 0x000B)
    static let openConfiguration = AttributeHandle(rawValue: 0x000C)
    static let guarded = AttributeHandle(rawValue: 0x000E)
    static let guardedConfiguration = AttributeHandle(rawValue: 0x000F)
    static let authenticated = AttributeHandle(rawValue: 0x0011)
    static let authenticatedConfiguration = AttributeHandle(rawValue: 0x0012)
  }

  private var lines: [Attribute] = []
  private(set) var hash = DatabaseHash()
  /// An earlier database, and the number in this one of each of its Client Characteristic
  /// Configurations; `nil` for a removed one.
  var earlier: (hash: DatabaseHash, numbers: [Int?])?
  private var slots = 0

  init() {
    append([
      .primaryService(.genericAttributeService),
      .characteristic(.serviceChanged, .indicate), .value(.none),
      .clientCharacteristicConfiguration,
      .characteristic(.clientSupportedFeatures, .read | .write), .value(.clientSupportedFeatures),
      .characteristic(.databaseHash, .read), .value(.databaseHash),
      .primaryService(BluetoothUUID(0x180F)),
      .characteristic(.level, .all), .value(.application(.open)),
      .clientCharacteristicConfiguration,
      .characteristic(
        .level, .all, protection: .readEncrypted | .writeEncrypted | .updateEncrypted),
      .value(.application(.guarded)), .clientCharacteristicConfiguration,
      .characteristic(
        .level, .all,
        protection: .readAuthenticated | .writeAuthenticated | .updateAuthenticated),
      .value(.application(.authenticated)), .clientCharacteristicConfiguration,
    ])
  }

  /// Adds a service after the last, and returns its handles.
  mutating func grow() -> AttributeHandleRange {
    append([
      .primaryService(BluetoothUUID(0x180F)), .characteristic(.level, .read),
      .value(.number(1, byteCount: 1)),
    ])
  }

  @discardableResult
  private mutating func append(_ table: [Attribute]) -> AttributeHandleRange {
    let start = AttributeHandle(rawValue: UInt16(lines.count + 1))
    var table = table
    var span = table.mutableSpan
    span.link(from: start) {
      slots += 1
      return slots - 1
    }
    lines += table
    hash = DatabaseHash(of: lines.span)
    return AttributeHandleRange(start: start, end: AttributeHandle(rawValue: UInt16(lines.count)))
  }

  var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { lines.span }
  }

  var serviceChanged: ValueLocation { ValueLocation(handle: Handle.serviceChanged, slot: 0) }

  func convert(_ subscriptions: inout ClientConfigurations, from hash: DatabaseHash) -> Bool {
    guard let earlier, earlier.hash == hash else { return false }
    let old = subscriptions
    subscriptions = ClientConfigurations()
    for (number, current) in earlier.numbers.enumerated() {
      if let current { subscriptions[current] = old[number] }
    }
    return true
  }

  func location(of attribute: ApplicationAttribute) -> ValueLocation {
    ValueLocation(
      handle: AttributeHandle(rawValue: 0x000B + 3 * attribute.rawValue),
      slot: Int(attribute.rawValue) + 1)
  }
}

extension ApplicationAttribute {
  static let open = ApplicationAttribute(rawValue: 0)
  static let guarded = ApplicationAttribute(rawValue: 1)
  static let authenticated = ApplicationAttribute(rawValue: 2)
}

extension BluetoothUUID {
  fileprivate static let level = BluetoothUUID(0x2A19)
}

extension GATTProperties {
  fileprivate static let all: GATTProperties =
    .read | .write | .writeWithoutResponse | .notify | .indicate
}

/// Values of one byte, and updates that a test requests.
struct GuardedApplication: GATTApplication {
  struct Update: Equatable {
    var connectionIndex: Int
    var attribute: ApplicationAttribute
    var value: UInt8
  }

  /// A protected value; no other byte has this value.
  var values: [UInt8] = [0x11, 0xE2, 0xE3]
  var updates: [Update] = []
  /// The updates that were given to the host.
  var sent: [Update] = []
  /// The subscriptions: the connection index, then the attribute's number.
  var listening: [[UInt16]: ClientConfiguration] = [:]
  var peers: [Int: DeviceAddress] = [:]

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    peers[connectionIndex] = address
  }

  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    peers[connectionIndex] = nil
    updates.removeAll { $0.connectionIndex == connectionIndex }
    for number in 0..<3 as Range<UInt16> { listening[[UInt16(connectionIndex), number]] = nil }
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    listening[[UInt16(connectionIndex), attribute.rawValue]] =
      configuration == .none ? nil : configuration
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    value.write(values[Int(attribute.rawValue)])
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    guard value.count == 1 else { throw .error(.invalidAttributeValueLength) }
    values[Int(attribute.rawValue)] = value[0]
  }

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    updates.first {
      $0.connectionIndex == connectionIndex
        && listening[[UInt16(connectionIndex), $0.attribute.rawValue]] != nil
    }?
    .attribute
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    guard
      let index = updates.firstIndex(where: {
        $0.connectionIndex == connectionIndex && $0.attribute == attribute
      })
    else { return }
    let update = updates.remove(at: index)
    sent.append(update)
    value.write(update.value)
  }

  mutating func radioChanged(to state: RadioState) {}
}

/// A client with one operation at a time, which keeps the results.
struct GuardedAsker: ClientApplication {
  var peers: [Int: DeviceAddress] = [:]
  var heard: [DeviceAddress] = []
  var value: [UInt8] = []
  var outgoing: UInt8 = 0
  var results: [OperationError?] = []
  var notified: [(handle: AttributeHandle, value: [UInt8])] = []
  var failures: [HCIErrorCode] = []

  mutating func received(_ report: borrowing AdvertisingReport) {
    if !heard.contains(report.address) { heard.append(report.address) }
  }
  mutating func connectionFailed(_ reason: HCIErrorCode) { failures.append(reason) }
  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) { peers[index] = peer }
  mutating func disconnected(at index: Int, reason: HCIErrorCode) { peers[index] = nil }
  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    value += part.indices.map { part[$0] }
  }
  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    value.write(outgoing)
  }
  mutating func ended(
    _ operation: ClientOperation, with error: OperationError?, at index: Int
  ) { results.append(error) }
  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    notified.append((handle, value.indices.map { value[$0] }))
  }
}
