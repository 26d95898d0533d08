import BluetoothHost
import Foundation

/// A published service: the contents of its objects when it was added.
struct ServiceDefinition: Sendable {
  struct Characteristic: Sendable {
    let object: CBMutableCharacteristic
    let uuid: BluetoothUUID
    let properties: CBCharacteristicProperties
    let permissions: CBAttributePermissions
    /// `nil` for a value that the delegate supplies.
    let value: [UInt8]?
    let descriptors: [(object: CBDescriptor, uuid: BluetoothUUID, value: [UInt8])]

    /// Whether centrals can subscribe to it.
    var isSubscribable: Bool { !properties.isDisjoint(with: Self.subscribable) }

    /// Which operations require an encrypted link.
    var protection: AttributeProtection {
      var protection = AttributeProtection.none
      if permissions.contains(.readEncryptionRequired) { protection = protection | .readEncrypted }
      if permissions.contains(.writeEncryptionRequired) {
        protection = protection | .writeEncrypted
      }
      if !properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired]) {
        protection = protection | .updateEncrypted
      }
      return protection
    }

    /// Its properties as centrals see them.
    var declared: GATTProperties {
      var all = properties
      if all.contains(.notifyEncryptionRequired) { all.insert(.notify) }
      if all.contains(.indicateEncryptionRequired) { all.insert(.indicate) }
      return GATTProperties(rawValue: UInt8(truncatingIfNeeded: all.rawValue))
    }

    private static let subscribable: CBCharacteristicProperties = [
      .notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired,
    ]
  }

  let object: CBMutableService
  let uuid: BluetoothUUID
  let isPrimary: Bool
  let included: [CBService]
  let characteristics: [Characteristic]

  /// The number of its attributes in the database.
  var attributeCount: Int {
    characteristics.reduce(1 + included.count) { count, characteristic in
      count + 2 + (characteristic.isSubscribable ? 1 : 0) + characteristic.descriptors.count
    }
  }
}

/// Why a service is not published.
struct ServiceDefinitionError: Error {
  let code: CBError.Code
  /// The reason, for the log.
  let reason: String

  init(_ code: CBError.Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  init(_ reason: String) { self.init(.invalidParameters, reason) }
}

extension ServiceDefinition {
  /// The current contents of `service`.
  ///
  /// - Throws: Why it cannot be published.
  init(_ service: CBMutableService) throws(ServiceDefinitionError) {
    object = service
    uuid = service.uuid.uuid
    isPrimary = service.isPrimary
    guard uuid != .genericAccessService, uuid != .genericAttributeService else {
      throw ServiceDefinitionError(
        .uuidNotAllowed, "The service \(service.uuid) always exists, and cannot be added")
    }
    included = service.includedServices ?? []
    var characteristics: [Characteristic] = []
    var known: Set<ObjectIdentifier> = []
    for characteristic in service.characteristics ?? [] {
      guard let mutable = characteristic as? CBMutableCharacteristic else {
        throw ServiceDefinitionError(
          "The characteristic \(characteristic.uuid) is not a CBMutableCharacteristic")
      }
      guard known.insert(ObjectIdentifier(mutable)).inserted else {
        throw ServiceDefinitionError("The characteristic \(mutable.uuid) is in the service twice")
      }
      characteristics.append(try Characteristic(mutable))
    }
    self.characteristics = characteristics
  }
}

extension ServiceDefinition.Characteristic {
  fileprivate init(_ characteristic: CBMutableCharacteristic) throws(ServiceDefinitionError) {
    let name = "The characteristic \(characteristic.uuid)"
    object = characteristic
    uuid = characteristic.uuid.uuid
    properties = characteristic.properties
    permissions = characteristic.permissions
    value = characteristic.value.map { Array($0) }
    guard properties.isDisjoint(with: [.broadcast, .extendedProperties]) else {
      throw ServiceDefinitionError(
        "\(name) cannot be broadcast or have extended properties on this device")
    }
    if let value {
      guard properties == .read,
        permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
      else {
        throw ServiceDefinitionError(
          "Characteristics with cached values must be read-only: \(name)")
      }
      guard value.count <= maximumAttributeValueLength else {
        throw ServiceDefinitionError(
          "\(name) has a value of \(value.count) bytes: at most \(maximumAttributeValueLength) fit")
      }
    }
    var descriptors: [(object: CBDescriptor, uuid: BluetoothUUID, value: [UInt8])] = []
    for descriptor in characteristic.descriptors ?? [] {
      let uuid = descriptor.uuid.uuid
      guard !descriptors.contains(where: { $0.uuid == uuid }) else {
        throw ServiceDefinitionError("\(name) has the descriptor \(descriptor.uuid) twice")
      }
      descriptors.append((descriptor, uuid, try Self.bytes(of: descriptor)))
    }
    self.descriptors = descriptors
  }

