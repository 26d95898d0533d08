import BluetoothHost

// What a session shows of a peripheral's database.
extension DeviceCopy {
  /// What the central of `links` has discovered and read, all links together.
  init(_ links: [Transcript.Link], of device: NearbyDevice?) {
    self.device = device
    for exchange in links.flatMap(\.exchanges) {
      noteProtection(exchange)
      noteFindings(exchange)
      noteRead(exchange)
    }
    found.types.sort { $0.handle < $1.handle }
    // A client reads the UUID of a secondary service from its declaration.
    for start in found.secondaryServices {
      guard let value = values[start.rawValue] else { continue }
      var reader = ByteReader(value.span)
      guard let uuid = BluetoothUUID(&reader, byteCount: value.count) else { continue }
      noteService(
        .secondaryService, uuid,
        AttributeHandleRange(start: start, end: found.end(ofServiceAt: start)))
    }
    found.services.sort { $0.range.start < $1.range.start }
    found.includes.sort { $0.declaration < $1.declaration }
    found.characteristics.sort { $0.declaration < $1.declaration }
  }

  /// Notes the values that were read, if they are the first.
  private mutating func noteRead(_ exchange: Transcript.Exchange) {
    for (handle, value) in exchange.readValues where values[handle] == nil {
      values[handle] = value
    }
    var request = ByteReader(exchange.pdu.span)
    guard exchange.opcode == .readBlobRequest, request.readUInt8() != nil,
      let blob = ReadBlobRequest(&request), let value = values[blob.handle.rawValue],
      value.count == Int(blob.offset)
    else { return }
    values[blob.handle.rawValue] = value + exchange.response.dropFirst()
  }

  private mutating func note(_ type: BluetoothUUID, at handle: AttributeHandle) {
    if found.type(at: handle) == nil {
      found.types.append(RemoteDescriptor(uuid: type, handle: handle))
    }
  }

  private mutating func noteService(
    _ type: BluetoothUUID, _ uuid: BluetoothUUID, _ range: AttributeHandleRange
  ) {
    guard !found.services.contains(where: { $0.range.start == range.start }) else { return }
    note(type, at: range.start)
    found.services.append(RemoteService(uuid: uuid, range: range))
  }

  private mutating func noteProtection(_ exchange: Transcript.Exchange) {
    // SessionRecord has the protection of writes.
    guard let error = exchange.error, exchange.opcode == .readRequest else { return }
    let handle = error.handle.rawValue
    if error.code.wantsProtection {
      protected[handle] = exchange.isEncrypted ? .authenticated : .encrypted
    } else {
      refusals[handle] = error.code
    }
  }

  private mutating func noteFindings(_ exchange: Transcript.Exchange) {
    var request = ByteReader(exchange.pdu.span)
    var response = ByteReader(exchange.response.span)
    _ = request.readUInt8()
    switch response.readUInt8().map({ ATTOpcode(rawValue: $0) }) {
    case .readByGroupTypeResponse?:
      guard let parameters = ReadByGroupTypeRequest(&request)?.parameters,
        var groups = ReadByGroupTypeResponse(response)
      else { return }
      while let group = groups.next() {
        var value = ByteReader(group.value)
        guard let uuid = BluetoothUUID(&value, byteCount: value.count) else { return }
        noteService(parameters.type, uuid, group.range)
      }
    case .findByTypeValueResponse?:
      guard let search = FindByTypeValueRequest(request), search.type == 0x2800,
        var ranges = FindByTypeValueResponse(response)
      else { return }
      var value = ByteReader(search.value)
      guard let uuid = BluetoothUUID(&value, byteCount: value.count) else { return }
      while let range = ranges.next() { noteService(.primaryService, uuid, range) }
    case .readByTypeResponse?:
      guard let type = ReadByTypeRequest(&request)?.type, var entries = ReadByTypeResponse(response)
      else { return }
      while let entry = entries.next() { noteEntry(type, entry.handle, entry.value) }
    case .findInformationResponse?:
      guard var entries = FindInformationResponse(response) else { return }
      while let (handle, type) = entries.next() { note(type, at: handle) }
    default: break
    }
  }

  /// Notes an entry of a Read By Type Response.
  private mutating func noteEntry(
    _ type: BluetoothUUID, _ handle: AttributeHandle, _ value: Span<UInt8>
  ) {
    var reader = ByteReader(value)
    switch type {
    case .include:
      guard !found.includes.contains(where: { $0.declaration == handle }),
        let range = AttributeHandleRange(&reader)
      else { return }
      note(type, at: handle)
      found.includes.append(
        RemoteInclude(
          declaration: handle, range: range,
          uuid: BluetoothUUID(&reader, byteCount: reader.count)))
    case .characteristic:
      guard !found.characteristics.contains(where: { $0.declaration == handle }),
        let properties = reader.readUInt8(), let place = AttributeHandle(&reader),
        let uuid = BluetoothUUID(&reader, byteCount: reader.count)
      else { return }
      note(type, at: handle)
      note(uuid, at: place)
      found.characteristics.append(
        RemoteCharacteristic(
          uuid: uuid, properties: GATTProperties(rawValue: properties), declaration: handle,
          value: place))
    default: break
    }
  }
}

extension Transcript.Exchange {
  /// The values that a Read Request, Read Multiple Variable Request or Read By Type Request got, with their handles.
  var readValues: [(UInt16, [UInt8])] {
    var request = ByteReader(pdu.span)
    var reader = ByteReader(response.span)
    _ = request.readUInt8()
    switch reader.readUInt8().map({ ATTOpcode(rawValue: $0) }) {
    case .readResponse?:
      return request.readUInt16().map { [($0, [UInt8](reader.readRemaining()))] } ?? []
    case .readMultipleVariableResponse?:
      var values: [(UInt16, [UInt8])] = []
      while let handle = request.readUInt16(), let length = reader.readUInt16(),
        let value = reader.readBytes(Int(length))
      {
        values.append((handle, [UInt8](value)))
      }
      return values
    case .readByTypeResponse?:
      guard let type = ReadByTypeRequest(&request)?.type, type != .include, type != .characteristic,
        var entries = ReadByTypeResponse(reader)
      else { return [] }
      var values: [(UInt16, [UInt8])] = []
      while let entry = entries.next() {
        values.append((entry.handle.rawValue, [UInt8](entry.value)))
      }
      return values
    default: return []
    }
  }
}
