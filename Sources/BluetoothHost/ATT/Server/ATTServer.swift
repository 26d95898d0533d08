/// The content of an Error Response, or the fact that the application answers later.
struct ATTRefusal: Error {
  /// `nil` if the application has put the answer off.
  let code: ATTErrorCode?
  let handle: AttributeHandle

  init(_ code: ATTErrorCode, at handle: AttributeHandle = .none) {
    self.code = code
    self.handle = handle
  }

  init(_ refusal: GATTRefusal, at handle: AttributeHandle) {
    switch refusal {
    case .error(let code): self.code = code
    case .later: code = nil
    }
    self.handle = handle
  }
}

/// Answers clients from a database and its application: Core Specification, Vol 3, Part F, 3.3 and
/// 3.4. Each call handles one PDU: `write` a write, `respond` any other. A request that is put off
/// comes again.
struct ATTServer<
  let links: Int, Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
>: ~Copyable {
  var database: Database
  var application: Application
  var deviceName: DeviceName
  var maximumMTU = ATTMTU.maximum
  /// The state of each client, by connection index.
  var bearers = InlineArray<links, ATTBearer> { _ in ATTBearer() }

  /// The connections with a pending Service Changed indication.
  var changedConnections = ConnectionSet.none

  /// Storage for values while one PDU is handled.
  var scratch = ByteBuffer<512>()

  init(database: consuming Database, application: consuming Application) {
    self.database = database
    self.application = application
    deviceName = DeviceName(StaticText(""))
  }

  /// Answers one PDU, except writes. Throws an Error Response, or that the application answers
  /// later.
  @inline(__always) mutating func respond(
    to pdu: Span<UInt8>, on connection: inout Connection, response: inout ByteWriter
  ) throws(ATTRefusal) {
    var reader = ByteReader(pdu)
    // A PDU longer than the MTU is malformed.
    guard let byte = reader.readUInt8(), pdu.count <= connection.mtu.byteCount else {
      throw ATTRefusal(.invalidPDU)
    }
    let opcode = ATTOpcode(rawValue: byte)
    let connectionIndex = connection.index
    switch opcode {
    case .readRequest: try read(reader, at: connectionIndex, response: &response)
    case .readBlobRequest: try readBlob(reader, at: connectionIndex, response: &response)
    case .readByTypeRequest: try readByType(reader, at: connectionIndex, response: &response)
    case .readByGroupTypeRequest: try readByGroupType(reader, response: &response)
    case .findInformationRequest: try findInformation(reader, response: &response)
    case .findByTypeValueRequest:
      try findByTypeValue(reader, at: connectionIndex, response: &response)
    case .readMultipleRequest:
      try readMultiple(reader, isVariable: false, at: connectionIndex, response: &response)
    case .readMultipleVariableRequest:
      try readMultiple(reader, isVariable: true, at: connectionIndex, response: &response)
    case .exchangeMTURequest: try exchangeMTU(reader, on: &connection, response: &response)
    case .prepareWriteRequest: try prepareWrite(reader, at: connectionIndex, response: &response)
    case .executeWriteRequest: try executeWrite(reader, at: connectionIndex, response: &response)
    case .handleValueConfirmation:
      bearers[connectionIndex].confirm()
      connection.timers[.confirmation] = nil
    default: throw ATTRefusal(.requestNotSupported)
    }
  }

  /// Exchanges the MTU: Core Specification, Vol 3, Part F, 3.4.2.
  private func exchangeMTU(
    _ reader: consuming ByteReader, on connection: inout Connection, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let request = ExchangeMTURequest(&reader) else { throw ATTRefusal(.invalidPDU) }
    ExchangeMTUResponse(serverReceiveMTU: UInt16(truncatingIfNeeded: maximumMTU.byteCount)).write(
      to: &response)
    connection.mtu = maximumMTU.agreed(with: request.clientReceiveMTU)
  }
}

extension ATTOpcode {
  /// Whether the server answers it, at least with an error: a request, perhaps of a later version.
  var isAnswered: Bool {
    guard !isCommand else { return false }
    switch self {
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse,
      .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse, .executeWriteResponse,
      .handleValueNotification, .handleValueIndication, .handleValueConfirmation,
      .readMultipleVariableResponse, .multipleHandleValueNotification:
      return false
    default: return true
    }
  }
}
