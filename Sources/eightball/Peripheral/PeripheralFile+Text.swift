import BluetoothHost
import Linux

// The canonical form of a file: what is as usual is left out, so that the same peripheral always has the same text.
extension PeripheralDescription {
  /// The file that describes this peripheral, in its canonical form.
  var fileText: String {
    var text = PeripheralFileText()
    text.add("name", isPlain(name) ? name : quoted(name))
    switch address {
    case .automatic: break
    case .public: text.add("address", "public")
    case .random: text.add("address", "random")
    case .fixed(let address): text.add("address", address.text)
    }
    if appearance != 0 { text.add("appearance", handleText(appearance)) }
    if !advertised.isEmpty {
      text.add("advertise", advertised.map(\.text).joined(separator: ", "))
    }
    if !manufacturer.isEmpty { text.add("manufacturer", hexadecimalText(manufacturer)) }
    if let advertisement { text.add("advertisement", "hex " + hexadecimalText(advertisement)) }
    if let scanResponse { text.add("scan-response", "hex " + hexadecimalText(scanResponse)) }
    let usual = PeripheralDescription()
    if interval != usual.interval { text.add("interval", timeText(interval)) }
    if connections != usual.connections { text.add("connections", "\(connections)") }
    if let train { text.add("periodic", train.fileText) }
    text.add("fault", faults.fileText)
    let written = servicesToWrite
    if written.impliesNone { text.add("implied", "none") }
    text.next = written.next
    for service in written.services { text.add(service) }
    for (index, step) in steps.enumerated() { text.add(step, isFirst: index == 0) }
    return text.text
  }

  /// The services that the file has to declare, and the handle after those before them.
  private var servicesToWrite: (services: [PeripheralService], impliesNone: Bool, next: Int) {
    for count in [2, 1, 0] where count <= services.count {
      let rest = Array(services[count...])
      let implied = Self.implied(beside: rest)
      guard implied.count == count else { continue }
      var expected = PeripheralDescription()
      expected.services = implied
      expected.assignHandles(explicit: { _ in nil }, report: { _, _ in })
      guard Self.text(of: services[..<count]) == Self.text(of: expected.services[...]) else {
        continue
      }
      return (rest, false, 1 + implied.reduce(0) { $0 + $1.attributeCount })
    }
    return (services, true, 1)
  }

  private static func text(of services: ArraySlice<PeripheralService>) -> String {
    var text = PeripheralFileText()
    for service in services { text.add(service) }
    return text.text
  }

  /// Whether a text is the same in a file without quotes.
  private func isPlain(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.first != UInt8(ascii: " ") && bytes.last != UInt8(ascii: " ")
      && bytes.first != UInt8(ascii: "\"")
      && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }
  }
}

extension PeripheralService {
  /// The number of its attributes.
  var attributeCount: Int {
    characteristics.reduce(1 + includes.count) { $0 + 2 + $1.descriptors.count }
  }
}

/// The lines of a file, and the handle that its next attribute has without a line about it.
private struct PeripheralFileText {
  private(set) var text = ""
  var next = 1

  /// Adds a line; none for an empty value.
  mutating func add(_ name: String, _ value: String) {
    if !value.isEmpty { text += "\(name) = \(value)\n" }
  }

  /// Adds a step of a session.
  mutating func add(_ step: SessionStep, isFirst: Bool) {
    if isFirst { text += "\n" }
    add("step", step.fileText)
  }

  /// Adds the line of a handle that is not the next.
  private mutating func add(handle: UInt16, of label: String, count: Int = 1) {
    if Int(handle) != next { add(label + ".handle", handleText(handle)) }
    next = Int(handle) + count
  }

  mutating func add(_ service: PeripheralService) {
    text += "\n"
    add(service.label, (service.isPrimary ? "service " : "secondary ") + service.uuid.text)
    add(handle: service.handle, of: service.label)
    if let end = service.end { add(service.label + ".end", handleText(end)) }
    var includes: [String] = []
    for include in service.includes {
      includes.append(
        include.label + (Int(include.handle) == next ? "" : " " + handleText(include.handle)))
      next = Int(include.handle) + 1
    }
    add(service.label + ".includes", includes.joined(separator: ", "))
    for characteristic in service.characteristics {
      add(characteristic, service.label + "." + characteristic.label)
    }
    if let end = service.end { next = Int(end) + 1 }
  }

  private mutating func add(_ characteristic: PeripheralCharacteristic, _ label: String) {
    add(
      label,
      "characteristic \(characteristic.uuid.text) \(characteristic.properties.fileText)")
    add(handle: characteristic.handle, of: label, count: 2)
    add(label + ".security", characteristic.security.fileText)
    add(label + ".value", ValueField.fileText(characteristic.value))
    if let timeline = characteristic.timeline {
      add(label + ".every", timeline.fileText(of: characteristic.value))
    }
    if let answer = characteristic.answer { add(label + ".answer", answer.fileText(of: label)) }
    add(label + ".fault", characteristic.faults.fileText)
    var descriptors = characteristic.descriptors[...]
    if characteristic.isSubscribable {
      if let first = descriptors.first,
        first.isUsualConfiguration, Int(first.handle) == next,
        descriptors.dropFirst().allSatisfy({ !$0.isConfiguration })
      {
        descriptors.removeFirst()
        next += 1
      } else if !descriptors.contains(where: \.isConfiguration) {
        add(label + ".subscriptions", "none")
      }
    }
    for descriptor in descriptors { add(descriptor, label + "." + descriptor.label, label) }
  }

  private mutating func add(
    _ descriptor: PeripheralDescriptor, _ label: String, _ characteristic: String
  ) {
    if descriptor.label == "description", descriptor.uuid == .characteristicUserDescription,
      descriptor.properties == .read, case .text(let value)? = descriptor.value.first,
      descriptor.value.count == 1
    {
      add(label, quoted(value))
    } else {
      let usual: GATTProperties = descriptor.isConfiguration ? .read | .write : .read
      let properties =
        descriptor.properties == usual ? "" : " " + descriptor.properties.fileText
      add(label, "descriptor \(descriptor.uuid.text)\(properties)")
      add(label + ".value", ValueField.fileText(descriptor.value))
    }
    add(handle: descriptor.handle, of: label)
    add(label + ".security", descriptor.security.fileText)
  }
}
