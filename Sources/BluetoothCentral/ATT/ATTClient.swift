import BluetoothHost

/// The client's half of the attribute protocol on one link: operations in line, one request in
/// the air.
///
/// Core Specification, Vol 3, Part F, 3.3.2: a client sends no request before the last one was
/// answered.
struct ATTClient {
  /// An operation that has ended.
  struct Completion {
    var operation: OperationID
    var result: Result<OperationOutput, OperationError>
    /// Whether requests and responses can no longer be told to belong together.
    var isOutOfStep = false
  }

  /// How long a PDU may be, for both sides.
  private(set) var mtu = ATTMTU.minimum
  /// When the server must have answered.
  private(set) var deadline: Instant?

  /// Where the server tells of changes of its services, once that is known.
  private(set) var serviceChanged: AttributeHandle?

  private var waiting: [(id: OperationID, operation: Operation)] = []
  /// What is done when nothing else waits.
  private var idle: [(id: OperationID, operation: Operation)] = []
  private var current: (id: OperationID, procedure: any Procedure, request: ATTOpcode)?

  /// Puts an operation at the end of the line, or of the one for when there is nothing else to do.
  mutating func enqueue(_ operation: Operation, _ id: OperationID, whenIdle: Bool = false) {
    if whenIdle { idle.append((id, operation)) } else { waiting.append((id, operation)) }
  }

  /// Begins the next operation, if none is under way: the PDU to send, if there is one, and the
  /// operations that ended without needing an answer.
  mutating func begin(at now: Instant, timeout: UInt32) -> (pdu: [UInt8]?, done: Completion?) {
    guard current == nil, let (id, operation) = waiting.first ?? idle.first else {
      return (nil, nil)
    }
    if waiting.isEmpty { idle.removeFirst() } else { waiting.removeFirst() }
    if case .writeWithoutResponse(let handle, let value) = operation {
      return command(id, handle, value)
    }
    if let error = operation.error {
      return (nil, Completion(operation: id, result: .failure(error)))
    }
    var procedure = operation.procedure(mtu)
    let step = procedure.begin(mtu)
    return take(step, id, procedure, until: now.advanced(by: timeout))
  }

  /// Takes a response or an Error Response. One that nothing waits for is ignored.
  mutating func receive(
    _ opcode: ATTOpcode, _ parameters: Span<UInt8>, at now: Instant, timeout: UInt32
  ) -> (pdu: [UInt8]?, done: Completion?) {
    guard let (id, awaiting, request) = current else { return (nil, nil) }
    var procedure = awaiting
    var reader = ByteReader(parameters)
    let step: ProcedureStep
    if opcode == request.response {
      step = procedure.receive(parameters, mtu)
    } else if opcode != .errorResponse {
      return outOfStep(id, .unexpected(opcode, awaited: request.response))
    } else if let error = ErrorResponse(&reader) {
      guard error.request == request else {
        return outOfStep(id, .unexpected(error.request.response, awaited: request.response))
      }
      step = procedure.receive(error, mtu)
    } else {
      step = .wrong(.malformed(.errorResponse))
    }
    return take(step, id, procedure, until: now.advanced(by: timeout))
  }

  /// Ends every operation: the one under way with `first`, the others with `others`.
  mutating func endAll(first: OperationError, others: OperationError) -> [Completion] {
    var ended: [Completion] = []
    if let current { ended.append(Completion(operation: current.id, result: .failure(first))) }
    ended += (waiting + idle).map { Completion(operation: $0.id, result: .failure(others)) }
    current = nil
    deadline = nil
    waiting = []
    idle = []
    return ended
  }

  private func command(
    _ id: OperationID, _ handle: AttributeHandle, _ value: [UInt8]
  ) -> (pdu: [UInt8]?, done: Completion?) {
    let limit = mtu.byteCount - WriteProcedure.headerLength
    guard value.count <= limit else {
      return (nil, Completion(operation: id, result: .failure(.tooLong(limit: limit))))
    }
    let pdu = [UInt8].written(upTo: mtu.byteCount) {
      WriteCommand(handle: handle, value: value.span).write(to: &$0)
    }
    return (pdu, Completion(operation: id, result: .success(.written)))
  }

  private mutating func take(
    _ step: ProcedureStep, _ id: OperationID, _ procedure: any Procedure, until deadline: Instant
  ) -> (pdu: [UInt8]?, done: Completion?) {
    current = nil
    self.deadline = nil
    switch step {
    case .request(let pdu):
      guard let opcode = pdu.first else { return (nil, nil) }
      current = (id, procedure, ATTOpcode(rawValue: opcode))
      self.deadline = deadline
      return (pdu, nil)
    case .done(let output):
      if case .mtu(let mtu) = output { self.mtu = mtu }
      if case .watching(let handle) = output { serviceChanged = handle }
      return (nil, Completion(operation: id, result: .success(output)))
    case .failed(let error):
      return (nil, Completion(operation: id, result: .failure(error)))
    }
  }

  private mutating func outOfStep(
    _ id: OperationID, _ fault: ResponseFault
  ) -> (pdu: [UInt8]?, done: Completion?) {
    current = nil
    deadline = nil
    let result = Result<OperationOutput, OperationError>.failure(.wrongResponse(fault))
    return (nil, Completion(operation: id, result: result, isOutOfStep: true))
  }
}

extension Operation {
  /// Why it cannot be carried out with any MTU.
  fileprivate var error: OperationError? {
    guard case .write(_, let value) = self, value.count > maximumAttributeValueLength else {
      return nil
    }
    return .tooLong(limit: maximumAttributeValueLength)
  }

  fileprivate func procedure(_ mtu: ATTMTU) -> any Procedure {
    switch self {
    case .exchangeMTU(let offered): ExchangeMTUProcedure(offered: offered)
    case .discoverIncludedServices(let range): DiscoverIncludedServicesProcedure(range: range)
    case .readFirst(let type): ReadFirstProcedure(type: type)
    case .configure(let range, let configuration):
      ConfigureProcedure(range: range, configuration: configuration)
    case .watchServices: WatchServicesProcedure()
    case .discoverServices(nil): DiscoverAllServicesProcedure()
    case .discoverServices(let uuid?): DiscoverServicesByUUIDProcedure(uuid: uuid)
    case .discoverCharacteristics(let range): DiscoverCharacteristicsProcedure(range: range)
    case .discoverDescriptors(let range): DiscoverDescriptorsProcedure(range: range)
    case .read(let handle): ReadProcedure(handle: handle)
    case .subscribe(let handle, let configuration):
      WriteProcedure(
        handle: handle,
        value: [UInt8].written(upTo: 2) { $0.write(configuration.rawValue) })
    case .write(let handle, let value), .writeWithoutResponse(let handle, let value):
      value.count <= mtu.byteCount - WriteProcedure.headerLength
        ? WriteProcedure(handle: handle, value: value)
        : LongWriteProcedure(handle: handle, value: value)
    }
  }
}

extension ATTOpcode {
  /// The opcode of the response to this request, which is always the next number.
  var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }
}
