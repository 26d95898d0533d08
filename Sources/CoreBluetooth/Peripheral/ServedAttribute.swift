import BluetoothHost

/// An attribute of a published service whose value the application supplies.
struct ServedAttribute {
  enum Source {
    case constant([UInt8])
    /// The delegate of the manager that published it supplies the value.
    case delegate(CBMutableCharacteristic, PeripheralClient)
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
    from first: AttributeHandle, including included: [AttributeHandle],
    for client: PeripheralClient
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
