import BluetoothHost

/// What a peripheral is, for those who check its file.
struct PeripheralSummary {
  /// The name, the database line by line, and its hash: for people.
  private(set) var lines: [String] = []

  private let name: String
  private var attributeCount = 0
  private var hash = ""

  /// The name, how many attributes there are, and the Database Hash: for programs.
  var json: JSONLine {
    var line = JSONLine(event: "checked")
    line.add("name", name)
    line.add("attributes", attributeCount)
    line.add("hash", hash)
    return line
  }

  init(_ peripheral: PeripheralDescription) {
    name = peripheral.name
    let advertised = peripheral.advertised.map { Self.name(of: $0) }
    lines.append(
      "“\(printable(peripheral.name))”"
        + (advertised.isEmpty ? "" : ", advertises " + advertised.joined(separator: ", ")))
    if let train = peripheral.train { lines.append("  periodic every " + train.fileText) }
    for service in peripheral.services {
      let kind = service.isPrimary ? "  service " : "  secondary service "
      add(service.handle, kind, service.uuid, "  (\(service.label))")
      for include in service.includes {
        lines.append("\(handleText(include.handle))    includes \(include.label)")
      }
      for characteristic in service.characteristics {
        add(characteristic, "\(service.label).\(characteristic.label)")
      }
    }
    let database = PeripheralDatabase(peripheral)
    attributeCount = database.attributes.indices.count { !database.attributes[$0].isVacant }
    let bytes = database.hash.bytes
    hash = hexadecimalText(bytes.indices.map { bytes[$0] }, separator: "")
    lines.append("\(attributeCount) attributes; Database Hash \(hash)")
  }

  @inline(never)
  private mutating func add(_ characteristic: PeripheralCharacteristic, _ label: String) {
    let security = characteristic.security.fileText
    add(
      characteristic.handle, "    characteristic ", characteristic.uuid,
      ": " + characteristic.properties.fileText + (security.isEmpty ? "" : "; " + security)
        + "  (\(label))")
    add(
      characteristic.valueHandle, "      value", nil,
      Self.text(of: characteristic.value, after: " "))
    for descriptor in characteristic.descriptors {
      add(
        descriptor.handle, "      descriptor ", descriptor.uuid,
        Self.text(of: descriptor.value, after: ": "))
    }
  }

  @inline(never)
  private mutating func add(
    _ handle: UInt16, _ kind: String, _ uuid: BluetoothUUID?, _ text: String
  ) { lines.append(handleText(handle) + kind + (uuid.map { Self.name(of: $0) } ?? "") + text) }

  private static func text(of value: [ValueField], after start: String) -> String {
    value.isEmpty ? "" : start + printable(ValueField.fileText(value))
  }

  /// `180D Heart Rate`.
  @inline(never)
  private static func name(of uuid: BluetoothUUID) -> String {
    uuid.text + (uuid.assignedName.map { " \($0)" } ?? "")
  }
}
