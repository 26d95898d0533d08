import BallControl
import BluetoothHost

// A device as the description of a peripheral that others cannot tell from it.
extension DeviceCopy {
  /// The description: the same handles, the same values, the same advertising.
  ///
  /// What a central cannot see has the usual value: the interval of the advertising, and what
  /// follows a write.
  var description: PeripheralDescription {
    var description = PeripheralDescription()
    describeAdvertising(&description)
    var labels = Labels()
    for service in found.services {
      description.services.append(describe(service, of: description, labels: &labels))
    }
    // Labels of services that come later are known only now.
    for (index, service) in found.services.enumerated() {
      description.services[index].includes = includes(in: service.range).compactMap { include in
        found.services.firstIndex { $0.range.start == include.range.start }.map {
          PeripheralInclude(
            label: description.services[$0].label, handle: include.declaration.rawValue)
        }
      }
    }
    leaveOutHash(of: &description)
    return description
  }

  /// Leaves out the value of the Database Hash if the peripheral of the file computes the same.
  ///
  /// Otherwise the file has the device's, since clients know a database by it: BlueZ 5.66 has the
  /// bytes in the opposite order.
  private func leaveOutHash(of description: inout PeripheralDescription) {
    let hash = PeripheralDatabase(description).hash.bytes
    for service in description.services.indices {
      for index in description.services[service].characteristics.indices
      where description.services[service].characteristics[index].uuid == .databaseHash {
        let value = description.services[service].characteristics[index].value.flatMap(\.bytes)
        guard value.span.hasSameBytes(as: hash.span) else { continue }
        description.services[service].characteristics[index].value = []
      }
    }
  }

  /// What the description cannot have, each as a sentence: attributes outside of services, and a
  /// Database Hash that differs.
  func faults(of description: PeripheralDescription) -> [String] {
    var faults: [String] = []
    let database = PeripheralDatabase(description)
    for attribute in found.types {
      let index = Int(attribute.handle.rawValue) - 1
      let attributes = database.attributes
      if index < attributes.count, attributes[index].type == attribute.uuid { continue }
      faults.append("The attribute \(found.name(at: attribute.handle)) is not in the file.")
    }
    if let place = found.handles(of: .uuid(.databaseHash)).first,
      let hash = values[place.rawValue], !hash.span.hasSameBytes(as: database.hash.bytes.span)
    {
      faults.append(
        "The device's Database Hash is not that of the file's attributes: part of the device is not known, "
          + "or it computes its hash in another way. The file has the device's.")
    }
    return faults
  }

  /// What a central cannot see, as comments for the file: protections of writes and subscriptions, and
  /// a private address.
  func comments(on description: PeripheralDescription) -> String {
    var comments = ""
    if let address = device?.address, address.isResolvable {
      comments +=
        "# The device has a resolvable private address, which changes; this file has no address.\n"
    }
    let uses: [(name: String, properties: GATTProperties)] = [
      ("writes", .write | .writeWithoutResponse), ("subscriptions", .notify | .indicate),
    ]
    for use in uses {
      let labels = description.services.flatMap { service in
        service.characteristics.filter { characteristic in
          // Those of the Generic Attribute service have the protection of the specification.
          service.uuid != .genericAttributeService
            && characteristic.properties.rawValue & use.properties.rawValue != 0
        }.map { "\(service.label).\($0.label)" }
      }
      guard !labels.isEmpty else { continue }
      comments +=
        "# Not seen, and not in this file: what protects \(use.name): \(labels.joined(separator: ", ")).\n"
    }
    return comments
  }

  // MARK: Advertising

  /// Sets the name, the appearance, the address and the advertising. What the fields cannot say is
  /// kept as it was sent.
  private func describeAdvertising(_ description: inout PeripheralDescription) {
    if let code = value(of: .appearance), code.count == 2 {
      description.appearance = UInt16(code[0]) | UInt16(code[1]) << 8
    }
    let names = [value(of: .deviceName).map { String(decoding: $0, as: UTF8.self) }, device?.name]
    if let name = names.compactMap({ $0 })
      .first(where: { (1...DeviceName.capacity).contains($0.utf8.count) })
    {
      description.name = name
    }
    guard let device else { return }
    if device.address.kind == .random {
      // Private addresses, which change, cannot be chosen.
      if device.address.bytes[5] >= 0xC0 { description.address = .fixed(device.address) }
    } else {
      description.address = .public
    }
    let advertisement = device.advertisement ?? []
    let response = device.scanResponse ?? []
    description.advertised = device.services
    description.manufacturer = Self.manufacturer(in: advertisement)
    if description.manufacturer.isEmpty {
      description.manufacturer = Self.manufacturer(in: response)
    }
    if let advertising = description.advertising,
      advertising.data.span.hasSameBytes(as: advertisement.span),
      advertising.scanResponse.span.hasSameBytes(as: response.span)
    {
      return
    }
    description.advertised = []
    description.manufacturer = []
    description.advertisement = advertisement
    description.scanResponse = response.isEmpty ? nil : response
  }

