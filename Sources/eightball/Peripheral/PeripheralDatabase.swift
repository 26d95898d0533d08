import BluetoothHost

/// The attributes of a peripheral of a file. The identifier of an application's attribute is its handle.
struct PeripheralDatabase: AttributeDatabase {
  private let table: [Attribute]

  let hash: DatabaseHash
  let serviceChanged: ValueLocation

  /// The database of `peripheral`.
  init(_ peripheral: PeripheralDescription) {
    var table: [Attribute] = []
    for service in peripheral.services { Self.add(service, of: peripheral, to: &table) }
    var slots = 0
    var span = table.mutableSpan
    span.link(from: .first) {
      slots += 1
      return slots - 1
    }
    for service in peripheral.services {
      guard let end = service.end, table.indices.contains(Int(service.handle) - 1) else { continue }
      table[Int(service.handle) - 1].groupEnd = AttributeHandle(rawValue: end)
    }
    self.table = table
    hash = DatabaseHash(of: table.span)
    let changed = table.firstIndex { $0.type == .serviceChanged && !$0.isVacant }
    serviceChanged = changed.map { table.span.location(ofValueAt: $0) } ?? ValueLocation()
  }

  var attributes: Span<Attribute> { @_lifetime(borrow self) borrowing get { table.span } }

  func location(of attribute: ApplicationAttribute) -> ValueLocation {
    let index = Int(attribute.rawValue) - 1
    guard table.indices.contains(index), table[index].value == .application(attribute) else {
      return ValueLocation()
    }
    return table.span.location(ofValueAt: index)
  }

  /// Whether the application supplies the value at `handle`, and not the host.
  func serves(_ handle: UInt16) -> Bool {
    let index = Int(handle) - 1
    return table.indices.contains(index)
      && table[index].value == .application(ApplicationAttribute(rawValue: handle))
  }

  private static func add(
    _ service: PeripheralService, of peripheral: PeripheralDescription, to table: inout [Attribute]
  ) {
    append(
      service.isPrimary ? .primaryService(service.uuid) : .secondaryService(service.uuid),
      at: service.handle, to: &table)
    for include in service.includes {
      let start = peripheral.services.first { $0.label == include.label }?.handle ?? 0
      append(
        .include(serviceAt: AttributeHandle(rawValue: start)), at: include.handle, to: &table)
    }
    for characteristic in service.characteristics {
      append(
        .characteristic(
          characteristic.uuid, characteristic.properties, protection: characteristic.security),
        at: characteristic.handle, to: &table)
      append(
        .value(value(of: characteristic, in: peripheral)), at: characteristic.valueHandle,
        to: &table)
      for descriptor in characteristic.descriptors {
        append(attribute(descriptor), at: descriptor.handle, to: &table)
      }
    }
  }

  /// Appends an attribute. The handles before it that nothing has are vacant.
  private static func append(
    _ attribute: Attribute, at handle: UInt16, to table: inout [Attribute]
  ) {
    while table.count + 1 < handle { table.append(.vacant) }
    table.append(attribute)
  }

  /// The source of a value. The host knows some of GAP's and GATT's, unless the file gives another.
  private static func value(
    of characteristic: PeripheralCharacteristic, in peripheral: PeripheralDescription
  ) -> Attribute.Value {
    let own = Attribute.Value.application(
      ApplicationAttribute(rawValue: characteristic.valueHandle))
    guard characteristic.value.isEmpty else { return own }
    switch characteristic.uuid {
    case .deviceName: return .deviceName
    case .appearance: return .number(UInt64(peripheral.appearance), byteCount: 2)
    case .serviceChanged: return .none
    case .clientSupportedFeatures: return .clientSupportedFeatures
    case .databaseHash: return .databaseHash
    default: return own
    }
  }

  private static func attribute(_ descriptor: PeripheralDescriptor) -> Attribute {
    if descriptor.isConfiguration { return .clientCharacteristicConfiguration }
    let own = Attribute.Value.application(ApplicationAttribute(rawValue: descriptor.handle))
    // The hash has the value of this one.
    let bytes = ValueField.bytes(of: descriptor.value)
    let isNumber =
      descriptor.uuid == .characteristicExtendedProperties && bytes.count == 2
    return .descriptor(
      descriptor.uuid, descriptor.properties,
      isNumber ? .number(UInt64(bytes[0]) | UInt64(bytes[1]) << 8, byteCount: 2) : own,
      protection: descriptor.security)
  }
}
