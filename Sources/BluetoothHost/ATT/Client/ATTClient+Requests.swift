// The requests of each operation.
extension ATTClient {
  /// The opcode of the request under way.
  func requestOpcode(of operation: ClientOperation) -> ATTOpcode {
    switch operation {
    case .exchangeMTU: .exchangeMTURequest
    case .discoverServices: .readByGroupTypeRequest
    case .discoverServicesByUUID: .findByTypeValueRequest
    case .discoverIncludedServices, .discoverCharacteristics, .readByUUID: .readByTypeRequest
    case .discoverDescriptors: .findInformationRequest
    case .read: stage == .continuing ? .readBlobRequest : .readRequest
    case .readMultiple(_, let isVariable):
      isVariable ? .readMultipleVariableRequest : .readMultipleRequest
    case .write:
      // No table of stages, which the linker would keep in programs without a client.
      if stage.rawValue < Stage.preparing.rawValue {
        .writeRequest
      } else {
        stage == .preparing ? .prepareWriteRequest : .executeWriteRequest
      }
    case .writeWithoutResponse: .writeCommand
    case .subscribe: .writeRequest
    }
  }

  /// Writes the request to `storage`, whose zeros stay where the application writes too little.
  /// Returns its length.
  func write<Application: ClientApplication & ~Copyable>(
    _ operation: ClientOperation, at index: Int, _ application: borrowing Application,
    to storage: consuming MutableSpan<UInt8>
  ) -> Int {
    let value = applicationValue(of: operation)
    let length = value.map { $0.headerLength + $0.count }
    var writer = ByteWriter(storage, limit: length ?? 517)
    writeHeader(of: operation, to: &writer)
    guard let value else { return writer.count }
    application.writeValue(from: value.offset, at: index, into: &writer)
    return value.headerLength + value.count
  }

  /// Writes the request under way up to the application's value.
  private func writeHeader(of operation: ClientOperation, to writer: inout ByteWriter) {
    switch operation {
    case .exchangeMTU: ExchangeMTURequest(clientReceiveMTU: maximumMTU).write(to: &writer)
    case .discoverServices:
      ReadByGroupTypeRequest(range: remaining(of: operation), type: .primaryService).write(
        to: &writer)
    case .discoverServicesByUUID(let uuid):
      writer.write(ATTOpcode.findByTypeValueRequest.rawValue)
      remaining(of: operation).write(to: &writer)
      writer.write(UInt16(0x2800))
      uuid.write(to: &writer)
    case .discoverIncludedServices:
      ReadByTypeRequest(range: remaining(of: operation), type: .include).write(to: &writer)
    case .discoverCharacteristics:
      ReadByTypeRequest(range: remaining(of: operation), type: .characteristic).write(to: &writer)
    case .discoverDescriptors:
      FindInformationRequest(range: remaining(of: operation)).write(to: &writer)
    case .read(let handle):
      if stage == .continuing {
        ReadBlobRequest(handle: handle, offset: position).write(to: &writer)
      } else {
        ReadRequest(handle: handle).write(to: &writer)
      }
    case .readByUUID(let uuid): ReadByTypeRequest(range: .all, type: uuid).write(to: &writer)
    case .readMultiple: writer.write(requestOpcode(of: operation).rawValue)
    case .write where stage == .executing || stage == .cancelling:
      ExecuteWriteRequest(writes: stage == .executing).write(to: &writer)
    case .write(let handle, _), .writeWithoutResponse(let handle, _):
      writer.write(requestOpcode(of: operation).rawValue)
      writer.write(handle.rawValue)
      if stage == .preparing { writer.write(position) }
    case .subscribe(let handle, let configuration):
      writer.write(ATTOpcode.writeRequest.rawValue)
      writer.write(handle.rawValue)
      writer.write(configuration.rawValue)
    }
  }

  /// The part of the application's value in the request under way; `nil` for none.
  private func applicationValue(of operation: ClientOperation) -> (
    headerLength: Int, offset: Int, count: Int
  )? {
    switch operation {
    case .readMultiple(let byteCount, _):
      // 1: the opcode.
      return (1, 0, byteCount)
    case .writeWithoutResponse(_, let byteCount): return (Self.writeHeaderLength, 0, byteCount)
    case .write(_, let byteCount):
      switch stage {
      case .first, .continuing: return (Self.writeHeaderLength, 0, byteCount)
      case .preparing: return (Self.prepareHeaderLength, Int(position), partLength(of: byteCount))
      case .executing, .cancelling: return nil
      }
    default: return nil
    }
  }

  /// The rest of the operation's range.
  func remaining(of operation: ClientOperation) -> AttributeHandleRange {
    let end =
      switch operation {
      case .discoverIncludedServices(let range), .discoverCharacteristics(let range),
        .discoverDescriptors(let range):
        range.end
      default: AttributeHandle.last
      }
    return AttributeHandleRange(start: AttributeHandle(rawValue: position), end: end)
  }

  /// Whether the operation has a request: a discovery in an empty range has none.
  func hasRequest(_ operation: ClientOperation) -> Bool {
    switch operation {
    case .discoverServices, .discoverServicesByUUID, .discoverIncludedServices,
      .discoverCharacteristics, .discoverDescriptors:
      remaining(of: operation).isValid
    case .exchangeMTU: !hasExchangedMTU
    default: true
    }
  }

  /// The length of the part at `position` of a value of `byteCount` bytes.
  func partLength(of byteCount: Int) -> Int {
    min(Int(mtu) - Self.prepareHeaderLength, byteCount - Int(position))
  }
}

extension ClientOperation {
  /// Whether its parameters are valid.
  var isPossible: Bool {
    switch self {
    case .write(_, let byteCount), .writeWithoutResponse(_, let byteCount): byteCount >= 0
    case .readMultiple(let byteCount, _): byteCount >= 4 && byteCount & 1 == 0
    default: true
    }
  }

  /// Its initial position: the first handle of its range, or the first byte of a value.
  var firstPosition: UInt16 {
    switch self {
    case .discoverServices, .discoverServicesByUUID: AttributeHandle.first.rawValue
    case .discoverIncludedServices(let range), .discoverCharacteristics(let range),
      .discoverDescriptors(let range):
      range.start.rawValue
    default: 0
    }
  }
}
