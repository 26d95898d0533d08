import BluetoothHost

/// What a server is to tell of a characteristic by itself, where the descriptor that holds that is
/// still to be found: found, then written.
///
/// Core Specification, Vol 3, Part G, 4.7.1 and 4.12.3.
struct ConfigureProcedure: Procedure {
  private let configuration: ClientConfiguration
  private var discovery: DiscoverDescriptorsProcedure
  /// The descriptor, once found.
  private var handle: AttributeHandle?

  init(range: AttributeHandleRange, configuration: ClientConfiguration) {
    self.configuration = configuration
    discovery = DiscoverDescriptorsProcedure(range: range)
  }

  mutating func begin(_ mtu: ATTMTU) -> ProcedureStep {
    take(discovery.begin(mtu), mtu)
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    if handle == nil { return take(discovery.receive(parameters, mtu), mtu) }
    return parameters.isEmpty ? .done(.configured(handle)) : .wrong(.malformed(.writeResponse))
  }

  mutating func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    handle == nil ? take(discovery.receive(error, mtu), mtu) : .failed(.refused(error))
  }

  private mutating func take(_ step: ProcedureStep, _ mtu: ATTMTU) -> ProcedureStep {
    guard case .done(.descriptors(let found)) = step else { return step }
    let descriptor = found.first { $0.uuid == .clientCharacteristicConfiguration }
    guard let descriptor else { return .done(.configured(nil)) }
    handle = descriptor.handle
    return .request(mtu) {
      let value = [UInt8].written(upTo: 2) { $0.write(configuration.rawValue) }
      WriteRequest(handle: descriptor.handle, value: value.span).write(to: &$0)
    }
  }
}

/// Subscribes to Service Changed, the characteristic by which a server tells that its services are
/// no longer what they were.
///
/// Core Specification, Vol 3, Part G, 7.1. A server without it, or one that refuses, just does not
/// tell.
struct WatchServicesProcedure: Procedure {
  private var stage: any Procedure = DiscoverServicesByUUIDProcedure(
    uuid: .genericAttributeService)
  /// Service Changed's value, once found.
  private var handle: AttributeHandle?

  mutating func begin(_ mtu: ATTMTU) -> ProcedureStep {
    take(stage.begin(mtu), mtu)
  }

  mutating func receive(_ parameters: Span<UInt8>, _ mtu: ATTMTU) -> ProcedureStep {
    take(stage.receive(parameters, mtu), mtu)
  }

  mutating func receive(_ error: ErrorResponse, _ mtu: ATTMTU) -> ProcedureStep {
    take(stage.receive(error, mtu), mtu)
  }

  private mutating func take(_ step: ProcedureStep, _ mtu: ATTMTU) -> ProcedureStep {
    switch step {
    case .done(.services(let services)):
      guard let service = services.first else { return .done(.watching(nil)) }
      return go(on: DiscoverCharacteristicsProcedure(range: service.range), mtu)
    case .done(.characteristics(let characteristics)):
      let found = characteristics.first { $0.uuid == .serviceChanged }
      guard let found, let range = found.descriptorRange else { return .done(.watching(nil)) }
      handle = found.value
      return go(on: ConfigureProcedure(range: range, configuration: .indication), mtu)
    case .done(.configured(let descriptor)):
      return .done(.watching(descriptor == nil ? nil : handle))
    case .failed(.refused):
      return .done(.watching(nil))
    default:
      return step
    }
  }

  private mutating func go(on next: any Procedure, _ mtu: ATTMTU) -> ProcedureStep {
    stage = next
    return take(stage.begin(mtu), mtu)
  }
}
