// Handles the responses to the requests of each operation.
extension ATTClient {
  /// Takes the parameters of the response to the request under way.
  mutating func receive<Application: ClientApplication & ~Copyable>(
    _ parameters: Span<UInt8>, to operation: ClientOperation, on connection: inout Connection,
    _ application: inout Application
  ) -> Step {
    let index = connection.index
    switch operation {
    case .exchangeMTU: return exchanged(parameters, on: &connection)
    case .discoverServices: return found(services: parameters, at: index, &application)
    case .discoverServicesByUUID(let uuid):
      return found(ranges: parameters, of: uuid, at: index, &application)
    case .discoverIncludedServices(let range):
      return found(includes: parameters, in: range, at: index, &application)
    case .discoverCharacteristics(let range):
      return found(characteristics: parameters, in: range, at: index, &application)
    case .discoverDescriptors(let range):
      return found(descriptors: parameters, in: range, at: index, &application)
    case .read: return read(parameters, at: index, &application)
    case .readByUUID:
      guard var values = ReadByTypeResponse(ByteReader(parameters)), let first = values.next()
      else { return wrong(.malformed(.readByTypeResponse)) }
      application.read(first.value, from: 0, at: index)
      return .end(nil)
    case .readMultiple:
      application.read(parameters, from: 0, at: index)
      return .end(nil)
    case .write(let handle, let byteCount):
      return wrote(parameters, handle, byteCount, at: index, application)
    case .subscribe: return parameters.isEmpty ? .end(nil) : wrong(.malformed(.writeResponse))
    case .writeWithoutResponse:
      // It has no response.
      return .end(nil)
    }
  }

  /// Takes an Error Response to the request under way.
  mutating func receive(_ error: ErrorResponse, to operation: ClientOperation) -> Step {
    switch operation {
    case .exchangeMTU:
      // A server without this request keeps the current MTU: Vol 3, Part G, 4.3.1.
      if error.code == .requestNotSupported { return .end(nil) }
    case .discoverServices, .discoverServicesByUUID, .discoverIncludedServices,
      .discoverCharacteristics, .discoverDescriptors:
      if error.code == .attributeNotFound { return .end(nil) }
    case .read:
      // A value may end exactly where the last response ended.
      if stage == .continuing, error.code == .attributeNotLong || error.code == .invalidOffset {
        return .end(nil)
      }
    case .write:
      // The server has queued nothing yet.
      if stage == .preparing, position == 0 { return .end(.refused(error)) }
    case .readByUUID, .readMultiple, .writeWithoutResponse, .subscribe: break
    }
    return fail(.refused(error))
  }

  private func exchanged(_ parameters: Span<UInt8>, on connection: inout Connection) -> Step {
    var reader = ByteReader(parameters)
    guard let response = ExchangeMTUResponse(&reader) else {
      return .end(.wrongResponse(.malformed(.exchangeMTUResponse)))
    }
    let maximum = ATTMTU(Int(maximumMTU)) ?? .minimum
    connection.mtu = maximum.agreed(with: response.serverReceiveMTU)
    return .end(nil)
  }

  /// Takes a part; more follows a full response: Vol 3, Part G, 4.8.1 and 4.8.3.
  private mutating func read<Application: ClientApplication & ~Copyable>(
    _ part: Span<UInt8>, at index: Int, _ application: inout Application
  ) -> Step {
    let count = Int(position) + part.count
    guard count <= maximumAttributeValueLength else { return wrong(.valueTooLong) }
    application.read(part, from: Int(position), at: index)
    // 1: the opcode.
    guard part.count >= Int(mtu) - 1, count < maximumAttributeValueLength else { return .end(nil) }
    position = UInt16(truncatingIfNeeded: count)
    stage = .continuing
    return .next
  }

  /// Continues after a write, prepare or execute response: Vol 3, Part G, 4.9.3 and 4.9.4.
  private mutating func wrote<Application: ClientApplication & ~Copyable>(
    _ parameters: Span<UInt8>, _ handle: AttributeHandle, _ byteCount: Int, at index: Int,
    _ application: borrowing Application
  ) -> Step {
    switch stage {
    case .first, .continuing:
      return parameters.isEmpty ? .end(nil) : wrong(.malformed(.writeResponse))
    case .executing:
      return parameters.isEmpty ? .end(nil) : wrong(.malformed(.executeWriteResponse))
    case .cancelling: return .end(failure)
    case .preparing:
      guard let echo = PrepareWrite(ByteReader(parameters)) else {
        return wrong(.malformed(.prepareWriteResponse))
      }
      let length = partLength(of: byteCount)
      guard echo.handle == handle, echo.offset == position,
        isEcho(echo.value, length, at: index, application)
      else { return wrong(.echoDiffers(offset: Int(position))) }
      position += UInt16(truncatingIfNeeded: length)
      if Int(position) == byteCount { stage = .executing }
      return .next
    }
  }

  /// Whether `part` equals the `length` bytes of the application's value at `position`.
  private func isEcho<Application: ClientApplication & ~Copyable>(
    _ part: Span<UInt8>, _ length: Int, at index: Int, _ application: borrowing Application
  ) -> Bool {
    var lent = InlineArray<512, UInt8>(repeating: 0)
    var writer = ByteWriter(lent.mutableSpan, limit: length)
    application.writeValue(from: Int(position), at: index, into: &writer)
    return part.hasSameBytes(as: lent.span.extracting(first: length))
  }
}