  /// The manufacturer's data in advertising data; empty if there is none.
  private static func manufacturer(in data: [UInt8]) -> [UInt8] {
    guard let data = AdvertisingData(data.span),
      let value = data.value(of: .manufacturerSpecificData)
    else { return [] }
    return [UInt8](value)
  }

  // MARK: Attributes

  /// The value of the first characteristic of this type that was read.
  private func value(of uuid: BluetoothUUID) -> [UInt8]? {
    found.characteristics.first { $0.uuid == uuid }.flatMap { values[$0.value.rawValue] }
  }

  private func includes(in range: AttributeHandleRange) -> [RemoteInclude] {
    found.includes.filter { $0.declaration > range.start && $0.declaration <= range.end }
  }

  private func describe(
    _ service: RemoteService, of peripheral: PeripheralDescription, labels: inout Labels
  ) -> PeripheralService {
    var described = PeripheralService(
      label: labels.next(for: service.uuid, otherwise: "service"), uuid: service.uuid,
      isPrimary: found.type(at: service.range.start) != .secondaryService,
      handle: service.range.start.rawValue)
    var labels = Labels()
    described.characteristics = found.characteristics
      .filter { $0.declaration > service.range.start && $0.value <= service.range.end }
      .map { describe($0, of: peripheral, labels: &labels) }
    return described
  }

  private func describe(
    _ characteristic: RemoteCharacteristic, of peripheral: PeripheralDescription,
    labels: inout Labels
  ) -> PeripheralCharacteristic {
    var described = PeripheralCharacteristic(
      label: labels.next(for: characteristic.uuid, otherwise: "value"),
      uuid: characteristic.uuid, properties: characteristic.properties,
      handle: characteristic.declaration.rawValue)
    described.security = protection(at: characteristic.value)
    described.value = fields(at: characteristic.value)
    // A peripheral has these without a value in its file.
    switch characteristic.uuid {
    case .clientSupportedFeatures: described.value = []
    case .deviceName where described.value.flatMap(\.bytes) == Array(peripheral.name.utf8),
      .appearance
    where described.value.flatMap(\.bytes) == [
      UInt8(peripheral.appearance & 0xFF), UInt8(peripheral.appearance >> 8),
    ]:
      described.value = []
    default: break
    }
    var labels = Labels()
    described.descriptors = found.descriptors(of: characteristic).map { descriptor in
      guard descriptor.uuid != .clientCharacteristicConfiguration else {
        var configuration = PeripheralDescriptor.configuration(at: descriptor.handle.rawValue)
        configuration.label = labels.next(for: descriptor.uuid, otherwise: "configuration")
        return configuration
      }
      var described = PeripheralDescriptor(
        label: labels.next(for: descriptor.uuid, otherwise: "descriptor"), uuid: descriptor.uuid,
        handle: descriptor.handle.rawValue, security: protection(at: descriptor.handle),
        value: fields(at: descriptor.handle))
      if refusals[descriptor.handle.rawValue] == .readNotPermitted { described.properties = .write }
      return described
    }
    return described
  }

  private func fields(at handle: AttributeHandle) -> [ValueField] {
    guard let value = values[handle.rawValue], !value.isEmpty else { return [] }
    return [ValueField(readable: value)]
  }

  /// The protection that a refusal has shown.
  private func protection(at handle: AttributeHandle) -> AttributeProtection {
    guard let levels = protected[handle.rawValue] else { return .none }
    return levels.contains(.authenticated) ? .readAuthenticated : .readEncrypted
  }

  /// The labels of one level: each once, from the names of the SIG.
  private struct Labels {
    private var used: Set<String> = []

    mutating func next(for uuid: BluetoothUUID, otherwise kind: String) -> String {
      let base = Self.label(of: uuid, kind)
      var label = base
      var number = 2
      while !used.insert(label).inserted {
        label = "\(base)-\(number)"
        number += 1
      }
      return label
    }

    private static func label(of uuid: BluetoothUUID, _ kind: String) -> String {
      // The labels of the services that a file implies.
      switch uuid {
      case .deviceName: return "name"
      case .appearance: return "appearance"
      case .serviceChanged: return "changed"
      case .clientSupportedFeatures: return "features"
      case .databaseHash: return "hash"
      case .clientCharacteristicConfiguration: return "configuration"
      case .characteristicUserDescription: return "description"
      default: break
      }
      var name =
        AttributeNames.known(uuid)?.lowercased() ?? "\(kind)-\(uuid.text.prefix(8))".lowercased()
      if name.hasPrefix("characteristic ") { name.removeFirst("characteristic ".utf8.count) }
      var letters = name.utf8.map { letter in
        (0x61...0x7A).contains(letter) || (0x30...0x39).contains(letter)
          ? letter : UInt8(ascii: "-")
      }.prefix(27)
      while letters.last == UInt8(ascii: "-") { letters.removeLast() }
      let label = String(decoding: letters, as: UTF8.self)
      // The other words are fields of an attribute.
      return PeripheralFile.fields.contains(label) ? "the-\(label)" : label
    }
  }
}
