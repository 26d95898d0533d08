// Writing values: Core Specification, Vol 3, Part F, 3.4.5 and 3.4.6.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// Core Specification, Vol 3, Part F, 3.4.5.1 and 3.4.5.3. A refused command throws too, and
  /// then nothing is sent.
  @inline(__always)
  mutating func write(
    _ reader: consuming ByteReader, isCommand: Bool, at place: Int
  ) throws(ATTFailure) {
    guard let request = AttributeValue(reader) else { throw ATTFailure(.invalidPDU) }
    let target = try writable(request.handle, isCommand: isCommand, at: place)
    try store(
      request.value, to: target, request.handle, at: place)
    guard case .application = target else { return }
    try endWrite(request.handle, isCommand: isCommand, at: place)
  }

  private mutating func endWrite(
    _ handle: AttributeHandle, isCommand: Bool, at place: Int
  ) throws(ATTFailure) {
    do throws(GATTRefusal) {
      try application.endWrite(at: place, isCommand: isCommand)
    } catch {
      throw ATTFailure(error, at: handle)
    }
  }

  /// Where the value of the attribute at `handle` goes, if a central may write it in this way.
  @inline(__always)
  private func writable(
    _ handle: AttributeHandle, isCommand: Bool, at place: Int
  ) throws(ATTFailure) -> Attribute.Value {
    let attributes = database.attributes
    let index = Int(handle.rawValue) - 1
    guard attributes.indices.contains(index), !attributes[index].isVacant else {
      throw ATTFailure(.invalidHandle, at: handle)
    }
    let needed: GATTProperties = isCommand ? .writeWithoutResponse : .write
    guard attributes[index].allows(needed) else { throw ATTFailure(.writeNotPermitted, at: handle) }
    guard !bearers[place].lacks(attributes[index].protection, for: .write) else {
      throw ATTFailure(bearers[place].securityError, at: handle)
    }
    return attributes[index].value
  }

  /// `writable` for a long value, which is rare: its code stands here once.
  @inline(never)
  private func preparable(
    _ handle: AttributeHandle, at place: Int
  ) throws(ATTFailure) -> Attribute.Value {
    try writable(handle, isCommand: false, at: place)
  }

  private mutating func store(
    _ value: Span<UInt8>, to target: Attribute.Value, _ handle: AttributeHandle, at place: Int
  ) throws(ATTFailure) {
    guard value.count <= maximumAttributeValueLength else {
      throw ATTFailure(.invalidAttributeValueLength, at: handle)
    }
    switch target {
    case .application(let attribute):
      do throws(GATTRefusal) {
        try application.write(value, to: attribute, at: place)
      } catch {
        throw ATTFailure(error, at: handle)
      }
    case .clientConfiguration(let slot):
      try configure(
        slot, handle, value, at: place)
    case .clientSupportedFeatures:
      var reader = ByteReader(value)
      guard let features = reader.readUInt8() else {
        throw ATTFailure(.invalidAttributeValueLength, at: handle)
      }
      // A feature, once told, is not taken back. Core Specification, Vol 3, Part G, 7.2.
      guard features & bearers[place].clientFeatures == bearers[place].clientFeatures else {
        throw ATTFailure(.valueNotAllowed, at: handle)
      }
      bearers[place].clientFeatures = features & 0b111
    default:
      throw ATTFailure(.writeNotPermitted, at: handle)
    }
  }

  /// Core Specification, Vol 3, Part G, 3.3.3.3.
  private mutating func configure(
    _ slot: Int, _ handle: AttributeHandle, _ value: Span<UInt8>, at place: Int
  ) throws(ATTFailure) {
    var reader = ByteReader(value)
    guard value.count == 2, let bits = reader.readUInt16() else {
      throw ATTFailure(.invalidAttributeValueLength, at: handle)
    }
    guard slot < ClientConfigurations.capacity else {
      throw ATTFailure(.insufficientResources, at: handle)
    }
    let configuration = ClientConfiguration(rawValue: bits)
    let owner = owner(of: handle)
    guard let owner, configuration.isSupported(by: database.attributes[owner].properties) else {
      throw ATTFailure(.cccdImproperlyConfigured, at: handle)
    }
    bearers[place].configurations[slot] = configuration
    if case .application(let attribute) = database.attributes[owner].value {
      application.configurationChanged(of: attribute, at: place, to: configuration)
    }
  }

  /// The index of the value that the descriptor at `handle` belongs to; `nil` if there is none in its
  /// service.
  @inline(__always)
  func owner(of handle: AttributeHandle) -> Int? {
    let attributes = database.attributes
    // The descriptor has the index `handle` − 1, the value before it a lower one.
    var index = Int(handle.rawValue) &- 2
    while index > 0 {
      if case .service = attributes[index].value { return nil }
      if case .characteristic = attributes[index &- 1].value { return index }
      index &-= 1
    }
    return nil
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.1: the part is kept, and echoed.
  mutating func prepareWrite(
    _ reader: consuming ByteReader, at place: Int, response: inout ByteWriter
  ) throws(ATTFailure) {
    guard let part = PrepareWrite(reader) else { throw ATTFailure(.invalidPDU) }
    if case .application(let attribute) = try preparable(part.handle, at: place) {
      do throws(GATTRefusal) {
        try application.prepareWrite(to: attribute, at: place)
      } catch {
        throw ATTFailure(error, at: part.handle)
      }
    }
    guard bearers[place].prepared.append(part) else {
      throw ATTFailure(.prepareQueueFull, at: part.handle)
    }
    part.write(.prepareWriteResponse, to: &response)
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.3: every value is put together and checked for
  /// gaps and length before the first is written. The queue is empty afterwards, unless the
  /// application puts the answer off.
  mutating func executeWrite(
    _ reader: consuming ByteReader, at place: Int, response: inout ByteWriter
  ) throws(ATTFailure) {
    guard let request = ExecuteWriteRequest(&reader) else { throw ATTFailure(.invalidPDU) }
    do throws(ATTFailure) {
      if request.writes, let first = bearers[place].prepared.handle(at: 0) {
        try executeParts(writes: false, at: place)
        try executeParts(writes: true, at: place)
        try endWrite(first, isCommand: false, at: place)
      }
    } catch {
      if error.code != nil { bearers[place].prepared.removeAll() }
      throw error
    }
    bearers[place].prepared.removeAll()
    response.write(ATTOpcode.executeWriteResponse.rawValue)
  }

  /// Puts the parts for each attribute together, in the order of their first ones; then, if `writes`,
  /// writes the value.
  @inline(never)
  private mutating func executeParts(writes: Bool, at place: Int) throws(ATTFailure) {
    var value = ByteBuffer<512>()
    var position = 0
    while let handle = bearers[place].prepared.handle(at: position) {
      let isFirst = bearers[place].prepared.isFirst(at: position)
      let start = position
      position = bearers[place].prepared.position(after: position)
      guard isFirst else { continue }
      try bearers[place].prepared.assemble(handle, from: start, into: &value)
      if writes {
        try store(value.span, to: preparable(handle, at: place), handle, at: place)
      }
    }
  }
}

extension PrepareQueue {
  /// Puts the parts for `handle` together, the first of which is at `start`. Others may be between
  /// them.
  fileprivate func assemble(
    _ handle: AttributeHandle, from start: Int, into value: inout ByteBuffer<512>
  ) throws(ATTFailure) {
    value.removeAll()
    var position = start
    while let part = part(at: position) {
      if part.handle == handle {
        guard Int(part.offset) <= value.count else {
          throw ATTFailure(.invalidOffset, at: handle)
        }
        guard value.replace(from: Int(part.offset), with: part.value) else {
          throw ATTFailure(.invalidAttributeValueLength, at: handle)
        }
      }
      position = self.position(after: position)
    }
  }
}

extension ClientConfiguration {
  /// Whether a characteristic with these properties can do it.
  @inline(__always)
  func isSupported(by properties: GATTProperties) -> Bool {
    if rawValue & ~0b11 != 0 { return false }
    if contains(.notification), !properties.contains(.notify) { return false }
    if contains(.indication), !properties.contains(.indicate) { return false }
    return true
  }
}
