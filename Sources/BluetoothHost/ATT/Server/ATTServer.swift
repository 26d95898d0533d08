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

/// Answers the requests of centrals from a database and its application.
///
/// One request is one call: what `respond` writes is the response, and nothing if there is none.
/// A request that the application puts off is handed in again, whole, when it can be answered.
/// Core Specification, Vol 3, Part F, 3.3 and 3.4.
struct ATTServer<Database: AttributeDatabase & ~Copyable>: ~Copyable {
  var database: Database
  var deviceName: DeviceName
  let maximumMTU: ATTMTU

  /// Long values are put together and read here. Between two calls it holds nothing of meaning.
  var scratch = ByteBuffer<512>()

  init(database: consuming Database, deviceName: DeviceName, mtu: ATTMTU) {
    self.database = database
    self.deviceName = deviceName
    maximumMTU = mtu
  }

  /// Takes one PDU from the central at `place` and writes the response to it.
  ///
  /// A request that is put off is answered by nothing, and `bearer` has it noted: it is to be handed
  /// in again.
  mutating func respond<Application: GATTApplication & ~Copyable>(
    to pdu: Span<UInt8>, at place: Int, bearer: inout ATTBearer, application: inout Application,
    response: inout ByteWriter
  ) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    do throws(ATTFailure) {
      // A request longer than was agreed is malformed, whatever it says.
      guard pdu.count <= bearer.mtu.byteCount else { throw ATTFailure(.invalidPDU) }
      try dispatch(
        opcode, reader, at: place, bearer: &bearer, application: &application,
        response: &response)
    } catch {
      guard opcode.isAnswered else { return }
      response.truncate(to: 0)
      guard let code = error.code else {
        bearer.hasPutOff = true
        return
      }
      ErrorResponse(request: opcode, handle: error.handle, code: code).write(to: &response)
    }
  }

  private mutating func dispatch<Application: GATTApplication & ~Copyable>(
    _ opcode: ATTOpcode, _ reader: consuming ByteReader, at place: Int, bearer: inout ATTBearer,
    application: inout Application, response: inout ByteWriter
  ) throws(ATTFailure) {
    // Writes first: they are most of what a peripheral does.
    if opcode == .writeRequest || opcode == .writeCommand {
      let isCommand = opcode == .writeCommand
      try write(
        reader, isCommand: isCommand, at: place, bearer: &bearer, application: &application)
      if !isCommand { response.write(ATTOpcode.writeResponse.rawValue) }
      return
    }
    switch opcode {
    case .readRequest:
      try read(
        reader, at: place, bearer: &bearer, application: &application, response: &response)
    case .readBlobRequest:
      try readBlob(
        reader, at: place, bearer: &bearer, application: &application, response: &response)
    case .readByTypeRequest:
      try readByType(
        reader, at: place, bearer: &bearer, application: &application, response: &response)
    case .readByGroupTypeRequest:
      try readByGroupType(reader, response: &response)
    case .findInformationRequest:
      try findInformation(reader, response: &response)
    case .findByTypeValueRequest:
      try findByTypeValue(
        reader, at: place, bearer: &bearer, application: &application, response: &response)
    case .readMultipleRequest:
      try readMultiple(
        reader, isVariable: false, at: place, bearer: &bearer, application: &application,
        response: &response)
    case .readMultipleVariableRequest:
      try readMultiple(
        reader, isVariable: true, at: place, bearer: &bearer, application: &application,
        response: &response)
    case .exchangeMTURequest:
      try exchangeMTU(reader, bearer: &bearer, response: &response)
    case .prepareWriteRequest:
      try prepareWrite(
        reader, at: place, bearer: &bearer, application: application, response: &response)
    case .executeWriteRequest:
      try executeWrite(
        reader, at: place, bearer: &bearer, application: &application, response: &response)
    case .handleValueConfirmation:
      bearer.confirm()
    default:
      throw ATTFailure(.requestNotSupported)
    }
  }

  /// Core Specification, Vol 3, Part F, 3.4.2.
  private func exchangeMTU(
    _ reader: consuming ByteReader, bearer: inout ATTBearer, response: inout ByteWriter
  ) throws(ATTFailure) {
    guard let request = ExchangeMTURequest(&reader) else { throw ATTFailure(.invalidPDU) }
    ExchangeMTUResponse(serverReceiveMTU: UInt16(truncatingIfNeeded: maximumMTU.byteCount))
      .write(to: &response)
    bearer.mtu = maximumMTU.agreed(with: request.clientReceiveMTU)
  }
}

extension ATTOpcode {
  /// Whether it has to be answered, if only with an error: it is a request, or may be one of a
  /// later version. Commands are not, nor is what a server sends to a client, nor a confirmation.
  fileprivate var isAnswered: Bool {
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
