import BallControl
import BluetoothHost

/// Prints what `eightball gatt` finds and receives: results on stdout, progress on stderr.
struct GATTPrinter {
  /// Whether programs read the output: one object per line.
  let isJSON: Bool
  /// Prints a result.
  var print: (String) -> Void = Terminal.print
  /// Prints progress or an error.
  var note: (String) -> Void = Terminal.note

  /// Prints what every central prints.
  func central(looksFor target: CentralTarget) -> CentralPrinter {
    CentralPrinter(
      isJSON: isJSON, sought: target.text, noun: "device", print: print, note: note)
  }

  /// Prints progress for people.
  func progress(_ text: String) {
    if !isJSON { note(text) }
  }

  /// An operation is done, which has no result but its success.
  func done(_ event: StaticString, _ text: String, at handle: AttributeHandle? = nil) {
    guard isJSON else { return note(text) }
    var line = JSONLine(event: event)
    line.add("handle", handle.map { Int($0.rawValue) })
    print(line.text)
  }

  /// A number was read.
  func number(_ event: StaticString, _ name: StaticString, _ number: Int, _ text: String) {
    guard isJSON else { return print(text) }
    var line = JSONLine(event: event)
    line.add(name, number)
    print(line.text)
  }

  /// A value was read or, with the event "notified", was sent by the device.
  func value(
    _ event: StaticString, _ value: [UInt8], at handle: AttributeHandle,
    in found: FoundAttributes
  ) {
    guard isJSON else {
      let text = value.isEmpty ? "text \"\"" : ValueField(readable: value).fileText
      let name = found.type(at: handle)?.textAndName ?? handleText(handle.rawValue)
      return print("\(event)" == "read" ? text : "\(name): \(text)")
    }
    var line = JSONLine(event: event)
    line.add("handle", Int(handle.rawValue))
    add(found.type(at: handle), to: &line)
    add(value, to: &line)
    print(line.text)
  }

  /// The channel has changed; `name` is that of a number for programs.
  func channel(
    _ event: StaticString, _ psm: SPSM, _ name: StaticString?, _ number: Int, _ text: String
  ) {
    guard isJSON else { return note(text) }
    var line = JSONLine(event: event)
    line.add("psm", Int(psm.rawValue))
    if let name { line.add(name, number) }
    print(line.text)
  }

  /// The device has sent an SDU.
  func sdu(_ value: [UInt8], on psm: SPSM) {
    guard isJSON else {
      let text = value.isEmpty ? "text \"\"" : "hex \(hexadecimalText(value))"
      return print("\(handleText(psm.rawValue)): \(text)")
    }
    var line = JSONLine(event: "received")
    line.add("psm", Int(psm.rawValue))
    add(value, to: &line)
    print(line.text)
  }

  private func add(_ value: [UInt8], to line: inout JSONLine) {
    line.add("value", hexadecimalText(value))
    if case .text(let text) = ValueField(readable: value) { line.add("text", text) }
  }

  /// Prints all attributes, in the order of their handles.
  func attributes(_ found: FoundAttributes) {
    for attribute in found.types {
      switch found.role(of: attribute) {
      case .service(let service, let isPrimary):
        guard isJSON else {
          let kind = isPrimary ? "service" : "secondary service"
          print(
            "\(handleText(attribute.handle.rawValue)) \(kind) \(service.uuid.textAndName), to "
              + handleText(service.range.end.rawValue))
          continue
        }
        var line = begin("service", attribute.handle, service.uuid)
        line.add("end", Int(service.range.end.rawValue))
        line.add("primary", isPrimary)
        print(line.text)
      case .include(let include):
        let uuid =
          include.uuid ?? found.services.first { $0.range.start == include.range.start }?.uuid
        guard isJSON else {
          let name = uuid?.textAndName ?? handleText(include.range.start.rawValue)
          print("\(handleText(attribute.handle.rawValue))   includes \(name)")
          continue
        }
        var line = begin("include", attribute.handle, uuid)
        line.add("start", Int(include.range.start.rawValue))
        line.add("end", Int(include.range.end.rawValue))
        print(line.text)
      case .characteristic(let characteristic):
        guard isJSON else {
          print(
            "\(handleText(characteristic.value.rawValue))   \(characteristic.uuid.textAndName): "
              + characteristic.properties.fileText)
          continue
        }
        var line = begin("characteristic", characteristic.value, characteristic.uuid)
        line.add("declaration", Int(attribute.handle.rawValue))
        line.add(
          "properties", texts: words(characteristic.properties.fileText[...]).map { String($0) })
        print(line.text)
      case .value: continue
      case .descriptor(let descriptor):
        guard isJSON else {
          print("\(handleText(attribute.handle.rawValue))     \(descriptor.uuid.textAndName)")
          continue
        }
        print(begin("descriptor", attribute.handle, descriptor.uuid).text)
      }
    }
  }

  private func begin(
    _ event: StaticString, _ handle: AttributeHandle, _ uuid: BluetoothUUID?
  ) -> JSONLine {
    var line = JSONLine(event: event)
    line.add("handle", Int(handle.rawValue))
    add(uuid, to: &line)
    return line
  }

  private func add(_ uuid: BluetoothUUID?, to line: inout JSONLine) {
    guard let uuid else { return }
    line.add("uuid", uuid.text)
    line.add("name", AttributeNames.known(uuid))
  }

  /// A command failed. `reason` is a word for programs.
  func failed(_ text: String, reason: String) {
    printError(text, reason: reason, isJSON: isJSON, print: print, note: note)
  }
}
