import BluetoothHost

/// The layers of the Attribute Protocol on one link, and above it.
struct AttributeLayers {
  /// A request whose response has not been seen.
  struct Request {
    /// The attribute of a read; `.none` for any other request.
    var handle = AttributeHandle.none
    var offset = 0
  }

  /// The last request of each side, which has at most one pending (Vol 3, Part F, 3.3.2).
  private var sent: Request?
  private var received: Request?
  /// The question so far, while it is written in parts.
  var preparedQuestion: [UInt8] = []

  /// Adds the layers of a whole PDU.
  mutating func add(
    _ pdu: Span<UInt8>, _ direction: PacketDirection, _ names: AttributeNames,
    to stack: inout LayerStack
  ) {
    // A frame may have 64 kB, and a text for each two bytes would exceed the limit of a line.
    guard pdu.count <= ATTMTU.maximum.byteCount else {
      return stack.add(.att, pdu.count, "longer than a PDU can be")
    }
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else {
      return stack.add(.att, 0, "no opcode: the frame is empty")
    }
    let opcode = ATTOpcode(rawValue: byte)
    let isKnown =
      switch opcode {
      case .errorResponse: addError(reader, names, to: &stack)
      case .readResponse, .readBlobResponse:
        addRead(opcode, reader, of: request(direction.opposite), names, to: &stack)
      case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
        .readByGroupTypeRequest:
        Self.addSearch(opcode, reader, to: &stack)
      case .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse,
        .readByGroupTypeResponse:
        Self.addFindings(opcode, reader, names, to: &stack)
      case .prepareWriteRequest, .prepareWriteResponse, .executeWriteRequest:
        addPart(opcode, reader, names, to: &stack)
      case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest:
        Self.addReading(opcode, reader, names, to: &stack)
      case .writeRequest, .writeCommand, .signedWriteCommand, .handleValueNotification,
        .handleValueIndication:
        Self.addValue(opcode, reader, names, to: &stack)
      default: Self.addOther(opcode, reader, to: &stack)
      }
    if !isKnown { stack.add(.att, pdu.count, PacketDescription.name(of: opcode) + ", cut short") }
    note(opcode, reader, direction)
  }

  /// Keeps what is needed to explain a later response.
  private mutating func note(
    _ opcode: ATTOpcode, _ parameters: borrowing ByteReader, _ direction: PacketDirection
  ) {
    var reader = copy parameters
    var request = Request()
    switch opcode {
    case .readRequest, .readBlobRequest:
      request.handle = AttributeHandle(&reader) ?? .none
      request.offset = reader.readUInt16().map(Int.init) ?? 0
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
      .readByGroupTypeRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
      .prepareWriteRequest, .executeWriteRequest:
      break
    default: return
    }
    if direction == .sent { sent = request } else { received = request }
  }

  private func request(_ direction: PacketDirection) -> Request? {
    direction == .sent ? sent : received
  }

  /// PDUs with numbers alone, or without parameters.
  private static func addOther(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, to stack: inout LayerStack
  ) -> Bool {
    let name = PacketDescription.name(of: opcode)
    let count = 1 + reader.count
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse:
      // Both have the same parameter.
      guard let pdu = ExchangeMTURequest(&reader) else { return false }
      stack.add(.att, count, "\(name), \(pdu.clientReceiveMTU) bytes")
    default:
      stack.add(.att, count, name + PacketDescription.length(reader.count))
    }
    return true
  }
}

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
