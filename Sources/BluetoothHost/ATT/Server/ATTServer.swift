/// Why a request is not answered as it wants: what an Error Response says of it, and which
/// attribute is at fault; or that the application's answer comes later.
struct ATTFailure: Error {
  /// `nil` if there is no answer yet.
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

/// Answers the requests of clients from a database and its application.
///
/// One request is one call: what `respond` writes is the response, and nothing if there is none.
/// A request that the application puts off is handed in again, whole, when it can be answered.
/// Core Specification, Vol 3, Part F, 3.3 and 3.4.
struct ATTServer<
  let links: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable
>: ~Copyable {
  var database: Database
  var application: Application
  var deviceName: DeviceName
  var maximumMTU = ATTMTU.maximum
  /// What is kept of each client, by the index of its connection.
  var bearers = InlineArray<links, ATTBearer> { _ in ATTBearer() }

  /// The connections whose clients are owed a Service Changed indication.
  var changedConnections = ConnectionSet.none

  /// Long values are put together and read here. Between two calls it holds nothing of meaning.
  var scratch = ByteBuffer<512>()

  init(database: consuming Database, application: consuming Application) {
    self.database = database
    self.application = application
    deviceName = DeviceName(StaticText(""))
  }

  /// Takes one PDU from the client on `connection` and writes the response to it.
  ///
  /// A request that is put off is answered by nothing, and its bearer has it noted: it is to be
  /// handed in again.
  @inline(__always)
  mutating func respond(
    to pdu: Span<UInt8>, on connection: inout Connection, response: inout ByteWriter
  ) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    do throws(ATTFailure) {
      // A request longer than was agreed is malformed, whatever it says.
      guard pdu.count <= connection.mtu.byteCount else { throw ATTFailure(.invalidPDU) }
      try dispatch(opcode, reader, on: &connection, response: &response)
    } catch {
      guard opcode.isAnswered else { return }
      response.truncate(to: 0)
      guard let code = error.code else {
        bearers[connection.index].hasPutOff = true
        return
      }
      ErrorResponse(request: opcode, handle: error.handle, code: code).write(to: &response)
    }
  }

  @inline(__always)
  private mutating func dispatch(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, on connection: inout Connection,
    response: inout ByteWriter
  ) throws(ATTFailure) {
    let place = connection.index
    // Writes first: they are most of what a peripheral does.
    if opcode == .writeRequest || opcode == .writeCommand {
      let isCommand = opcode == .writeCommand
      try write(
        reader, isCommand: isCommand, at: place)
      if !isCommand { response.write(ATTOpcode.writeResponse.rawValue) }
      return
    }
    switch opcode {
    case .readRequest:
      try read(
        reader, at: place, response: &response)
    case .readBlobRequest:
      try readBlob(
        reader, at: place, response: &response)
    case .readByTypeRequest:
      try readByType(
        reader, at: place, response: &response)
    case .readByGroupTypeRequest:
      try readByGroupType(reader, response: &response)
    case .findInformationRequest:
      try findInformation(reader, response: &response)
    case .findByTypeValueRequest:
      try findByTypeValue(
        reader, at: place, response: &response)
    case .readMultipleRequest:
      try readMultiple(
        reader, isVariable: false, at: place,
        response: &response)
    case .readMultipleVariableRequest:
      try readMultiple(
        reader, isVariable: true, at: place,
        response: &response)
    case .exchangeMTURequest:
      try exchangeMTU(reader, on: &connection, response: &response)
    case .prepareWriteRequest:
      try prepareWrite(
        reader, at: place, response: &response)
    case .executeWriteRequest:
      try executeWrite(
        reader, at: place, response: &response)
    case .handleValueConfirmation:
      bearers[place].confirm()
      connection.timers[.confirmation] = nil
    default:
      throw ATTFailure(.requestNotSupported)
    }
  }

  /// Core Specification, Vol 3, Part F, 3.4.2.
  private func exchangeMTU(
    _ reader: consuming ByteReader, on connection: inout Connection, response: inout ByteWriter
  ) throws(ATTFailure) {
    guard let request = ExchangeMTURequest(&reader) else { throw ATTFailure(.invalidPDU) }
    ExchangeMTUResponse(serverReceiveMTU: UInt16(truncatingIfNeeded: maximumMTU.byteCount))
      .write(to: &response)
    connection.mtu = maximumMTU.agreed(with: request.clientReceiveMTU)
  }
}

extension ATTOpcode {
  /// Whether it has to be answered, if only with an error: it is a request, or may be one of a
  /// later version. Commands are not, nor is what a server sends to a client, nor a confirmation.
  var isAnswered: Bool {
    guard !isCommand else { return false }
    switch self {
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse,
      .findByTypeValueResponse, .readByTypeResponse, .readResponse, .readBlobResponse,
      .readMultipleResponse, .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse,
      .executeWriteResponse, .handleValueNotification, .handleValueIndication,
      .handleValueConfirmation, .readMultipleVariableResponse, .multipleHandleValueNotification:
      return false
    default:
      return true
    }
  }
}
