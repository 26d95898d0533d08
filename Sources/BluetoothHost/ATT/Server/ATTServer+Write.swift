// Writing values: Core Specification, Vol 3, Part F, 3.4.5 and 3.4.6.
extension ATTServer where Database: ~Copyable {
  /// Core Specification, Vol 3, Part F, 3.4.5.1 and 3.4.5.3. A refused command throws too, and
  /// then nothing is sent.
  @inline(__always)
  mutating func write<Application: GATTApplication & ~Copyable>(
    _ reader: consuming ByteReader, isCommand: Bool, at place: Int, bearer: inout ATTBearer,
    application: inout Application
  ) throws(ATTFailure) {
    guard let request = AttributeValue(reader) else { throw ATTFailure(.invalidPDU) }
    let target = try writable(request.handle, isCommand: isCommand)
    try store(
      request.value, to: target, request.handle, at: place, bearer: &bearer,
      application: &application)
    guard case .application = target else { return }
    try endWrite(request.handle, isCommand: isCommand, at: place, application: &application)
  }

  private func endWrite<Application: GATTApplication & ~Copyable>(
    _ handle: AttributeHandle, isCommand: Bool, at place: Int, application: inout Application
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
    _ handle: AttributeHandle, isCommand: Bool
  ) throws(ATTFailure) -> Attribute.Value {
    let attributes = database.attributes
    let index = Int(handle.rawValue) - 1
    guard attributes.indices.contains(index), !attributes[index].isVacant else {
      throw ATTFailure(.invalidHandle, at: handle)
    }
    let needed: GATTProperties = isCommand ? .writeWithoutResponse : .write
    guard attributes[index].allows(needed) else { throw ATTFailure(.writeNotPermitted, at: handle) }
    return attributes[index].value
  }

  private func store<Application: GATTApplication & ~Copyable>(
    _ value: Span<UInt8>, to target: Attribute.Value, _ handle: AttributeHandle, at place: Int,
    bearer: inout ATTBearer, application: inout Application
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
        slot, handle, value, at: place, bearer: &bearer, application: &application)
    case .clientSupportedFeatures:
      var reader = ByteReader(value)
      guard let features = reader.readUInt8() else {
        throw ATTFailure(.invalidAttributeValueLength, at: handle)
      }
      // A feature, once told, is not taken back. Core Specification, Vol 3, Part G, 7.2.
      guard features & bearer.clientFeatures == bearer.clientFeatures else {
        throw ATTFailure(.valueNotAllowed, at: handle)
      }
      bearer.clientFeatures = features & 0b111
    default:
      throw ATTFailure(.writeNotPermitted, at: handle)
    }
  }

  /// Core Specification, Vol 3, Part G, 3.3.3.3.
  private func configure<Application: GATTApplication & ~Copyable>(
    _ slot: Int, _ handle: AttributeHandle, _ value: Span<UInt8>, at place: Int,
    bearer: inout ATTBearer, application: inout Application
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
    guard configuration.isSupported(by: owner?.properties) else {
      throw ATTFailure(.cccdImproperlyConfigured, at: handle)
    }
    bearer.configurations[slot] = configuration
    if let owner, case .application(let attribute) = owner.value {
      application.configurationChanged(of: attribute, at: place, to: configuration)
    }
  }

  /// The value that the descriptor at `handle` belongs to.
  private func owner(of handle: AttributeHandle) -> Attribute? {
    let attributes = database.attributes
    var index = Int(handle.rawValue) - 1
    while index > 0 {
      index -= 1
      if index > 0, case .characteristic = attributes[index - 1].value { return attributes[index] }
    }
    return nil
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.1: the part is kept, and echoed.
  func prepareWrite<Application: GATTApplication & ~Copyable>(
    _ reader: consuming ByteReader, at place: Int, bearer: inout ATTBearer,
    application: borrowing Application, response: inout ByteWriter
  ) throws(ATTFailure) {
    guard let part = PrepareWrite(reader) else { throw ATTFailure(.invalidPDU) }
    if case .application(let attribute) = try writable(part.handle, isCommand: false) {
      do throws(GATTRefusal) {
        try application.prepareWrite(to: attribute, at: place)
      } catch {
        throw ATTFailure(error, at: part.handle)
      }
    }
    guard bearer.prepared.append(part) else {
      throw ATTFailure(.prepareQueueFull, at: part.handle)
    }
    part.write(.prepareWriteResponse, to: &response)
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.3: every value is put together and checked for
  /// gaps and length before the first is written. The queue is empty afterwards, unless the
  /// application puts the answer off.
  mutating func executeWrite<Application: GATTApplication & ~Copyable>(
    _ reader: consuming ByteReader, at place: Int, bearer: inout ATTBearer,
    application: inout Application, response: inout ByteWriter
  ) throws(ATTFailure) {
    guard let request = ExecuteWriteRequest(&reader) else { throw ATTFailure(.invalidPDU) }
    do throws(ATTFailure) {
      if request.writes, let first = bearer.prepared.handle(at: 0) {
        try executeParts(writes: false, at: place, bearer: &bearer, application: &application)
        try executeParts(writes: true, at: place, bearer: &bearer, application: &application)
        try endWrite(first, isCommand: false, at: place, application: &application)
      }
    } catch {
      if error.code != nil { bearer.prepared.removeAll() }
      throw error
    }
    bearer.prepared.removeAll()
    response.write(ATTOpcode.executeWriteResponse.rawValue)
  }

  /// Puts the parts for each attribute together in `scratch`, in the order of their first ones; then,
  /// if `writes`, writes it.
  private mutating func executeParts<Application: GATTApplication & ~Copyable>(
    writes: Bool, at place: Int, bearer: inout ATTBearer, application: inout Application
  ) throws(ATTFailure) {
    var position = 0
    while let handle = bearer.prepared.handle(at: position) {
      let isFirst = bearer.prepared.isFirst(at: position)
      let start = position
      position = bearer.prepared.position(after: position)
      guard isFirst else { continue }
      try assemble(handle, from: start, of: bearer.prepared)
      if writes {
        let target = try writable(handle, isCommand: false)
        try store(
          scratch.span, to: target, handle, at: place, bearer: &bearer,
          application: &application)
      }
    }
  }

  /// Puts the parts for `handle` together, the first of which is at `start`. Others may be between
  /// them.
  private mutating func assemble(
    _ handle: AttributeHandle, from start: Int, of queue: borrowing PrepareQueue
  ) throws(ATTFailure) {
    scratch.removeAll()
    var position = start
    while let part = queue.part(at: position) {
      if part.handle == handle {
        guard Int(part.offset) <= scratch.count else {
          throw ATTFailure(.invalidOffset, at: handle)
        }
        guard scratch.replace(from: Int(part.offset), with: part.value) else {
          throw ATTFailure(.invalidAttributeValueLength, at: handle)
        }
      }
      position = queue.position(after: position)
    }
  }
}

extension ClientConfiguration {
  /// Whether a characteristic with these properties can do it.
  fileprivate func isSupported(by properties: GATTProperties?) -> Bool {
    guard let properties else { return false }
    if rawValue & ~0b11 != 0 { return false }
    if contains(.notification), !properties.contains(.notify) { return false }
    if contains(.indication), !properties.contains(.indicate) { return false }
    return true
  }
}
