// Writing values: Core Specification, Vol 3, Part F, 3.4.5 and 3.4.6.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// Handles Write Request and Write Command: Vol 3, Part F, 3.4.5. A refused command throws too.
  @inline(__always) mutating func write(
    _ pdu: Span<UInt8>, isCommand: Bool, on connection: borrowing Connection
  ) throws(ATTRefusal) {
    var reader = ByteReader(pdu)
    // A PDU longer than the MTU is malformed.
    guard reader.readUInt8() != nil, pdu.count <= connection.mtu.byteCount,
      let request = AttributeValue(reader)
    else { throw ATTRefusal(.invalidPDU) }
    let connectionIndex = connection.index
    let target = try writable(request.handle, isCommand: isCommand, at: connectionIndex)
    try store(request.value, to: target, request.handle, at: connectionIndex)
    guard case .application = target else { return }
    try endWrite(request.handle, isCommand: isCommand, at: connectionIndex)
  }

  private mutating func endWrite(
    _ handle: AttributeHandle, isCommand: Bool, at connectionIndex: Int
  ) throws(ATTRefusal) {
    do throws(GATTRefusal) {
      try application.endWrite(at: connectionIndex, isCommand: isCommand)
    } catch { throw ATTRefusal(error, at: handle) }
  }

  /// The attribute at `handle`, if the client may write it in this way.
  @inline(__always) private func writable(
    _ handle: AttributeHandle, isCommand: Bool, at connectionIndex: Int
  ) throws(ATTRefusal) -> Attribute.Value {
    let attributes = database.attributes
    let index = Int(handle.rawValue) - 1
    guard attributes.indices.contains(index), !attributes[index].isVacant else {
      throw ATTRefusal(.invalidHandle, at: handle)
    }
    let needed: GATTProperties = isCommand ? .writeWithoutResponse : .write
    guard attributes[index].allows(needed) else { throw ATTRefusal(.writeNotPermitted, at: handle) }
    guard !bearers[connectionIndex].lacks(attributes[index].protection, for: .write) else {
      throw ATTRefusal(bearers[connectionIndex].securityError, at: handle)
    }
    return attributes[index].value
  }

  /// `writable` for long values. They are rare, so its code is not inlined again.
  @inline(never) private func preparable(_ handle: AttributeHandle, at connectionIndex: Int)
    throws(ATTRefusal) -> Attribute.Value
  { try writable(handle, isCommand: false, at: connectionIndex) }

  private mutating func store(
    _ value: Span<UInt8>, to target: Attribute.Value, _ handle: AttributeHandle,
    at connectionIndex: Int
  ) throws(ATTRefusal) {
    guard value.count <= maximumAttributeValueLength else {
      throw ATTRefusal(.invalidAttributeValueLength, at: handle)
    }
    switch target {
    case .application(let attribute):
      do throws(GATTRefusal) {
        try application.write(value, to: attribute, at: connectionIndex)
      } catch { throw ATTRefusal(error, at: handle) }
    case .clientConfiguration(let slot): try configure(slot, handle, value, at: connectionIndex)
    case .clientSupportedFeatures:
      var reader = ByteReader(value)
      guard let features = reader.readUInt8() else {
        throw ATTRefusal(.invalidAttributeValueLength, at: handle)
      }
      // A client cannot withdraw a feature. Core Specification, Vol 3, Part G, 7.2.
      guard
        features & bearers[connectionIndex].clientFeatures
          == bearers[connectionIndex].clientFeatures
      else { throw ATTRefusal(.valueNotAllowed, at: handle) }
      bearers[connectionIndex].clientFeatures = features & 0b111
    default: throw ATTRefusal(.writeNotPermitted, at: handle)
    }
  }

  /// Writes a Client Characteristic Configuration: Core Specification, Vol 3, Part G, 3.3.3.3.
  private mutating func configure(
    _ slot: Int, _ handle: AttributeHandle, _ value: Span<UInt8>, at connectionIndex: Int
  ) throws(ATTRefusal) {
    var reader = ByteReader(value)
    guard value.count == 2, let bits = reader.readUInt16() else {
      throw ATTRefusal(.invalidAttributeValueLength, at: handle)
    }
    guard slot < ClientConfigurations.capacity else {
      throw ATTRefusal(.insufficientResources, at: handle)
    }
    let configuration = ClientConfiguration(rawValue: bits)
    let owner = owner(of: handle)
    guard let owner, configuration.isSupported(by: database.attributes[owner].properties) else {
      throw ATTRefusal(.cccdImproperlyConfigured, at: handle)
    }
    bearers[connectionIndex].configurations[slot] = configuration
    if case .application(let attribute) = database.attributes[owner].value {
      application.configurationChanged(of: attribute, at: connectionIndex, to: configuration)
    }
  }

  /// The index of the value that the descriptor at `handle` belongs to; `nil` for none.
  @inline(__always) func owner(of handle: AttributeHandle) -> Int? {
    let attributes = database.attributes
    // The descriptor's index is `handle` − 1; the value has a lower one.
    var index = Int(handle.rawValue) &- 2
    while index > 0 {
      if case .service = attributes[index].value { return nil }
      if case .characteristic = attributes[index &- 1].value { return index }
      index &-= 1
    }
    return nil
  }

  /// Queues a part and echoes it: Core Specification, Vol 3, Part F, 3.4.6.1.
  mutating func prepareWrite(
    _ reader: consuming ByteReader, at connectionIndex: Int, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let part = PrepareWrite(reader) else { throw ATTRefusal(.invalidPDU) }
    if case .application(let attribute) = try preparable(part.handle, at: connectionIndex) {
      do throws(GATTRefusal) {
        try application.prepareWrite(to: attribute, at: connectionIndex)
      } catch { throw ATTRefusal(error, at: part.handle) }
    }
    guard bearers[connectionIndex].prepared.append(part) else {
      throw ATTRefusal(.prepareQueueFull, at: part.handle)
    }
    part.write(.prepareWriteResponse, to: &response)
  }

  /// Executes the queued writes: Vol 3, Part F, 3.4.6.3. It checks every value for gaps and length
  /// before it writes the first. The application decides about a first part with an offset. The
  /// queue is emptied, unless the answer is put off.
  mutating func executeWrite(
    _ reader: consuming ByteReader, at connectionIndex: Int, response: inout ByteWriter
  ) throws(ATTRefusal) {
    guard let request = ExecuteWriteRequest(&reader) else { throw ATTRefusal(.invalidPDU) }
    do throws(ATTRefusal) {
      if request.writes, let first = bearers[connectionIndex].prepared.handle(at: 0) {
        try executeParts(writes: false, at: connectionIndex)
        try executeParts(writes: true, at: connectionIndex)
        try endWrite(first, isCommand: false, at: connectionIndex)
      }
    } catch {
      if error.code != nil { bearers[connectionIndex].prepared.removeAll() }
      throw error
    }
    bearers[connectionIndex].prepared.removeAll()
    response.write(ATTOpcode.executeWriteResponse.rawValue)
  }

  /// Assembles each attribute's parts in the order of the first ones, and writes them if `writes`.
  @inline(never) private mutating func executeParts(writes: Bool, at connectionIndex: Int)
    throws(ATTRefusal)
  {
    var value = ByteBuffer<512>()
    var position = 0
    while let handle = bearers[connectionIndex].prepared.handle(at: position) {
      let isFirst = bearers[connectionIndex].prepared.isFirst(at: position)
      let start = position
      position = bearers[connectionIndex].prepared.position(after: position)
      guard isFirst else { continue }
      let offset = try bearers[connectionIndex].prepared.assemble(handle, from: start, into: &value)
      let target = try preparable(handle, at: connectionIndex)
      if offset > 0 {
        try storePart(
          value.span, from: offset, to: target, handle, writes: writes, at: connectionIndex)
      } else if writes {
        try store(value.span, to: target, handle, at: connectionIndex)
      }
    }
  }

  /// Writes a value from `offset` on, or checks that this is permitted. The server's own values are
  /// written as a whole.
  private mutating func storePart(
    _ part: Span<UInt8>, from offset: Int, to target: Attribute.Value, _ handle: AttributeHandle,
    writes: Bool, at connectionIndex: Int
  ) throws(ATTRefusal) {
    guard case .application(let attribute) = target,
      application.permitsWrite(to: attribute, from: offset, at: connectionIndex)
    else { throw ATTRefusal(.invalidOffset, at: handle) }
    guard offset &+ part.count <= maximumAttributeValueLength else {
      throw ATTRefusal(.invalidAttributeValueLength, at: handle)
    }
    guard writes else { return }
    do throws(GATTRefusal) {
      try application.write(part, from: offset, to: attribute, at: connectionIndex)
    } catch { throw ATTRefusal(error, at: handle) }
  }
}

extension PrepareQueue {
  /// Assembles the parts of `handle` from `start` on, among others. Returns the first part's
  /// offset; no other part may begin before it, or leave a gap.
  fileprivate func assemble(
    _ handle: AttributeHandle, from start: Int, into value: inout ByteBuffer<512>
  ) throws(ATTRefusal) -> Int {
    value.removeAll()
    var position = start
    var first: Int?
    while let part = part(at: position) {
      if part.handle == handle {
        let offset = Int(part.offset) &- (first ?? Int(part.offset))
        if case nil = first { first = Int(part.offset) }
        guard offset >= 0, offset <= value.count else {
          throw ATTRefusal(.invalidOffset, at: handle)
        }
        guard value.replace(from: offset, with: part.value) else {
          throw ATTRefusal(.invalidAttributeValueLength, at: handle)
        }
      }
      position = self.position(after: position)
    }
    return first ?? 0
  }
}

extension ClientConfiguration {
  /// Whether the properties of a characteristic permit it.
  @inline(__always) func isSupported(by properties: GATTProperties) -> Bool {
    if rawValue & ~0b11 != 0 { return false }
    if contains(.notification), !properties.contains(.notify) { return false }
    if contains(.indication), !properties.contains(.indicate) { return false }
    return true
  }
}