  /// The bytes of a descriptor's value, by the descriptor's type.
  private static func bytes(of descriptor: CBDescriptor) throws(ServiceDefinitionError) -> [UInt8] {
    let bytes: [UInt8]
    switch (descriptor.uuid.uuid, descriptor.value) {
    case (.characteristicUserDescription, let text as String): bytes = Array(text.utf8)
    case (.characteristicPresentationFormat, let data as Data): bytes = Array(data)
    case (.characteristicUserDescription, _):
      throw ServiceDefinitionError("The value of a user description is a String")
    case (.characteristicPresentationFormat, _):
      throw ServiceDefinitionError("The value of a presentation format is Data")
    default:
      throw ServiceDefinitionError(
        "The descriptor \(descriptor.uuid) cannot be added: user descriptions (2901) and"
          + " presentation formats (2904) can")
    }
    guard bytes.count <= maximumAttributeValueLength else {
      throw ServiceDefinitionError(
        "The descriptor \(descriptor.uuid) has \(bytes.count) bytes: at most"
          + " \(maximumAttributeValueLength) fit")
    }
    return bytes
  }
}

/// An attribute of a published service whose value the application supplies.
struct ServedAttribute {
  enum Source {
    case constant([UInt8])
    /// The delegate of the manager that published it supplies the value.
    case delegate(CBMutableCharacteristic, PeripheralHandle)
  }

  let source: Source
  let permissions: CBAttributePermissions
}

extension ServiceDefinition {
  /// The attributes of the database, from the handle `first` on, and those whose value the
  /// application supplies, by handle.
  ///
  /// - Parameter included: The handles at which the included services start.
  func attributes(
    from first: AttributeHandle, including included: [AttributeHandle], for client: PeripheralHandle
  ) -> (attributes: [Attribute], served: [UInt16: ServedAttribute]) {
    var attributes: [Attribute] = [isPrimary ? .primaryService(uuid) : .secondaryService(uuid)]
    var served: [UInt16: ServedAttribute] = [:]

    /// The value of the next attribute, which the application supplies.
    func serve(_ attribute: ServedAttribute) -> Attribute.Value {
      let handle = first.rawValue &+ UInt16(truncatingIfNeeded: attributes.count)
      served[handle] = attribute
      return .application(ApplicationAttribute(rawValue: handle))
    }

    for handle in included { attributes.append(.include(serviceAt: handle)) }
    for characteristic in characteristics {
      attributes.append(
        .characteristic(
          characteristic.uuid, characteristic.declared, protection: characteristic.protection))
      let source: ServedAttribute.Source =
        if let value = characteristic.value { .constant(value) } else {
          .delegate(characteristic.object, client)
        }
      attributes.append(
        .value(serve(ServedAttribute(source: source, permissions: characteristic.permissions))))
      if characteristic.isSubscribable { attributes.append(.clientCharacteristicConfiguration) }
      for descriptor in characteristic.descriptors {
        let value = serve(
          ServedAttribute(source: .constant(descriptor.value), permissions: .readable))
        attributes.append(.descriptor(descriptor.uuid, .read, value))
      }
    }
    return (attributes, served)
  }
}
