import BluetoothHost

/// A request to a peer, from the call to its completion: the host's operations, one after another,
/// and the results so far. The requests of a link's queue are carried out in the order of the calls.
final class PeerRequest {
  /// Receives the result. The error is an `OperationError`, or Apple's if the link has ended.
  typealias Completion = (Result<OperationOutput, any Error>) -> Void

  /// What is next.
  enum Step {
    case begin
    /// Ask the host for the operation in `asked`.
    case ask
    /// The host carries it out, or the request waits until the link is protected.
    case asked
    /// The host has ended the operation, with success if there is no error.
    case ended(OperationError?)
    case done(Result<OperationOutput, OperationError>)
  }

  /// The host's results since its last operation.
  struct Finds {
    var services: [FoundService] = []
    var includes: [RemoteInclude] = []
    var characteristics: [RemoteCharacteristic] = []
    var descriptors: [RemoteDescriptor] = []
    var value: [UInt8] = []
  }

  let operation: PeerOperation
  /// The manager's part of the link; `nil` for a request of the engine itself.
  let member: PeerLink.Member?
  /// Whether it is carried out only when nothing else waits.
  let waitsForIdle: Bool
  private var completion: Completion?

  var step = Step.begin
  var finds = Finds()
  /// The last operation for the host, and the value that it writes.
  private(set) var asked: (operation: ClientOperation, value: [UInt8])?

  /// Set while the request waits until the link is protected.
  var protection: Protection?
  /// Whether the last operation of the host has been repeated over a protected link.
  var isRepeated = false

  /// The UUIDs of services to discover, and the services found so far.
  private var uuids: ArraySlice<BluetoothUUID> = []
  private var services: [FoundService] = []
  /// The included services with a known type, and those still without one.
  private var included: [FoundService] = []
  private var includes: ArraySlice<RemoteInclude> = []
  /// The value handle of Service Changed, once found.
  private var serviceChanged: AttributeHandle?
  /// The descriptor that is being written.
  private var configuration: AttributeHandle?

  init(
    _ operation: PeerOperation, of member: PeerLink.Member? = nil, whenIdle: Bool = false,
    _ completion: Completion? = nil
  ) {
    self.operation = operation
    self.member = member
    waitsForIdle = whenIdle
    self.completion = completion
  }

  /// Passes the result to the caller, once.
  func complete(_ result: Result<OperationOutput, any Error>) {
    let completion = completion
    self.completion = nil
    completion?(result)
  }

  // MARK: The host's operations

  /// The first step in the queue.
  func begin() -> Step {
    switch operation {
    case .exchangeMTU: return ask(.exchangeMTU)
    case .discoverServices(nil): return ask(.discoverServices)
    case .discoverServices(let uuids?):
      self.uuids = uuids[...]
      return discoverNextService()
    // An empty range is answered here. The host would end it with its next packet, which may never
    // come on an idle link.
    case .discoverIncludedServices(let range):
      return range.isValid
        ? ask(.discoverIncludedServices(range)) : .done(.success(.includedServices([])))
    case .discoverCharacteristics(let range):
      return range.isValid
        ? ask(.discoverCharacteristics(range)) : .done(.success(.characteristics([])))
    case .discoverDescriptors(let range):
      return range.isValid ? ask(.discoverDescriptors(range)) : .done(.success(.descriptors([])))
    case .read(let handle): return ask(.read(handle))
    case .readFirst(let type): return ask(.readByUUID(type))
    case .write(let handle, let value): return ask(.write(handle, byteCount: value.count), value)
    case .writeWithoutResponse(let handle, let value):
      return ask(.writeWithoutResponse(handle, byteCount: value.count), value)
    case .subscribe(let handle, let configuration): return ask(.subscribe(handle, configuration))
    // Core Specification, Vol 3, Part G, 4.7.1 and 4.12.3.
    case .configure(let range, _):
      return range.isValid ? ask(.discoverDescriptors(range)) : .done(.success(.configured(nil)))
    case .watchServices: return ask(.discoverServicesByUUID(.genericAttributeService))
    case .pass, .readRSSI, .openChannel: return .done(.success(.passed))
    }
  }

