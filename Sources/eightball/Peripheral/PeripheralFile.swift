import BluetoothHost
import EightBall
import Linux
import LinuxRadio

/// What is wrong with a line of a peripheral's file.
struct PeripheralFileError: Error, Equatable {
  /// The number of the line, from 1; 0 for the whole file.
  let line: Int
  /// The field, what was expected, and what there is, without a full stop.
  let text: String
}

/// A reader of the file of a peripheral. Examples/peripherals/README.md describes its fields.
final class PeripheralFile {
  /// The largest size of a file, in bytes.
  static let capacity = 16_777_216

  /// The peripheral, as far as the lines are right.
  var peripheral = PeripheralDescription()
  /// What is wrong, in the order of the lines.
  var errors: [PeripheralFileError] = []

  /// Where an attribute is in the description.
  enum Place {
    case service(Int)
    case characteristic(Int, Int)
    case descriptor(Int, Int, Int)

    /// Whether the attribute has a value that clients use.
    var hasValue: Bool { if case .service = self { false } else { true } }
  }

  /// A label or a field that a line names.
  struct Name {
    let text: String
    let line: Int
  }

  private var line = 0
  /// In the order of the lines.
  var names: [Name] = []
  private var places: [(label: String, place: Place)] = []
  /// The handles that lines state.
  var handles: [(label: String, handle: UInt16)] = []
  /// The labels of the characteristics without a Client Characteristic Configuration of their own.
  var unsubscribable: [String] = []
  /// Whether the GAP and GATT services are implied.
  var impliesServices = true

  /// The words that end the name of a field of an attribute.
  static let fields = [
    "answer", "description", "end", "every", "fault", "handle", "includes", "security",
    "subscriptions",
    "value",
  ]

  init(_ text: [UInt8]) {
    var lines = BoardLines(text.span)
    while lines.next() != nil {
      line = lines.number
      let name = String(decoding: [UInt8](lines.value.settingName), as: UTF8.self)
      guard
        let value = String(validating: [UInt8](lines.value.settingValue), as: UTF8.self),
        lines.value.firstIndex(of: UInt8(ascii: "=")) != nil, !name.isEmpty
      else {
        fail(name, "expected NAME = VALUE in UTF-8, such as name = Heart Rate")
        continue
      }
      take(name, value[...])
    }
    finish()
  }

  /// The lines of a printed file that cannot be read again, each as a sentence.
  ///
  /// Attributes of a damaged capture, or of a device whose answers contradict each other, have no place in a file.
  static func faults(of text: String) -> [String] {
    PeripheralFile(Array(text.utf8)).errors.map {
      "Line \($0.line) of the file is wrong, because the device or the capture is: \($0.text)."
    }
  }

  /// Notes an error in the current line.
  private func fail(_ name: String, _ text: String) {
    // A line without = is a name, however long.
    let start = name.prefix(60)
    let shown = start.count == name.count ? name : start + "…"
    errors.append(PeripheralFileError(line: line, text: "\(shown): \(text)"))
  }

  /// The line of a label or a field; 0 if no line has it.
  func line(of name: String) -> Int { names.first { $0.text == name }?.line ?? 0 }

  // MARK: Lines

  private func take(_ name: String, _ value: Substring) {
    guard name != "step" else { return takeStep(value) }
    if let former = names.first(where: { $0.text == name }) {
      return fail(name, "expected once, but line \(former.line) already has it")
    }
    names.append(Name(text: name, line: line))
    let parts = list(name[...], separator: UInt8(ascii: "."))
    do throws(Expected) {
      if parts.count == 1, try setPeripheral(name, value) { return }
      guard parts.allSatisfy({ Self.isLabel($0) }), parts.joined(separator: ".") == name else {
        return fail(
          name, "expected a name of lowercase letters, digits and -, with dots between its parts")
      }
      if let field = parts.last, Self.fields.contains(String(field)),
        field != "description" || !value.hasPrefix("descriptor")
      {
        try set(String(field), of: parts.dropLast().joined(separator: "."), value)
      } else {
        try declare(parts, name, value)
      }
    } catch {
      fail(
        name, "expected \(error.text)\(value.isEmpty ? ", not nothing" : ", not \(shown(value))")")
    }
  }

  /// Takes a step of a session. Any number of lines are steps.
  private func takeStep(_ value: Substring) {
    do throws(Expected) {
      let step = try SessionStep(value)
      if let last = peripheral.steps.last, step.time < last.time {
        throw Expected("a time not before that of the step above")
      }
      if let last = peripheral.steps.last?.action, last == .disconnect || last == .drop,
        step.action != .connect
      {
        throw Expected("connect after \(last.rawValue), such as at \(step.time / 1_000) s: connect")
      }
      if peripheral.steps.isEmpty, step.action != .connect {
        throw Expected("connect as the first step, such as at 0 s: connect")
      }
      if step.action.hasLabel, place(of: step.label).map({ $0.hasValue }) != true {
        throw Expected("the label of a characteristic or descriptor in a line above")
      }
      peripheral.steps.append(step)
    } catch {
      fail("step", "expected \(error.text), not \(shown(value))")
    }
  }

