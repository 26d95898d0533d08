import BluetoothHost

/// The services that a service includes.
///
/// Core Specification, Vol 3, Part G, 4.5.1. A reference holds the UUID only if that has a 16-bit
/// form; any other is read from the service's declaration. Whether the service is a primary one is
/// told by the declaration's type, which is asked for of each.
struct DiscoverIncludedServicesProcedure: Procedure {
  private var remaining: AttributeHandleRange
  private var found: [RemoteService] = []
  /// How many of `found` are known whole.
  private var knownCount = 0
  private var stage = Stage.finding

  private enum Stage {
    /// The references are asked for.
    case finding
    /// The type of a service's declaration is asked for.
    case readingType
    /// The value of a service's declaration is asked for.
    case readingUUID
  }

  init(range: AttributeHandleRange) {
    remaining = range
  }

  mutating func begin(_ mtu: ATTMTU) -> ProcedureStep {
    guard remaining.isValid else { return next(mtu) }
    return .request(mtu) { ReadByTypeRequest(range: remaining, type: .include).write(to: &$0) }
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    switch stage {
    case .finding: receiveReferences(parameters, mtu)
    case .readingType: receiveType(parameters, mtu)
    case .readingUUID: receiveUUID(parameters, mtu)
    }
  }

  mutating func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    guard case .finding = stage, error.code == .attributeNotFound else {
      return .failed(.refused(error))
    }
    return next(mtu)
  }

  private mutating func receiveReferences(
    _ parameters: Span<UInt8>, _ mtu: ATTMTU
  ) -> ProcedureStep {
    guard var references = ReadByTypeResponse(ByteReader(parameters)) else {
      return .wrong(.malformed(.readByTypeResponse))
    }
    while let reference = references.next() {
      var value = ByteReader(reference.value)
      guard let range = AttributeHandleRange(&value), range.isValid,
        value.isEmpty || value.count == 2
      else { return .wrong(.malformed(.readByTypeResponse)) }
      guard remaining.contains(reference.handle) else {
        return .wrong(.outOfOrder(reference.handle))
      }
      // No UUID has the number 0: it marks one that is still to be read.
      let uuid = BluetoothUUID(&value, byteCount: 2) ?? Self.unknown
      found.append(RemoteService(uuid: uuid, range: range))
      guard reference.handle < remaining.end else { return next(mtu) }
      remaining.start = reference.handle.following
    }
    return begin(mtu)
  }

  /// Asks for what is still unknown of the services found.
  private mutating func next(_ mtu: ATTMTU) -> ProcedureStep {
    guard knownCount < found.count else { return .done(.includedServices(found)) }
    stage = .readingType
    let handle = found[knownCount].range.start
    return .request(mtu) {
      FindInformationRequest(range: AttributeHandleRange(start: handle, end: handle))
        .write(to: &$0)
    }
  }

  private mutating func receiveType(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    guard knownCount < found.count,
      var attributes = FindInformationResponse(ByteReader(parameters)),
      let (handle, type) = attributes.next()
    else { return .wrong(.malformed(.findInformationResponse)) }
    guard handle == found[knownCount].range.start else { return .wrong(.outOfOrder(handle)) }
    found[knownCount].isPrimary = type == .primaryService
    guard found[knownCount].uuid == Self.unknown else {
      knownCount += 1
      return next(mtu)
    }
    stage = .readingUUID
    return .request(mtu) { ReadRequest(handle: handle).write(to: &$0) }
  }

  private mutating func receiveUUID(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    var reader = ByteReader(parameters)
    guard knownCount < found.count,
      let uuid = BluetoothUUID(&reader, byteCount: parameters.count)
    else { return .wrong(.malformed(.readResponse)) }
    found[knownCount].uuid = uuid
    knownCount += 1
    return next(mtu)
  }

  private static let unknown = BluetoothUUID(high: 0, low: 0)
}
