import BluetoothHost

/// A whole value: the first bytes, then the rest in as many parts as it takes.
///
/// Core Specification, Vol 3, Part G, 4.8.1 and 4.8.3.
struct ReadProcedure: Procedure {
  let handle: AttributeHandle
  private var value: [UInt8] = []
  private var isFirst = true

  init(handle: AttributeHandle) {
    self.handle = handle
  }

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    .request(mtu) { ReadRequest(handle: handle).write(to: &$0) }
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    isFirst = false
    value += [UInt8](parameters)
    guard value.count <= maximumAttributeValueLength else { return .wrong(.valueTooLong) }
    // A response that is not full is the last one. 1: the opcode.
    guard parameters.count >= mtu.byteCount - 1, value.count < maximumAttributeValueLength else {
      return .done(.value(value))
    }
    return .request(mtu) {
      ReadBlobRequest(handle: handle, offset: UInt16(value.count)).write(to: &$0)
    }
  }

  func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    // A value that just fills the first response may be said not to go on.
    let isEnd = error.code == .attributeNotLong || error.code == .invalidOffset
    return isEnd && !isFirst ? .done(.value(value)) : .failed(.refused(error))
  }
}

/// The value of the first attribute of a type, as far as it fits one response.
///
/// Core Specification, Vol 3, Part G, 4.8.2.
struct ReadFirstProcedure: Procedure {
  let type: BluetoothUUID

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    .request(mtu) { ReadByTypeRequest(range: .all, type: type).write(to: &$0) }
  }

  func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    guard var values = ReadByTypeResponse(ByteReader(parameters)), let first = values.next() else {
      return .wrong(.malformed(.readByTypeResponse))
    }
    return .done(.value([UInt8](first.value)))
  }
}

/// A value that fits one request.
///
/// Core Specification, Vol 3, Part G, 4.9.3.
struct WriteProcedure: Procedure {
  /// The opcode and the handle, which take their place in the MTU.
  static let headerLength = 3

  let handle: AttributeHandle
  let value: [UInt8]

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    .request(mtu) { WriteRequest(handle: handle, value: value.span).write(to: &$0) }
  }

  func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    parameters.isEmpty ? .done(.written) : .wrong(.malformed(.writeResponse))
  }
}

/// A value that fits no request: prepared part by part, then executed; or, if a part comes back
/// changed or is refused, given up, so that the server forgets the parts that it has.
///
/// Core Specification, Vol 3, Part G, 4.9.4 and 4.9.5.
struct LongWriteProcedure: Procedure {
  /// The opcode, the handle and the offset, which take their place in the MTU.
  static let headerLength = 5

  let handle: AttributeHandle
  let value: [UInt8]
  private var stage = Stage.preparing(0)

  private enum Stage {
    /// The part at this offset has been sent.
    case preparing(Int)
    /// All parts have been prepared.
    case executing
    /// The server is told to forget, and this is to be reported.
    case givingUp(OperationError)
  }

  init(handle: AttributeHandle, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }

  mutating func begin(_ mtu: ATTMTU) -> ProcedureStep {
    prepare(0, mtu)
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    switch stage {
    case .preparing(let offset):
      guard let echo = PrepareWrite(ByteReader(parameters)) else {
        return giveUp(.wrongResponse(.malformed(.prepareWriteResponse)), mtu)
      }
      let sent = part(offset, mtu)
      guard echo.handle == handle, Int(echo.offset) == offset, [UInt8](echo.value) == sent else {
        return giveUp(.wrongResponse(.echoDiffers(offset: offset)), mtu)
      }
      return prepare(offset + sent.count, mtu)
    case .executing:
      return parameters.isEmpty ? .done(.written) : .wrong(.malformed(.executeWriteResponse))
    case .givingUp(let error):
      return .failed(error)
    }
  }

  mutating func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    switch stage {
    case .preparing(0), .executing: .failed(.refused(error))
    case .preparing: giveUp(.refused(error), mtu)
    case .givingUp(let error): .failed(error)
    }
  }

  private mutating func prepare(_ offset: Int, _ mtu: ATTMTU) -> ProcedureStep {
    guard offset < value.count else {
      stage = .executing
      return .request(mtu) { ExecuteWriteRequest(writes: true).write(to: &$0) }
    }
    stage = .preparing(offset)
    let part = part(offset, mtu)
    return .request(mtu) {
      PrepareWrite(handle: handle, offset: UInt16(offset), value: part.span)
        .write(.prepareWriteRequest, to: &$0)
    }
  }

  private mutating func giveUp(_ error: OperationError, _ mtu: ATTMTU) -> ProcedureStep {
    stage = .givingUp(error)
    return .request(mtu) { ExecuteWriteRequest(writes: false).write(to: &$0) }
  }

  private func part(_ offset: Int, _ mtu: ATTMTU) -> [UInt8] {
    Array(value[offset...].prefix(mtu.byteCount - Self.headerLength))
  }
}
