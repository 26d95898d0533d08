import BluetoothHost

/// What a peripheral is, for people who check its file.
struct PeripheralSummary {
  /// The name, the database line by line, and its hash.
  private(set) var lines: [String] = []

  init(_ peripheral: PeripheralDescription) {
    let advertised = peripheral.advertised.map { Self.name(of: $0) }
    lines.append(
      "“\(printable(peripheral.name))”"
        + (advertised.isEmpty ? "" : ", advertises " + advertised.joined(separator: ", ")))
    for service in peripheral.services {
      lines.append(
        "\(handleText(service.handle))  \(service.isPrimary ? "service" : "secondary service") "
          + Self.name(of: service.uuid) + "  (\(service.label))")
      for include in service.includes {
        lines.append("\(handleText(include.handle))    includes \(include.label)")
      }
      for characteristic in service.characteristics {
        add(characteristic, "\(service.label).\(characteristic.label)")
      }
    }
    let database = PeripheralDatabase(peripheral)
    let count = database.attributes.indices.count { !database.attributes[$0].isVacant }
    let hash = database.hash.bytes
    lines.append(
      "\(count) attributes; Database Hash "
        + hexadecimalText(hash.indices.map { hash[$0] }, separator: ""))
  }

  private mutating func add(_ characteristic: PeripheralCharacteristic, _ label: String) {
    let security = characteristic.security.fileText
    lines.append(
      "\(handleText(characteristic.handle))    characteristic \(Self.name(of: characteristic.uuid)): "
        + characteristic.properties.fileText + (security.isEmpty ? "" : "; \(security)")
        + "  (\(label))")
    let value = ValueField.fileText(characteristic.value)
    lines.append(
      "\(handleText(characteristic.valueHandle))      value\(value.isEmpty ? "" : " \(printable(value))")"
    )
    for descriptor in characteristic.descriptors {
      let value = ValueField.fileText(descriptor.value)
      lines.append(
        "\(handleText(descriptor.handle))      descriptor \(Self.name(of: descriptor.uuid))"
          + (value.isEmpty ? "" : ": \(printable(value))"))
    }
  }

  /// `180D Heart Rate`.
  private static func name(of uuid: BluetoothUUID) -> String {
    uuid.fileText + (uuid.assignedName.map { " \($0)" } ?? "")
  }
}
