/// The client's half of the attribute protocol on one link: one operation, and one request of it at a
/// time is on its way or unanswered.
///
/// No PDU is kept. A request follows from the operation and from how far that is, so it is written
/// anew for each packet that carries a part of it. `position` and `mtu` do not change meanwhile.
///
/// Core Specification, Vol 3, Part F, 3.3.2.
struct ATTClient: ~Copyable {
  /// What becomes of the request.
  enum Progress: UInt8 {
    /// It is to be sent, or a part of it has been.
    case due
    /// It has been sent, and its response is awaited.
    case unanswered
  }

  /// Which request of the operation it is.
  enum Stage: UInt8 {
    /// The only one, the first one, or one like the first.
    case first
    /// The next part of a long value is read.
    case continuing
    /// A part of a long value is prepared.
    case preparing
    /// The parts that were prepared are written.
    case executing
    /// The parts that were prepared are forgotten. `failure` says why.
    case cancelling
  }

  /// How long a server may take to answer, in milliseconds: Vol 3, Part F, 3.3.3.
  static var patience: UInt32 { 30_000 }

  /// The operation under way; `nil` if there is none.
  private(set) var operation: ClientOperation?
  var stage = Stage.first
  private var progress = Progress.due
  /// Whether an indication is to be confirmed.
  private var owesConfirmation = false
  /// The first handle that is still to be looked at; or where in a value the request's part begins.
  var position: UInt16 = 0
  /// The MTU when the request was begun. A peer's client may change it before the response comes.
  private(set) var mtu: UInt16 = 23
  /// The longest PDU that this device takes.
  let maximumMTU: UInt16
  /// Why the parts that were prepared are forgotten.
  var failure: OperationError?
  /// What protects the link.
  var security = LinkSecurity.none

  /// A client without an operation.
  init(maximumMTU: ATTMTU) {
    self.maximumMTU = UInt16(truncatingIfNeeded: maximumMTU.byteCount)
  }

  /// Whether there is a PDU to send.
  var hasPDU: Bool { owesConfirmation || (operation != nil && progress == .due) }

  /// Begins `operation`; `false` if another one is under way, or if there can be none like this.
  mutating func begin(_ operation: ClientOperation) -> Bool {
    guard self.operation == nil, operation.isPossible else { return false }
    self.operation = operation
    stage = .first
    progress = .due
    position = operation.firstPosition
    return true
  }

  /// Ends the operation under way; nothing happens if there is none.
  mutating func end<Application: ClientApplication & ~Copyable>(
    with error: OperationError?, at index: Int, _ application: inout Application
  ) {
    guard let operation else { return }
    self.operation = nil
    application.ended(operation, with: error, at: index)
  }

  // MARK: To the server

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket<Application: ClientApplication & ~Copyable>(
    for connection: inout Connection, length: Int, at now: Instant,
    _ application: inout Application, to writer: inout ByteWriter
  ) -> Bool {
    if connection.sending == .nothing, owesConfirmation {
      owesConfirmation = false
      let confirmation = InlineArray<1, UInt8>(
        repeating: ATTOpcode.handleValueConfirmation.rawValue)
      return connection.writeFragment(of: confirmation.span, length: length, to: &writer)
    }
    guard let operation, progress == .due else { return false }
    if connection.sending == .nothing {
      if let error = prepare(operation, mtu: connection.mtu) {
        end(with: error, at: connection.index, &application)
        return false
      }
      // There is nothing in an empty range.
      guard hasRequest(operation) else {
        end(with: nil, at: connection.index, &application)
        return false
      }
    }
    var request = InlineArray<517, UInt8>(repeating: 0)
    let count = write(operation, at: connection.index, application, to: request.mutableSpan)
    let isDone = connection.writeFragment(
      of: request.span.extracting(first: count), length: length, to: &writer)
    connection.sending = isDone ? .nothing : .client
    guard isDone else { return true }
    if case .writeWithoutResponse = operation {
      end(with: nil, at: connection.index, &application)
    } else {
      progress = .unanswered
      connection.timers[.transaction] = now.advanced(by: Self.patience)
    }
    return true
  }

