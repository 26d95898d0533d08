import BluetoothHost

/// A database with open values, and values that require a protected link. It can grow.
package struct GuardedDatabase: AttributeDatabase {
  package enum Handle {
    package static let serviceChanged = AttributeHandle(rawValue: 0x0003)
    package static let serviceChangedConfiguration = AttributeHandle(rawValue: 0x0004)
    package static let clientFeatures = AttributeHandle(rawValue: 0x0006)
    package static let databaseHash = AttributeHandle(rawValue: 0x0008)
    package static let open = AttributeHandle(rawValue: 0x000B)
    package static let openConfiguration = AttributeHandle(rawValue: 0x000C)
    package static let guarded = AttributeHandle(rawValue: 0x000E)
    package static let guardedConfiguration = AttributeHandle(rawValue: 0x000F)
    package static let authenticated = AttributeHandle(rawValue: 0x0011)
    package static let authenticatedConfiguration = AttributeHandle(rawValue: 0x0012)
  }

  /// An earlier database, and the number in this one of each of its Client Characteristic
  /// Configurations; `nil` for a removed one.
  package var earlier: (hash: DatabaseHash, numbers: [Int?])?
  private var table = GrowingDatabase([
    .primaryService(.genericAttributeService),
    .characteristic(.serviceChanged, .indicate), .value(.none),
    .clientCharacteristicConfiguration,
    .characteristic(.clientSupportedFeatures, .read | .write), .value(.clientSupportedFeatures),
    .characteristic(.databaseHash, .read), .value(.databaseHash),
    .primaryService(BluetoothUUID(0x180F)),
    .characteristic(.level, .all), .value(.application(.open)),
    .clientCharacteristicConfiguration,
    .characteristic(.level, .all, protection: .readEncrypted | .writeEncrypted | .updateEncrypted),
    .value(.application(.guarded)), .clientCharacteristicConfiguration,
    .characteristic(
      .level, .all, protection: .readAuthenticated | .writeAuthenticated | .updateAuthenticated),
    .value(.application(.authenticated)), .clientCharacteristicConfiguration,
  ])

  package init() {}

  /// Adds a service after the last, and returns its handles.
  package mutating func grow() -> AttributeHandleRange {
    table.append([
      .primaryService(BluetoothUUID(0x180F)), .characteristic(.level, .read),
      .value(.number(1, byteCount: 1)),
    ])
  }

  package var hash: DatabaseHash { table.hash }

  package var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { table.attributes }
  }

  package var serviceChanged: ValueLocation { table.serviceChanged }

  package func convert(_ subscriptions: inout ClientConfigurations, from hash: DatabaseHash) -> Bool
  {
    guard let earlier, earlier.hash == hash else { return false }
    let old = subscriptions
    subscriptions = ClientConfigurations()
    for (number, current) in earlier.numbers.enumerated() {
      if let current { subscriptions[current] = old[number] }
    }
    return true
  }

  package func location(of attribute: ApplicationAttribute) -> ValueLocation {
    table.location(of: attribute)
  }
}

extension ApplicationAttribute {
  package static let open = ApplicationAttribute(rawValue: 0)
  package static let guarded = ApplicationAttribute(rawValue: 1)
  package static let authenticated = ApplicationAttribute(rawValue: 2)
}

extension BluetoothUUID {
  fileprivate static let level = BluetoothUUID(0x2A19)
}

extension GATTProperties {
  fileprivate static let all: GATTProperties =
    .read | .write | .writeWithoutResponse | .notify | .indicate
}

/// Values of one byte, and updates that a test requests.
package struct GuardedApplication: GATTApplication {
  /// A protected value; no other byte has this value.
  var values: [UInt8] = [0x11, 0xE2, 0xE3]
  /// The connection, the attribute and the value of each.
  var updates: [(connectionIndex: Int, attribute: ApplicationAttribute, value: UInt8)] = []
  /// The subscriptions: the connection index, then the attribute's number.
  package var listening: [[UInt16]: ClientConfiguration] = [:]
  package var peers: [Int: DeviceAddress] = [:]
  /// Whether every read is put off.
  package var isBusy = false

  package mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {
    peers[connectionIndex] = address
  }

  package mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {
    peers[connectionIndex] = nil
    updates.removeAll { $0.connectionIndex == connectionIndex }
    for number in 0..<3 as Range<UInt16> { listening[[UInt16(connectionIndex), number]] = nil }
  }

  package mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    listening[[UInt16(connectionIndex), attribute.rawValue]] =
      configuration == .none ? nil : configuration
  }

  package mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if isBusy { throw .later }
    value.write(values[Int(attribute.rawValue)])
  }

  package mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    guard value.count == 1 else { throw .error(.invalidAttributeValueLength) }
    values[Int(attribute.rawValue)] = value[0]
  }

  package func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    updates.first {
      $0.connectionIndex == connectionIndex
        && listening[[UInt16(connectionIndex), $0.attribute.rawValue]] != nil
    }?
    .attribute
  }

  package mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    let index = updates.firstIndex {
      $0.connectionIndex == connectionIndex && $0.attribute == attribute
    }
    if let index { value.write(updates.remove(at: index).value) }
  }

  package mutating func radioChanged(to state: RadioState) {}
}
