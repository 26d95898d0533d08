import BluetoothHost

/// An attribute of a published service whose value the application supplies.
struct ServedAttribute {
  enum Source {
    case fixed([UInt8])
    /// The delegate of the manager that published it supplies the value.
    case asked(CBMutableCharacteristic, PeripheralClient)
  }

  let source: Source
  let permissions: CBAttributePermissions
}

extension ServiceDefinition {
  /// The lines of the database, from the handle `first` on, and the application's attributes by
  /// handle.
  ///
  /// - Parameter included: The handles at which the included services start.
  func lines(
    from first: AttributeHandle, including included: [AttributeHandle],
    for client: PeripheralClient
  ) -> (lines: [Attribute], served: [UInt16: ServedAttribute]) {
    var lines: [Attribute] = [isPrimary ? .primaryService(uuid) : .secondaryService(uuid)]
    var served: [UInt16: ServedAttribute] = [:]

    /// The value of the next line, which the application supplies.
    func serve(_ attribute: ServedAttribute) -> Attribute.Value {
      let handle = first.rawValue &+ UInt16(truncatingIfNeeded: lines.count)
      served[handle] = attribute
      return .application(ApplicationAttribute(rawValue: handle))
    }

    for handle in included { lines.append(.include(serviceAt: handle)) }
    for characteristic in characteristics {
      lines.append(
        .characteristic(
          characteristic.uuid, characteristic.declared, protection: characteristic.protection))
      let source: ServedAttribute.Source =
        if let value = characteristic.value { .fixed(value) } else {
          .asked(characteristic.object, client)
        }
      lines.append(
        .value(serve(ServedAttribute(source: source, permissions: characteristic.permissions))))
      if characteristic.isSubscribable { lines.append(.clientCharacteristicConfiguration) }
      for descriptor in characteristic.descriptors {
        let value = serve(
          ServedAttribute(source: .fixed(descriptor.value), permissions: .readable))
        lines.append(.descriptor(descriptor.uuid, .read, value))
      }
    }
    return (lines, served)
  }
}
