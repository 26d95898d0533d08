// Reading values: Core Specification, Vol 3, Part F, 3.4.4.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// Copies a whole value to `scratch`; the application may omit the bytes before `offset`.
  mutating func load(_ handle: AttributeHandle, from offset: Int = 0, at connectionIndex: Int)
    throws(ATTRefusal)
  {
    guard let attribute = database.attributes[handle], !attribute.isVacant else {
      throw ATTRefusal(.invalidHandle, at: handle)
    }
    if !attribute.isDeclaration {
      guard attribute.properties.contains(.read) else {
        throw ATTRefusal(.readNotPermitted, at: handle)
      }
      guard !bearers[connectionIndex].lacks(attribute.protection, for: .read) else {
        throw ATTRefusal(bearers[connectionIndex].securityError, at: handle)
      }
    }
    var writer = scratch.makeWriter()
    switch attribute.value {
    case .service, .include, .characteristic:
      attribute.writeDeclaration(at: handle, among: database.attributes, to: &writer)
    case .number(let number, let byteCount):
      for byte in 0..<byteCount {
        writer.write(UInt8(truncatingIfNeeded: number &>> UInt64(widening: UInt32(byte * 8))))
      }
    case .text(let text): text.writePrefix(to: &writer)
    case .deviceName: writer.write(deviceName.span)
    case .databaseHash: writer.write(database.hash.bytes.span)
    case .clientSupportedFeatures: writer.write(bearers[connectionIndex].clientFeatures)
    case .clientConfiguration(let slot):
      writer.write(bearers[connectionIndex].configurations[slot].rawValue)
    case .none, .vacant: break
    case .application(let attribute):
      do throws(GATTRefusal) {
        try application.read(attribute, at: connectionIndex, from: offset, into: &writer)
      } catch { throw ATTRefusal(error, at: handle) }
    }
    let count = writer.count
    scratch.keepWritten(count)
  }

  /// Answers Read: Core Specification, Vol 3, Part F, 3.4.4.3.
  mutating func read(
    _ reader: consuming ByteReader, at connectionIndex: Int, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let request = ReadRequest(&reader) else { throw ATTRefusal(.invalidPDU) }
    try load(request.handle, at: connectionIndex)
    response.write(ATTOpcode.readResponse.rawValue)
    response.writePrefix(of: scratch.span)
  }

  /// Answers Read Blob: Core Specification, Vol 3, Part F, 3.4.4.5.
  mutating func readBlob(
    _ reader: consuming ByteReader, at connectionIndex: Int, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let request = ReadBlobRequest(&reader) else { throw ATTRefusal(.invalidPDU) }
    let offset = Int(request.offset)
    try load(request.handle, from: offset, at: connectionIndex)
    guard offset <= scratch.count else { throw ATTRefusal(.invalidOffset, at: request.handle) }
    response.write(ATTOpcode.readBlobResponse.rawValue)
    response.writePrefix(of: scratch.span.extracting(offset..<scratch.count))
  }

  /// Answers Read By Type with values of one length: Core Specification, Vol 3, Part F, 3.4.4.1.
  mutating func readByType(
    _ reader: consuming ByteReader, at connectionIndex: Int, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let request = ReadByTypeRequest(&reader) else { throw ATTRefusal(.invalidPDU) }
    var valueLength: Int?
    for index in try indices(in: request.range) where database.attributes[index].isOf(request.type)
    {
      let found = handle(at: index)
      do throws(ATTRefusal) { try load(found, at: connectionIndex) } catch {
        // If the first attribute is unreadable, the request fails; a later one ends the list.
        guard valueLength != nil, error.code != nil else { throw error }
        break
      }
      // Handle and value are at most 255 bytes, and fit a response after opcode and length.
      let length = min(scratch.count, min(response.limit - 4, 253))
      if valueLength == nil {
        valueLength = length
        response.write(ATTOpcode.readByTypeResponse.rawValue)
        response.write(UInt8(truncatingIfNeeded: 2 + length))
      }
      guard length == valueLength, response.freeCapacity >= 2 + length else { break }
      response.write(found.rawValue)
      response.write(scratch.span.extracting(first: length))
    }
    guard valueLength != nil else { throw ATTRefusal(.attributeNotFound, at: request.range.start) }
  }

  /// Answers Read Multiple: Vol 3, Part F, 3.4.4.7, or 3.4.4.11 with lengths.
  mutating func readMultiple(
    _ reader: consuming ByteReader, isVariable: Bool, at connectionIndex: Int,
    response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard var request = ReadMultipleRequest(reader) else { throw ATTRefusal(.invalidPDU) }
    let opcode: ATTOpcode = isVariable ? .readMultipleVariableResponse : .readMultipleResponse
    response.write(opcode.rawValue)
    // Every handle is checked, even if its value does not fit.
    while let handle = request.next() {
      try load(handle, at: connectionIndex)
      if isVariable {
        guard response.freeCapacity >= 2 else { continue }
        response.write(UInt16(truncatingIfNeeded: scratch.count))
      }
      response.writePrefix(of: scratch.span)
    }
  }
}