  /// Begins a request. Its length, and whether a value is written in parts, follow from the MTU of this
  /// moment.
  ///
  /// - Returns: Why the operation cannot be carried out.
  private mutating func prepare(_ operation: ClientOperation, mtu: ATTMTU) -> OperationError? {
    self.mtu = UInt16(truncatingIfNeeded: mtu.byteCount)
    guard stage == .first else { return nil }
    switch operation {
    case .write(_, let byteCount):
      guard byteCount <= maximumAttributeValueLength else {
        return .tooLong(limit: maximumAttributeValueLength)
      }
      if byteCount > mtu.byteCount - Self.writeHeaderLength { stage = .preparing }
    case .writeWithoutResponse(_, let byteCount):
      let limit = mtu.byteCount - Self.writeHeaderLength
      if byteCount > limit { return .tooLong(limit: limit) }
    case .readMultiple(let byteCount, _):
      // 1: the opcode.
      if byteCount > mtu.byteCount - 1 { return .tooLong(limit: mtu.byteCount - 1) }
    default:
      break
    }
    return nil
  }

  // MARK: From the server

  /// Takes an ATT PDU of the server.
  mutating func receive<Application: ClientApplication & ~Copyable>(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ application: inout Application
  ) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let attribute = AttributeValue(reader) else { return }
      if opcode == .handleValueIndication { owesConfirmation = true }
      application.notified(attribute.handle, attribute.value, at: connection.index)
    case _ where opcode.isResponse:
      // A response that nothing waits for is ignored.
      guard let operation, progress == .unanswered else { return }
      connection.timers[.transaction] = nil
      receive(opcode, reader.readRemaining(), to: operation, on: &connection, &application)
    default:
      // Several values at once, which this client has not said it takes, or of a later version.
      break
    }
  }

  /// Takes a response.
  private mutating func receive<Application: ClientApplication & ~Copyable>(
    _ opcode: ATTOpcode, _ parameters: Span<UInt8>, to operation: ClientOperation,
    on connection: inout Connection, _ application: inout Application
  ) {
    let request = requestOpcode(of: operation)
    let step: Step
    if opcode == request.response {
      step = receive(parameters, to: operation, on: &connection, &application)
    } else if opcode != .errorResponse {
      step = .outOfStep(opcode)
    } else {
      var reader = ByteReader(parameters)
      if let error = ErrorResponse(&reader) {
        step =
          error.request == request
          ? receive(error, to: operation) : .outOfStep(error.request.response)
      } else {
        step = wrong(.malformed(.errorResponse))
      }
    }
    switch step {
    case .next:
      progress = .due
    case .end(let error):
      end(with: error, at: connection.index, &application)
    case .outOfStep(let opcode):
      // No later response can be matched to its request.
      connection.disconnectReason = .remoteUserTerminatedConnection
      end(
        with: .wrongResponse(.unexpected(opcode, awaited: request.response)),
        at: connection.index, &application)
    }
  }

  /// The operation fails after this response. If parts of a value are prepared, the server is asked to
  /// forget them first.
  mutating func fail(_ error: OperationError) -> Step {
    guard stage == .preparing else { return .end(stage == .cancelling ? failure : error) }
    failure = error
    stage = .cancelling
    return .next
  }

  /// The operation fails, since its response is wrong.
  mutating func wrong(_ fault: ResponseFault) -> Step { fail(.wrongResponse(fault)) }
}

extension ATTClient {
  /// What follows a response.
  enum Step {
    /// The next request.
    case next
    /// Nothing: the operation has ended, with success if there is no error.
    case end(OperationError?)
    /// The end of the link, for this is the response to another request.
    case outOfStep(ATTOpcode)
  }

  /// The length of the opcode and the handle before a value that is written.
  static var writeHeaderLength: Int { 3 }
  /// The length of the opcode, the handle and the offset before a part that is prepared.
  static var prepareHeaderLength: Int { 5 }
}

extension ATTOpcode {
  /// The opcode of the response to this request: the next number.
  var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }

  /// Whether it is the response to a request.
  var isResponse: Bool {
    switch self {
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse,
      .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse, .executeWriteResponse,
      .readMultipleVariableResponse:
      true
    default:
      false
    }
  }
}
