import BluetoothHost

/// The current operation: the requests to the host, one after another, and the results so far.
struct CentralProcedure {
  enum Step {
    /// Ask the host, which writes `value` if the operation writes.
    case ask(ClientOperation, value: [UInt8] = [])
    /// The host has ended the last request, with success if there is no error.
    case ended(OperationError?)
    case done(OperationOutput)
    case failed(OperationError)
  }

  /// The host's results since its last request.
  struct Finds {
    var services: [FoundService] = []
    var includes: [RemoteInclude] = []
    var characteristics: [RemoteCharacteristic] = []
    var descriptors: [RemoteDescriptor] = []
    var value: [UInt8] = []
  }

  let id: OperationID
  let operation: CentralOperation
  var finds = Finds()

  /// The included services with a known type, and those still without one.
  private var included: [FoundService] = []
  private var includes: ArraySlice<RemoteInclude> = []
  /// The value handle of Service Changed, once found.
  private var serviceChanged: AttributeHandle?
  /// The descriptor that is being written.
  private var configuration: AttributeHandle?
  private var asked: ClientOperation?

  init(_ id: OperationID, _ operation: CentralOperation) {
    self.id = id
    self.operation = operation
  }

  mutating func begin() -> Step {
    switch operation {
    case .exchangeMTU: ask(.exchangeMTU)
    case .discoverServices(nil): ask(.discoverServices)
    case .discoverServices(let uuid?): ask(.discoverServicesByUUID(uuid))
    // An empty range is answered here. The host would end it with its next packet, which may never come on an idle link.
    case .discoverIncludedServices(let range):
      range.isValid ? ask(.discoverIncludedServices(range)) : .done(.includedServices([]))
    case .discoverCharacteristics(let range):
      range.isValid ? ask(.discoverCharacteristics(range)) : .done(.characteristics([]))
    case .discoverDescriptors(let range):
      range.isValid ? ask(.discoverDescriptors(range)) : .done(.descriptors([]))
    case .read(let handle): ask(.read(handle))
    case .readFirst(let type): ask(.readByUUID(type))
    case .write(let handle, let value):
      ask(.write(handle, byteCount: value.count), value)
    case .writeWithoutResponse(let handle, let value):
      ask(.writeWithoutResponse(handle, byteCount: value.count), value)
    case .subscribe(let handle, let configuration): ask(.subscribe(handle, configuration))
    case .configure(let range, _): findConfiguration(in: range)
    case .watchServices: ask(.discoverServicesByUUID(.genericAttributeService))
    }
  }

  /// The host has ended the last request, with success if `error` is `nil`. `mtu` is now in force.
  mutating func proceed(_ error: OperationError?, mtu: ATTMTU) -> Step {
    if let error {
      // A server that refuses this discovery does not report changes.
      if operation == .watchServices, case .refused = error { return .done(.watching(nil)) }
      return .failed(error)
    }
    let finds = finds
    self.finds = Finds()
    switch operation {
    case .exchangeMTU: return .done(.mtu(mtu))
    case .discoverServices: return .done(.services(finds.services))
    case .discoverIncludedServices: return proceedIncluded(finds)
    case .discoverCharacteristics(let range):
      return .done(.characteristics(finds.characteristics(in: range)))
    case .discoverDescriptors: return .done(.descriptors(finds.descriptors))
    case .read, .readFirst: return .done(.value(finds.value))
    case .write, .writeWithoutResponse, .subscribe: return .done(.written)
    case .configure(_, let configuration): return proceedConfiguring(configuration, finds)
    case .watchServices: return proceedWatching(finds)
    }
  }

  private mutating func ask(_ operation: ClientOperation, _ value: [UInt8] = []) -> Step {
    asked = operation
    return .ask(operation, value: value)
  }

  // MARK: Included services

  /// An include declaration contains only 16-bit UUIDs. Any other UUID is read from the service's
  /// declaration. The declaration's type shows whether the service is primary.
  ///
  /// Core Specification, Vol 3, Part G, 4.5.1.
  private mutating func proceedIncluded(_ finds: Finds) -> Step {
    switch asked {
    case .discoverIncludedServices:
      includes = finds.includes[...]
    case .discoverDescriptors:
      guard let include = includes.first else { break }
      let handle = include.range.start
      guard let declaration = finds.descriptors.first else {
        return .failed(
          .refused(
            ErrorResponse(
              request: .findInformationRequest, handle: handle, code: .attributeNotFound)))
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
      else { return .failed(.wrongResponse(.malformed(.readResponse))) }
      included[last].uuid = uuid
      includes = includes.dropFirst()
    }
    guard let next = includes.first else { return .done(.includedServices(included)) }
    let handle = next.range.start
    return ask(.discoverDescriptors(AttributeHandleRange(start: handle, end: handle)))
  }

  // MARK: Configurations

  /// Core Specification, Vol 3, Part G, 4.7.1 and 4.12.3.
  private mutating func findConfiguration(in range: AttributeHandleRange) -> Step {
    range.isValid ? ask(.discoverDescriptors(range)) : .done(.configured(nil))
  }

  private mutating func proceedConfiguring(
    _ configuration: ClientConfiguration, _ finds: Finds
  ) -> Step {
    if let handle = self.configuration { return .done(.configured(handle)) }
    guard let handle = finds.configuration else { return .done(.configured(nil)) }
    self.configuration = handle
    return ask(.subscribe(handle, configuration))
  }

  /// Core Specification, Vol 3, Part G, 7.1.
  private mutating func proceedWatching(_ finds: Finds) -> Step {
    switch asked {
    case .discoverServicesByUUID:
      guard let service = finds.services.first else { return .done(.watching(nil)) }
      return ask(.discoverCharacteristics(service.range))
    case .discoverCharacteristics(let range):
      let found = finds.characteristics(in: range).first { $0.uuid == .serviceChanged }
      guard let found, let range = found.descriptorRange else { return .done(.watching(nil)) }
      serviceChanged = found.value
      return ask(.discoverDescriptors(range))
    case .discoverDescriptors:
      guard let handle = finds.configuration else { return .done(.watching(nil)) }
      return ask(.subscribe(handle, .indication))
    default:
      return .done(.watching(serviceChanged))
    }
  }
}

extension CentralProcedure.Finds {
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