  /// The host has ended the last operation, with success if `error` is `nil`. `mtu` is now in
  /// force.
  func proceed(_ error: OperationError?, mtu: ATTMTU) -> Step {
    isRepeated = false
    if let error {
      // A server that refuses this discovery does not report changes.
      if case .watchServices = operation, case .refused = error {
        return .done(.success(.watching(nil)))
      }
      return .done(.failure(error))
    }
    let finds = finds
    self.finds = Finds()
    switch operation {
    case .exchangeMTU: return .done(.success(.mtu(mtu)))
    case .discoverServices:
      services += finds.services
      return discoverNextService()
    case .discoverIncludedServices: return proceedIncluded(finds)
    case .discoverCharacteristics(let range):
      return .done(.success(.characteristics(finds.characteristics(in: range))))
    case .discoverDescriptors: return .done(.success(.descriptors(finds.descriptors)))
    case .read, .readFirst: return .done(.success(.value(finds.value)))
    case .write, .writeWithoutResponse, .subscribe: return .done(.success(.written))
    case .configure(_, let configuration): return proceedConfiguring(configuration, finds)
    case .watchServices: return proceedWatching(finds)
    case .pass, .readRSSI, .openChannel: return .done(.success(.passed))
    }
  }

  private func ask(_ operation: ClientOperation, _ value: [UInt8] = []) -> Step {
    asked = (operation, value)
    return .ask
  }

  private func discoverNextService() -> Step {
    uuids.popFirst().map { ask(.discoverServicesByUUID($0)) }
      ?? .done(.success(.services(services)))
  }

  /// An include declaration contains only 16-bit UUIDs. Any other UUID is read from the service's
  /// declaration. The declaration's type shows whether the service is primary.
  /// Core Specification, Vol 3, Part G, 4.5.1.
  private func proceedIncluded(_ finds: Finds) -> Step {
    switch asked?.operation {
    case .discoverIncludedServices: includes = finds.includes[...]
    case .discoverDescriptors:
      guard let include = includes.first else { break }
      let handle = include.range.start
      guard let declaration = finds.descriptors.first else {
        return .done(
          .failure(
            .refused(
              ErrorResponse(
                request: .findInformationRequest, handle: handle, code: .attributeNotFound))))
      }
      let isPrimary = declaration.uuid == .primaryService
      // No UUID has the number 0: it is read next.
      let uuid = include.uuid ?? BluetoothUUID(high: 0, low: 0)
      included.append(FoundService(uuid: uuid, range: include.range, isPrimary: isPrimary))
      if include.uuid == nil { return ask(.read(handle)) }
      includes = includes.dropFirst()
    default:
      var reader = ByteReader(finds.value.span)
      guard let uuid = BluetoothUUID(&reader, byteCount: finds.value.count),
        let last = included.indices.last
      else { return .done(.failure(.wrongResponse(.malformed(.readResponse)))) }
      included[last].uuid = uuid
      includes = includes.dropFirst()
    }
    guard let next = includes.first else { return .done(.success(.includedServices(included))) }
    let handle = next.range.start
    return ask(.discoverDescriptors(AttributeHandleRange(start: handle, end: handle)))
  }

  private func proceedConfiguring(_ configuration: ClientConfiguration, _ finds: Finds) -> Step {
    guard self.configuration == nil, let handle = finds.configuration else {
      return .done(.success(.configured(self.configuration)))
    }
    self.configuration = handle
    return ask(.subscribe(handle, configuration))
  }

  /// Core Specification, Vol 3, Part G, 7.1.
  private func proceedWatching(_ finds: Finds) -> Step {
    switch asked?.operation {
    case .discoverServicesByUUID:
      if let service = finds.services.first { return ask(.discoverCharacteristics(service.range)) }
    case .discoverCharacteristics(let range):
      let found = finds.characteristics(in: range).first { $0.uuid == .serviceChanged }
      if let found, let range = found.descriptorRange {
        serviceChanged = found.value
        return ask(.discoverDescriptors(range))
      }
    case .discoverDescriptors:
      if let handle = finds.configuration { return ask(.subscribe(handle, .indication)) }
    default: return .done(.success(.watching(serviceChanged)))
    }
    return .done(.success(.watching(nil)))
  }
}

extension PeerRequest.Finds {
  /// The characteristics in `range`. Each ends before the next, or with the range.
  func characteristics(in range: AttributeHandleRange) -> [FoundCharacteristic] {
    characteristics.indices.map { index in
      let found = characteristics[index]
      let next = index + 1 < characteristics.count ? characteristics[index + 1].declaration : nil
      return FoundCharacteristic(
        uuid: found.uuid, properties: found.properties, declaration: found.declaration,
        value: found.value,
        end: next.map { AttributeHandle(rawValue: $0.rawValue - 1) } ?? range.end)
    }
  }

  var configuration: AttributeHandle? {
    descriptors.first { $0.uuid == .clientCharacteristicConfiguration }?.handle
  }
}
