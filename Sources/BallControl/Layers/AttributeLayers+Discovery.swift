import BluetoothHost
import LinuxRadio

/// PDUs by which a client finds services, characteristics and descriptors.
extension AttributeLayers {
  /// A request for what is in a range of handles.
  static func addSearch(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, to stack: inout LayerStack
  ) -> Bool {
    let name = PacketDescription.name(of: opcode)
    // The opcode and two handles.
    let headLength = 1 + 4
    let rest = reader.count + 1 - headLength
    switch opcode {
    case .findInformationRequest:
      guard let pdu = FindInformationRequest(&reader) else { return false }
      stack.add(.att, headLength, name)
      stack.add(.gatt, rest, "what is in \(AttributeNames.text(pdu.range))?")
    case .findByTypeValueRequest:
      guard let pdu = FindByTypeValueRequest(reader) else { return false }
      stack.add(.att, headLength, name)
      var value = ByteReader(pdu.value)
      let type = BluetoothUUID(pdu.type)
      let what =
        type == .primaryService
        ? BluetoothUUID(&value, byteCount: value.count).map(AttributeNames.name) : nil
      let handles = AttributeNames.text(pdu.range)
      stack.add(
        .gatt, rest,
        what.map { "where in \(handles) is the service \($0)?" }
          ?? "where in \(handles) is \(article(typeName(type))) of this value?")
    case .readByTypeRequest:
      guard let pdu = ReadByTypeRequest(&reader) else { return false }
      stack.add(.att, headLength, name)
      stack.add(.gatt, rest, question(about: pdu.type, in: pdu.range))
    default:
      guard let pdu = ReadByGroupTypeRequest(&reader) else { return false }
      stack.add(.att, headLength, name)
      stack.add(.gatt, rest, question(about: pdu.parameters.type, in: pdu.parameters.range))
    }
    return true
  }

  private static func question(
    about type: BluetoothUUID, in range: AttributeHandleRange
  ) -> String {
    let handles = AttributeNames.text(range)
    switch type {
    case .primaryService: return "which services are in \(handles)?"
    case .secondaryService: return "which secondary services are in \(handles)?"
    case .include: return "which services are included in \(handles)?"
    case .characteristic: return "which characteristics are in \(handles)?"
    default: return "what is the value of \(typeName(type)) in \(handles)?"
    }
  }

  /// `name` with its article.
  private static func article(_ name: String) -> String {
    (name.first.map("AEIO".contains) ?? false ? "an " : "a ") + name
  }

  /// The name of an attribute type, also of declarations, which `AttributeNames` lacks.
  private static func typeName(_ type: BluetoothUUID) -> String {
    switch type {
    case .primaryService: "Primary Service"
    case .secondaryService: "Secondary Service"
    case .include: "Include"
    case .characteristic: "Characteristic"
    default: AttributeNames.name(of: type)
    }
  }

  /// The response with what was found.
  static func addFindings(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, _ names: AttributeNames,
    to stack: inout LayerStack
  ) -> Bool {
    let length = reader.count
    // The opcode, and the length or format of an entry. Only Find By Type Value Response lacks the
    // second.
    var headLength = 2
    var found: [String] = []
    switch opcode {
    case .findInformationResponse:
      guard var pdu = FindInformationResponse(reader) else { return false }
      while let entry = pdu.next() {
        let handle = PacketDescription.hexadecimal(entry.handle.rawValue)
        found.append("\(handle) \(typeName(entry.type))")
      }
    case .findByTypeValueResponse:
      guard var pdu = FindByTypeValueResponse(reader) else { return false }
      headLength = 1
      while let range = pdu.next() {
        found.append("\(names[range.start]), \(AttributeNames.text(range))")
      }
    case .readByTypeResponse:
      guard var pdu = ReadByTypeResponse(reader) else { return false }
      while let entry = pdu.next() { found.append(text(entry.value, of: entry.handle, names)) }
    default:
      guard var pdu = ReadByGroupTypeResponse(reader) else { return false }
      while let group = pdu.next() {
        found.append("\(names[group.range.start]), \(AttributeNames.text(group.range))")
      }
    }
    stack.add(.att, headLength, PacketDescription.name(of: opcode))
    stack.add(.gatt, 1 + length - headLength, found.joined(separator: "; "))
    return true
  }
}
