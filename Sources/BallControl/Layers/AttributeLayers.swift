import BluetoothHost
import LinuxRadio

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
