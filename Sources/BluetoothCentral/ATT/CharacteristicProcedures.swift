import BluetoothHost

/// The characteristics of a service.
///
/// Core Specification, Vol 3, Part G, 4.6.1.
struct DiscoverCharacteristicsProcedure: Procedure {
  private var remaining: AttributeHandleRange
  private var found: [RemoteCharacteristic] = []

  init(range: AttributeHandleRange) {
    remaining = range
  }

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    guard remaining.isValid else { return .done(.characteristics(found)) }
    return .request(mtu) {
      ReadByTypeRequest(range: remaining, type: .characteristic).write(to: &$0)
    }
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    guard var declarations = ReadByTypeResponse(ByteReader(parameters)) else {
      return .wrong(.malformed(.readByTypeResponse))
    }
    while let declaration = declarations.next() {
      var value = ByteReader(declaration.value)
      guard let properties = value.readUInt8(), let valueHandle = AttributeHandle(&value),
        let uuid = BluetoothUUID(&value, byteCount: value.count)
      else { return .wrong(.malformed(.readByTypeResponse)) }
      let handle = declaration.handle
      guard remaining.contains(handle) else { return .wrong(.outOfOrder(handle)) }
      guard valueHandle > handle, remaining.contains(valueHandle) else {
        return .wrong(.outOfOrder(valueHandle))
      }
      if let last = found.indices.last { found[last].end = handle.preceding }
      found.append(
        RemoteCharacteristic(
          uuid: uuid, properties: GATTProperties(rawValue: properties),
          declaration: handle, value: valueHandle, end: remaining.end))
      guard valueHandle < remaining.end else { return .done(.characteristics(found)) }
      remaining.start = valueHandle.following
    }
    return begin(mtu)
  }

  func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    error.code == .attributeNotFound ? .done(.characteristics(found)) : .failed(.refused(error))
  }
}

/// The descriptors of a characteristic.
///
/// Core Specification, Vol 3, Part G, 4.7.1.
struct DiscoverDescriptorsProcedure: Procedure {
  private var remaining: AttributeHandleRange
  private var found: [RemoteDescriptor] = []

  init(range: AttributeHandleRange) {
    remaining = range
  }

  func begin(_ mtu: ATTMTU) -> ProcedureStep {
    guard remaining.isValid else { return .done(.descriptors(found)) }
    return .request(mtu) { FindInformationRequest(range: remaining).write(to: &$0) }
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    guard var attributes = FindInformationResponse(ByteReader(parameters)) else {
      return .wrong(.malformed(.findInformationResponse))
    }
    while let (handle, type) = attributes.next() {
      guard remaining.contains(handle) else { return .wrong(.outOfOrder(handle)) }
      found.append(RemoteDescriptor(uuid: type, handle: handle))
      guard handle < remaining.end else { return .done(.descriptors(found)) }
      remaining.start = handle.following
    }
    return begin(mtu)
  }

  func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    error.code == .attributeNotFound ? .done(.descriptors(found)) : .failed(.refused(error))
  }
}
