// The handles of each response lie in the requested range, in rising order: otherwise a server
// that repeats itself would keep the discovery running for ever.
extension ATTClient {
  /// The services of a Read By Group Type Response: Vol 3, Part G, 4.4.1.
  mutating func found<Application: ClientApplication & ~Copyable>(
    services parameters: Span<UInt8>, at index: Int, _ application: inout Application
  ) -> Step {
    guard var groups = ReadByGroupTypeResponse(ByteReader(parameters)) else {
      return wrong(.malformed(.readByGroupTypeResponse))
    }
    while let group = groups.next() {
      var value = ByteReader(group.value)
      guard let uuid = BluetoothUUID(&value, byteCount: value.count) else {
        return wrong(.malformed(.readByGroupTypeResponse))
      }
      if let error = pass(group.range) { return wrong(error) }
      application.found(RemoteService(uuid: uuid, range: group.range), at: index)
      if group.range.end == .last { return .end(nil) }
    }
    return .next
  }

  /// The services of a Find By Type Value Response: Vol 3, Part G, 4.4.2.
  mutating func found<Application: ClientApplication & ~Copyable>(
    ranges parameters: Span<UInt8>, of uuid: BluetoothUUID, at index: Int,
    _ application: inout Application
  ) -> Step {
    guard var ranges = FindByTypeValueResponse(ByteReader(parameters)) else {
      return wrong(.malformed(.findByTypeValueResponse))
    }
    while let range = ranges.next() {
      if let error = pass(range) { return wrong(error) }
      application.found(RemoteService(uuid: uuid, range: range), at: index)
      if range.end == .last { return .end(nil) }
    }
    return .next
  }

  /// The references of a Read By Type Response: Vol 3, Part G, 4.5.1.
  mutating func found<Application: ClientApplication & ~Copyable>(
    includes parameters: Span<UInt8>, in range: AttributeHandleRange, at index: Int,
    _ application: inout Application
  ) -> Step {
    guard var references = ReadByTypeResponse(ByteReader(parameters)) else {
      return wrong(.malformed(.readByTypeResponse))
    }
    while let reference = references.next() {
      var value = ByteReader(reference.value)
      guard let included = AttributeHandleRange(&value), included.isValid,
        value.isEmpty || value.count == 2
      else { return wrong(.malformed(.readByTypeResponse)) }
      let uuid = BluetoothUUID(&value, byteCount: value.count)
      let isLast = reference.handle == range.end
      if let error = pass(reference.handle, to: range.end) { return wrong(error) }
      application.found(
        RemoteInclude(declaration: reference.handle, range: included, uuid: uuid), at: index)
      if isLast { return .end(nil) }
    }
    return .next
  }

  /// The characteristics of a Read By Type Response: Vol 3, Part G, 4.6.1.
  mutating func found<Application: ClientApplication & ~Copyable>(
    characteristics parameters: Span<UInt8>, in range: AttributeHandleRange, at index: Int,
    _ application: inout Application
  ) -> Step {
    guard var declarations = ReadByTypeResponse(ByteReader(parameters)) else {
      return wrong(.malformed(.readByTypeResponse))
    }
    while let declaration = declarations.next() {
      var reader = ByteReader(declaration.value)
      guard let properties = reader.readUInt8(), let value = AttributeHandle(&reader),
        let uuid = BluetoothUUID(&reader, byteCount: reader.count)
      else { return wrong(.malformed(.readByTypeResponse)) }
      if let error = pass(declaration.handle, to: range.end) { return wrong(error) }
      // A characteristic's value follows its declaration.
      guard declaration.handle < range.end else { return wrong(.outOfOrder(value)) }
      if let error = pass(value, to: range.end) { return wrong(error) }
      application.found(
        RemoteCharacteristic(
          uuid: uuid, properties: GATTProperties(rawValue: properties),
          declaration: declaration.handle, value: value), at: index)
      if value == range.end { return .end(nil) }
    }
    return .next
  }

  /// The attributes of a Find Information Response: Vol 3, Part G, 4.7.1.
  mutating func found<Application: ClientApplication & ~Copyable>(
    descriptors parameters: Span<UInt8>, in range: AttributeHandleRange, at index: Int,
    _ application: inout Application
  ) -> Step {
    guard var attributes = FindInformationResponse(ByteReader(parameters)) else {
      return wrong(.malformed(.findInformationResponse))
    }
    while let (handle, type) = attributes.next() {
      if let error = pass(handle, to: range.end) { return wrong(error) }
      application.found(RemoteDescriptor(uuid: type, handle: handle), at: index)
      if handle == range.end { return .end(nil) }
    }
    return .next
  }

  /// Continues after a service.
  private mutating func pass(_ range: AttributeHandleRange) -> ResponseError? {
    guard range.isValid, range.start.rawValue >= position else { return .outOfOrder(range.start) }
    return pass(range.end, to: .last)
  }

  /// Continues after `handle` in a range that ends at `end`. Returns a fault if it is out of order.
  private mutating func pass(_ handle: AttributeHandle, to end: AttributeHandle) -> ResponseError? {
    guard handle.rawValue >= position, handle <= end else { return .outOfOrder(handle) }
    // After handle 0xFFFF the position wraps to 0, and the discovery ends.
    position = handle.rawValue &+ 1
    return nil
  }
}
