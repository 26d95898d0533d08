/// The ATT client of one link, with one request at a time:
/// Core Specification, Vol 3, Part F, 3.3.2. It stores no PDU, but writes the request again for
/// each fragment: `position` and `mtu` stay until the last.
struct ATTClient: ~Copyable {
  /// The state of the request.
  enum Progress: UInt8 {
    /// The request is to be sent, or is partly sent.
    case due
    /// The request was sent, and its response has not arrived.
    case unanswered
  }

  /// The kind of the operation's current request.
  enum Stage: UInt8 {
    /// The operation's first request, or the same request for the rest of its range.
    case first
    /// Reads the next part of a long value.
    case continuing
    /// Prepares a part of a long value.
    case preparing
    /// Writes the prepared parts.
    case executing
    /// Discards the prepared parts. `failure` holds the reason.
    case cancelling
  }

  /// The transaction timeout in milliseconds: Vol 3, Part F, 3.3.3.
  static var timeout: UInt32 { 30_000 }

  /// The operation under way; `nil` if there is none.
  private(set) var operation: ClientOperation?
  var stage = Stage.first
  private var progress = Progress.due
  /// Whether an indication has to be confirmed.
  private var isConfirmationPending = false
  /// The first handle not covered by the discovery, or the part's offset in a value.
  var position: UInt16 = 0
  /// The MTU at the start of the request; the peer's client may change it meanwhile.
  private(set) var mtu: UInt16 = 23
  /// The longest PDU that this device accepts.
  let maximumMTU: UInt16
  /// Whether Exchange MTU Request was sent: once on a link (Vol 3, Part F, 3.4.2.1).
  var hasExchangedMTU = false
  /// Why the prepared parts are discarded.
  var failure: OperationError?
  /// The security of the link.
  var security = LinkSecurity.none

  /// A client without an operation.
  init(maximumMTU: ATTMTU) { self.maximumMTU = UInt16(truncatingIfNeeded: maximumMTU.byteCount) }

  /// Whether there is a PDU to send.
  var hasPDU: Bool { isConfirmationPending || (operation != nil && progress == .due) }

  /// Begins `operation`; `false` if another one is under way, or if this one is invalid.
  mutating func begin(_ operation: ClientOperation) -> Bool {
    guard self.operation == nil, operation.isPossible else { return false }
    self.operation = operation
    stage = .first
    progress = .due
    position = operation.firstPosition
    return true
  }

  /// Ends the operation under way. Does nothing if there is none.
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
    if connection.sending == .nothing, isConfirmationPending {
      isConfirmationPending = false
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
      // An empty range contains nothing, and the MTU is exchanged already.
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
    if case .exchangeMTU = operation { hasExchangedMTU = true }
    if case .writeWithoutResponse = operation {
      end(with: nil, at: connection.index, &application)
    } else {
      progress = .unanswered
      connection.timers[.transaction] = now.advanced(by: Self.timeout)
    }
    return true
  }

  /// Begins a request, whose form depends on the MTU. Returns why it is impossible, or `nil`.
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
    default: break
    }
    return nil
  }

  // MARK: On an enhanced bearer

  /// Whether a request was sent, and its response has not arrived.
  var awaitsResponse: Bool { operation != nil && progress == .unanswered && !hasSentCommand }

  /// Whether the operation is a command that was sent.
  var hasSentCommand: Bool {
    if case .writeWithoutResponse = operation, progress == .unanswered { true } else { false }
  }

  /// Writes the request that is due, which the bearer then sends as a whole. Returns its length; 0 if
  /// there is none, or if the operation ends without it.
  mutating func takeRequest<Application: ClientApplication & ~Copyable>(
    mtu: ATTMTU, at number: Int, _ application: inout Application,
    into storage: consuming MutableSpan<UInt8>
  ) -> Int {
    guard let operation, progress == .due else { return 0 }
    if let error = prepare(operation, mtu: mtu) {
      end(with: error, at: number, &application)
      return 0
    }
    guard hasRequest(operation) else {
      end(with: nil, at: number, &application)
      return 0
    }
    progress = .unanswered
    return write(operation, at: number, application, to: storage)
  }

  /// Ends a command that was sent.
  mutating func endCommand<Application: ClientApplication & ~Copyable>(
    at number: Int, _ application: inout Application
  ) {
    if hasSentCommand { end(with: nil, at: number, &application) }
  }

  // MARK: From the server

  /// Takes an ATT PDU from the server.
  mutating func receive<Application: ClientApplication & ~Copyable>(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ application: inout Application
  ) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let attribute = AttributeValue(reader) else { return }
      if opcode == .handleValueIndication { isConfirmationPending = true }
      application.notified(attribute.handle, attribute.value, at: connection.index)
    case _ where opcode.isResponse:
      // A response without a request is ignored.
      guard let operation, progress == .unanswered else { return }
      connection.timers[.transaction] = nil
      receive(opcode, reader.readRemaining(), to: operation, on: &connection, &application)
    default:
      // Multiple values, whose support this client does not declare, or a PDU of a later version.
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
    case .next: progress = .due
    case .end(let error): end(with: error, at: connection.index, &application)
    case .outOfStep(let opcode):
      // Later responses could not be matched to their requests.
      connection.disconnectReason = .remoteUserTerminatedConnection
      end(
        with: .wrongResponse(.unexpected(opcode, awaited: request.response)), at: connection.index,
        &application)
    }
  }

  /// Ends the operation with `error`, once the server has discarded any prepared parts.
  mutating func fail(_ error: OperationError) -> Step {
    guard stage == .preparing else { return .end(stage == .cancelling ? failure : error) }
    failure = error
    stage = .cancelling
    return .next
  }

  /// Makes the operation fail because its response is invalid.
  mutating func wrong(_ error: ResponseError) -> Step { fail(.wrongResponse(error)) }
}

extension ATTClient {
  /// What happens after a response.
  enum Step {
    /// The next request is sent.
    case next
    /// The operation ends; `nil` means success.
    case end(OperationError?)
    /// The link ends, since this is the response to another request.
    case outOfStep(ATTOpcode)
  }

  /// The length of opcode and handle before a written value.
  static var writeHeaderLength: Int { 3 }
  /// The length of opcode, handle and offset before a prepared part.
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
    default: false
    }
  }
}
