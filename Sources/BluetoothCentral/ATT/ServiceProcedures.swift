import BluetoothHost

/// Every primary service.
///
/// Core Specification, Vol 3, Part G, 4.4.1.
struct DiscoverAllServicesProcedure: Procedure {
  private var remaining = AttributeHandleRange.all
  private var found: [RemoteService] = []

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    .request(mtu) {
      ReadByGroupTypeRequest(range: remaining, type: .primaryService).write(to: &$0)
    }
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    guard var groups = ReadByGroupTypeResponse(ByteReader(parameters)) else {
      return .wrong(.malformed(.readByGroupTypeResponse))
    }
    while let group = groups.next() {
      var value = ByteReader(group.value)
      guard let uuid = BluetoothUUID(&value, byteCount: value.count) else {
        return .wrong(.malformed(.readByGroupTypeResponse))
      }
      guard remaining.contains(group.range) else { return .wrong(.outOfOrder(group.range.start)) }
      found.append(RemoteService(uuid: uuid, range: group.range))
      guard group.range.end != .last else { return .done(.services(found)) }
      remaining.start = group.range.end.following
    }
    return begin(mtu)
  }

  func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    error.code == .attributeNotFound ? .done(.services(found)) : .failed(.refused(error))
  }
}

/// The primary services of one kind.
///
/// Core Specification, Vol 3, Part G, 4.4.2.
struct DiscoverServicesByUUIDProcedure: Procedure {
  let uuid: BluetoothUUID
  private var remaining = AttributeHandleRange.all
  private var found: [RemoteService] = []

  init(uuid: BluetoothUUID) {
    self.uuid = uuid
  }

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    let value = [UInt8].written(upTo: 16) { uuid.write(to: &$0) }
    return .request(mtu) {
      FindByTypeValueRequest(range: remaining, type: 0x2800, value: value.span).write(to: &$0)
    }
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    guard var ranges = FindByTypeValueResponse(ByteReader(parameters)) else {
      return .wrong(.malformed(.findByTypeValueResponse))
    }
    while let range = ranges.next() {
      guard remaining.contains(range) else { return .wrong(.outOfOrder(range.start)) }
      found.append(RemoteService(uuid: uuid, range: range))
      guard range.end != .last else { return .done(.services(found)) }
      remaining.start = range.end.following
    }
    return begin(mtu)
  }

  func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    error.code == .attributeNotFound ? .done(.services(found)) : .failed(.refused(error))
  }
}

extension AttributeHandleRange {
  /// Whether `other` makes sense and lies within.
  func contains(_ other: AttributeHandleRange) -> Bool {
    other.isValid && other.start >= start && other.end <= end
  }

  /// Whether `handle` lies within.
  func contains(_ handle: AttributeHandle) -> Bool {
    handle >= start && handle <= end
  }
}