  private func shown(_ value: Substring) -> String { printable("\"\(value.prefix(60))\"") }

  static func isLabel(_ text: Substring) -> Bool {
    (1...31).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  /// Sets a field of the peripheral; `false` if there is none of this name.
  private func setPeripheral(_ name: String, _ value: Substring) throws(Expected) -> Bool {
    switch name {
    case "name":
      let text = value.hasPrefix("\"") ? try unquoted(value) : String(value)
      guard (1...DeviceName.capacity).contains(text.utf8.count) else {
        throw Expected("a name of 1 to \(DeviceName.capacity) bytes in UTF-8")
      }
      peripheral.name = text
    case "address":
      guard let address = try? AddressChoice(String(value)) else {
        throw Expected("public, random, or a static random address such as C0:00:00:00:00:01")
      }
      peripheral.address = address
    case "appearance":
      guard let code = number(value, upTo: 0xFFFF) else {
        throw Expected("a number of Assigned Numbers, 2.6, such as 0x0341")
      }
      peripheral.appearance = UInt16(code)
    case "advertise":
      var services: [BluetoothUUID] = []
      for text in list(value) {
        guard let uuid = BluetoothUUID(file: text, of: .service) else { throw Self.wantsUUID }
        services.append(uuid)
      }
      peripheral.advertised = services
    case "manufacturer":
      guard let bytes = hexadecimalBytes(value), (2...27).contains(bytes.count) else {
        throw Expected("2 to 27 bytes in hexadecimal, the company's identifier first: FF FF 01")
      }
      peripheral.manufacturer = bytes
    case "advertisement": peripheral.advertisement = try advertisingData(value)
    case "scan-response": peripheral.scanResponse = try advertisingData(value)
    case "interval":
      let interval = try milliseconds(value)
      guard (20...10_240).contains(interval) else { throw Expected("20 ms to 10.24 s") }
      peripheral.interval = interval
    case "connections":
      let most = PeripheralDescription.mostConnections
      guard let count = number(value, upTo: most), count > 0 else {
        throw Expected("a number from 1 to \(most)")
      }
      peripheral.connections = count
    case "periodic": peripheral.train = try PeripheralTrain(value)
    case "fault": peripheral.faults = try PeripheralFaults(value, ofPeripheral: true)
    case "implied":
      guard value == "none" else {
        throw Expected("none, if the file has the services that every server has")
      }
      impliesServices = false
    default: return false
    }
    return true
  }

  private func advertisingData(_ value: Substring) throws(Expected) -> [UInt8] {
    let text = value.hasPrefix("hex") ? value.dropFirst(3) : value
    guard let bytes = hexadecimalBytes(text), bytes.count <= AdvertisingData.capacity else {
      throw Expected("hex and at most 31 bytes in hexadecimal, such as hex 02 01 06")
    }
    return bytes
  }

  private static let wantsUUID = Expected(
    "a UUID of 4 or 32 digits, such as 180D, or a known name, such as Heart Rate")

  // MARK: Declarations

  private func declare(
    _ parts: [Substring], _ label: String, _ value: Substring
  ) throws(Expected) {
    var words = words(value)
    let kinds: [Substring] =
      parts.count == 1
      ? ["service", "secondary"]
      : parts.count == 2
        ? ["characteristic"]
        : parts.count == 3 ? ["descriptor"] : []
    guard let kind = words.first, kinds.contains(kind) else {
      throw Expected(
        parts.count == 1
          ? "a field of the peripheral, or service UUID, such as service 180D"
          : parts.count == 2
            ? "characteristic UUID with its properties, such as characteristic 2A37 notify"
            : parts.count == 3
              ? "descriptor UUID, such as descriptor 2904" : "at most three names with dots")
    }
    words.removeFirst()
    var properties = GATTProperties(rawValue: 0)
    // A device may have a characteristic that permits no use.
    let hasNone = parts.count == 2 && words.last == "none"
    if hasNone {
      words.removeLast()
    } else if parts.count > 1 {
      while let word = words.last, let property = GATTProperties.named(word) {
        properties = properties | property
        words.removeLast()
      }
    }
    let group: AssignedGroup =
      parts.count == 1 ? .service : parts.count == 2 ? .characteristic : .descriptor
    guard let uuid = BluetoothUUID(file: words.joined(separator: " ")[...], of: group) else {
      if parts.count == 2, let word = GATTProperties.unknownName(in: words) {
        throw Expected("a property instead of \(word): \(GATTProperties.list)")
      }
      throw Self.wantsUUID
    }
    let own = String(parts[parts.count - 1])
    switch parts.count {
    case 1:
      places.append((label, .service(peripheral.services.count)))
      peripheral.services.append(
        PeripheralService(label: own, uuid: uuid, isPrimary: kind == "service"))
    case 2:
      guard case .service(let service) = place(of: String(parts[0])),
        service == peripheral.services.count - 1
      else { throw Expected("its service \(parts[0]) in a line above, without another between") }
      guard properties.rawValue != 0 || hasNone else {
        throw Expected("its properties too, none or some of \(GATTProperties.list)")
      }
      let index = peripheral.services[service].characteristics.count
      places.append((label, .characteristic(service, index)))
      peripheral.services[service].characteristics.append(
        PeripheralCharacteristic(label: own, uuid: uuid, properties: properties))
    default:
      if properties.rawValue == 0 {
        properties =
          uuid == .clientCharacteristicConfiguration ? .read | .write : .read
      }
      guard properties.rawValue & ~0x0A == 0 else {
        throw Expected("read, write or both after a descriptor's UUID")
      }
      try addDescriptor(
        PeripheralDescriptor(label: own, uuid: uuid, properties: properties),
        to: parts.dropLast().joined(separator: "."))
    }
  }

  private func addDescriptor(
    _ descriptor: PeripheralDescriptor, to characteristic: String
  ) throws(Expected) {
    guard case .characteristic(let service, let index) = place(of: characteristic),
      service == peripheral.services.count - 1,
      index == peripheral.services[service].characteristics.count - 1
    else {
      throw Expected(
        "its characteristic \(characteristic) in a line above, without another between")
    }
    let number = peripheral.services[service].characteristics[index].descriptors.count
    places.append(("\(characteristic).\(descriptor.label)", .descriptor(service, index, number)))
    peripheral.services[service].characteristics[index].descriptors.append(descriptor)
  }

  /// Where the attribute with this label is; `nil` without one.
  @inline(never)
  func place(of label: String) -> Place? { places.first { $0.label == label }?.place }

  // MARK: Fields of attributes

  private func set(
    _ field: String, of label: String, _ value: Substring
  ) throws(Expected) {
    guard let place = place(of: label) else {
      throw Expected("a declaration in a line above, such as \(Self.example(of: label))")
    }
    if field == "handle" {
      guard let handle = number(value, upTo: 0xFFFF), handle > 0 else {
        throw Expected("a handle from 0x0001 to 0xFFFF, such as 0x0010")
      }
      return handles.append((label, UInt16(handle)))
    }
    switch place {
    case .service(let index):
      if field == "end" {
        guard let handle = number(value, upTo: 0xFFFF), handle > 0 else {
          throw Expected("a handle from 0x0001 to 0xFFFF, such as 0x0010")
        }
        peripheral.services[index].end = UInt16(handle)
        return
      }
      guard field == "includes" else {
        throw Expected("end, handle or includes as a service's field")
      }
      var includes: [PeripheralInclude] = []
      for part in list(value) {
        let parts = words(part)
        var include = PeripheralInclude(label: String(parts.first ?? ""))
        if parts.count == 2 {
          guard let handle = number(parts[1], upTo: 0xFFFF), handle > 0 else {
            throw Expected("a handle after the label, such as battery 0x0003")
          }
          include.handle = UInt16(handle)
        }
        guard parts.count == 1 || parts.count == 2 else {
          throw Expected("labels of services, with commas between several")
        }
        includes.append(include)
      }
      peripheral.services[index].includes = includes
    case .characteristic where field == "description":
      var descriptor = PeripheralDescriptor(label: field, uuid: .characteristicUserDescription)
      descriptor.value = try ValueField.limited([.text(try unquoted(value))])
      try addDescriptor(descriptor, to: label)
    case .characteristic(let service, let index):
      var characteristic = peripheral.services[service].characteristics[index]
      try set(field, of: &characteristic, label, value)
      peripheral.services[service].characteristics[index] = characteristic
    case .descriptor(let service, let index, let number):
      switch field {
      case "value":
        peripheral.services[service].characteristics[index].descriptors[number].value =
          try ValueField.fields(value)
      case "security":
        peripheral.services[service].characteristics[index].descriptors[number].security =
          try AttributeProtection(file: value)
      default: throw Expected("value, security or handle as a descriptor's field")
      }
    }
  }

  private func set(
    _ field: String, of characteristic: inout PeripheralCharacteristic, _ label: String,
    _ value: Substring
  ) throws(Expected) {
    switch field {
    case "value": characteristic.value = try ValueField.fields(value)
    case "every": characteristic.timeline = try Timeline(value, of: characteristic.value)
    case "answer": characteristic.answer = try WriteAnswer(value, of: label)
    case "security": characteristic.security = try AttributeProtection(file: value)
    case "fault": characteristic.faults = try PeripheralFaults(value, ofPeripheral: false)
    case "subscriptions":
      guard value == "none" else {
        throw Expected("none, for a characteristic without its configuration (2902)")
      }
      unsubscribable.append(label)
    default:
      throw Expected(
        "answer, description, every, fault, handle, security, subscriptions or value as a "
          + "characteristic's field")
    }
  }

  private static func example(of label: String) -> String {
    switch label.filter({ $0 == "." }).count {
    case 0: "\(label) = service 180D"
    case 1: "\(label) = characteristic 2A37 notify"
    default: "\(label) = descriptor 2904"
    }
  }
}
