import BluetoothHost

extension CentralEngine {
  /// Carries out `operations` for a manager, in order; `completion` is called once, on this thread:
  /// with all that they gave, or with the first error.
  func perform(
    _ operations: [CentralOperation], _ client: CentralClient, _ peer: DeviceAddress,
    _ completion: @escaping PeripheralLink.Completion
  ) {
    guard let (link, member, id) = openLink(client, peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    link.wait(for: operations.map { central.perform($0, on: id) }, of: member, completion)
  }

  /// Asks how strongly a peripheral is heard.
  func readRSSI(
    _ client: CentralClient, _ peer: DeviceAddress,
    _ completion: @escaping PeripheralLink.Completion
  ) {
    guard let (link, member, id) = openLink(client, peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    link.wait(for: [central.readRSSI(of: id)], of: member, completion)
  }

  /// Subscribes a manager to a characteristic, or ends the subscription, unless another manager
  /// has one too. Without a configuration, it is told in its turn that this cannot be.
  func configure(
    _ characteristic: FoundCharacteristic, _ configuration: ClientConfiguration?,
    _ client: CentralClient, _ peer: DeviceAddress,
    _ completion: @escaping PeripheralLink.Completion
  ) {
    guard let (link, member, id) = openLink(client, peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    guard let configuration else {
      let operation = central.perform(.configure(.nowhere, .none), on: id)
      return link.wait(for: [operation], of: member) { outcome in
        completion(.failure(outcome.error ?? CBATTError(.requestNotSupported)))
      }
    }
    let handle = characteristic.value
    let wasSubscribed = member.subscriptions.contains(handle)
    // What is wished last counts, also if what was wished before is answered later.
    let wish = member.beginWish(for: handle)
    if configuration == .none, link.isSubscribed(handle, except: member) {
      member.subscriptions.remove(handle)
      // Nothing is sent, but it is told in its turn.
      let operation = central.perform(.configure(.nowhere, .none), on: id)
      return link.wait(for: [operation], of: member) { completion($0.map { _ in [] }) }
    }
    let operation = link.operation(toConfigure: characteristic, configuration)
    // From now on: the first value may come with the answer.
    if configuration != .none { member.subscriptions.insert(handle) }
    link.wait(for: [central.perform(operation, on: id)], of: member) { [weak link] result in
      switch result {
      case .success(let outputs):
        if case .configured(let descriptor)? = outputs.first {
          guard let descriptor else {
            member.subscriptions.remove(handle)
            return completion(.failure(CBATTError(.attributeNotFound)))
          }
          link?.configurations[handle] = descriptor
        }
        if configuration == .none, member.isLast(wish, for: handle) {
          member.subscriptions.remove(handle)
        }
      case .failure:
        if !wasSubscribed, member.isLast(wish, for: handle) {
          member.subscriptions.remove(handle)
        }
      }
      completion(result)
    }
  }

  /// Remembers, for whoever asks which peripherals are connected, that one has these services.
  func discovered(_ services: [BluetoothUUID], on peer: DeviceAddress) {
    connected.withLock { $0[peer]?.services.formUnion(services) }
  }

  /// A link that carries data, and the part of a manager in it; `nil` if it has none.
  func openLink(
    _ client: CentralClient, _ peer: DeviceAddress
  ) -> (link: PeripheralLink, member: PeripheralLink.Member, id: LinkID)? {
    guard let link = links.first(where: { $0.peer == peer }), link.isOpen, let id = link.id,
      let member = link.member(client)
    else { return nil }
    return (link, member, id)
  }

  func completed(
    _ operation: OperationID, _ id: LinkID, _ result: Result<OperationOutput, OperationError>
  ) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    switch result {
    case .success(let output): link.completed(operation, .success(output))
    // The link's own end, which follows, tells why.
    case .failure(.disconnected): return
    case .failure(let error): link.completed(operation, .failure(error.publicError))
    }
  }

  func notified(_ id: LinkID, _ handle: AttributeHandle, _ value: [UInt8]) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    for member in link.members where member.subscriptions.contains(handle) {
      member.tell { _, peripheral in peripheral.received(value, at: handle) }
    }
  }

  func servicesChanged(_ id: LinkID, _ range: AttributeHandleRange) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    link.configurations = link.configurations.filter { !range.holds($0.key) }
    for member in link.members {
      member.subscriptions = member.subscriptions.filter { !range.holds($0) }
      member.tell { _, peripheral in peripheral.servicesChanged(in: range) }
    }
  }
}

extension PeripheralLink {
  /// Writes the configuration of a characteristic, and finds it first if need be.
  func operation(
    toConfigure characteristic: FoundCharacteristic, _ configuration: ClientConfiguration
  ) -> CentralOperation {
    if let handle = configurations[characteristic.value] {
      return .subscribe(handle, configuration)
    }
    return .configure(characteristic.descriptorRange ?? .nowhere, configuration)
  }
}

extension AttributeHandleRange {
  /// A range without handles: an operation on it takes its turn, finds nothing and sends nothing.
  static let nowhere = AttributeHandleRange(start: .last, end: .first)

  /// Whether `handle` lies within.
  func holds(_ handle: AttributeHandle) -> Bool {
    start <= handle && handle <= end
  }

  /// Whether the two have a handle in common.
  func overlaps(_ other: AttributeHandleRange) -> Bool {
    start <= other.end && other.start <= end
  }
}
