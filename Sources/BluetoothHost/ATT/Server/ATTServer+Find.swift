// Finding attributes: Core Specification, Vol 3, Part F, 3.4.3 and 3.4.4.9.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// The indices of the attributes in `range`. Index 0 has the handle 0x0001.
  @inline(__always) func indices(in range: AttributeHandleRange) throws(ATTRefusal) -> Range<Int> {
    guard range.isValid else { throw ATTRefusal(.invalidHandle, at: range.start) }
    let end = min(Int(range.end.rawValue), database.attributes.count)
    let start = min(Int(range.start.rawValue) - 1, end)
    return start..<end
  }

  func handle(at index: Int) -> AttributeHandle {
    AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
  }

  /// Answers Find Information with handles and types of one length: Vol 3, Part F, 3.4.3.1.
  func findInformation(_ reader: consuming ByteReader, response: inout ByteWriter)
    throws(ATTRefusal)
  {
    guard let request = FindInformationRequest(&reader) else { throw ATTRefusal(.invalidPDU) }
    let attributes = database.attributes
    var uuidLength = 0
    for index in try indices(in: request.range) where !attributes[index].isVacant {
      let type = attributes[index].type
      if uuidLength == 0 {
        uuidLength = type.byteCount
        response.write(ATTOpcode.findInformationResponse.rawValue)
        response.write(UInt8(uuidLength == 2 ? 1 : 2))
      }
      guard type.byteCount == uuidLength, response.freeCapacity >= 2 + uuidLength else { break }
      response.write(handle(at: index).rawValue)
      type.write(to: &response)
    }
    guard uuidLength != 0 else { throw ATTRefusal(.attributeNotFound, at: request.range.start) }
  }

  /// Answers Find By Type Value, which finds a service: Vol 3, Part F, 3.4.3.3.
  mutating func findByTypeValue(
    _ reader: consuming ByteReader, at connectionIndex: Int, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let request = FindByTypeValueRequest(reader) else { throw ATTRefusal(.invalidPDU) }
    let type = BluetoothUUID(request.type)
    response.write(ATTOpcode.findByTypeValueResponse.rawValue)
    for index in try indices(in: request.range) where database.attributes[index].isOf(type) {
      let found = handle(at: index)
      do throws(ATTRefusal) { try load(found, at: connectionIndex) } catch {
        guard error.code != nil else { throw error }
        // An unreadable attribute has no value to compare.
        continue
      }
      guard
        scratch.span.hasSameBytes(as: request.value)
          || database.attributes[index].value.isService(request.value)
      else { continue }
      guard response.freeCapacity >= 4 else { break }
      response.write(found.rawValue)
      response.write(database.attributes[index].groupEnd.rawValue)
    }
    guard response.count > 1 else { throw ATTRefusal(.attributeNotFound, at: request.range.start) }
  }

  /// Answers Read By Group Type, which lists services: Core Specification, Vol 3, Part F, 3.4.4.9.
  func readByGroupType(_ reader: consuming ByteReader, response: inout ByteWriter)
    throws(ATTRefusal)
  {
    guard let request = ReadByGroupTypeRequest(&reader)?.parameters else {
      throw ATTRefusal(.invalidPDU)
    }
    let indices = try indices(in: request.range)
    guard request.type == .primaryService || request.type == .secondaryService else {
      throw ATTRefusal(.unsupportedGroupType, at: request.range.start)
    }
    let attributes = database.attributes
    var uuidLength = 0
    for index in indices where attributes[index].type == request.type {
      guard case .service(let uuid) = attributes[index].value else { continue }
      if uuidLength == 0 {
        uuidLength = uuid.byteCount
        response.write(ATTOpcode.readByGroupTypeResponse.rawValue)
        response.write(UInt8(truncatingIfNeeded: 4 + uuidLength))
      }
      guard uuid.byteCount == uuidLength, response.freeCapacity >= 4 + uuidLength else { break }
      response.write(handle(at: index).rawValue)
      response.write(attributes[index].groupEnd.rawValue)
      uuid.write(to: &response)
    }
    guard uuidLength != 0 else { throw ATTRefusal(.attributeNotFound, at: request.range.start) }
  }
}

extension Attribute.Value {
  /// Whether it declares the service with the UUID in `bytes`, which may have either form.
  fileprivate func isService(_ bytes: Span<UInt8>) -> Bool {
    var reader = ByteReader(bytes)
    guard case .service(let uuid) = self,
      let wanted = BluetoothUUID(&reader, byteCount: bytes.count)
    else { return false }
    return uuid == wanted
  }
}
