import BluetoothHost

extension CentralEngine {
  /// Carries out `operations` for a manager, in order. Calls `completion` once, on this thread:
  /// with all results, or with the first error.
  func perform(
    _ operations: [CentralOperation], _ client: CentralClient, _ peer: DeviceAddress,
    _ completion: @escaping PeripheralLink.Completion
  ) {
    guard let (link, member, id) = openLink(client, peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    link.wait(for: operations.map { central.perform($0, on: id) }, of: member, completion)
  }

  func readRSSI(
    _ client: CentralClient, _ peer: DeviceAddress,
    _ completion: @escaping PeripheralLink.Completion
  ) {
    guard let (link, member, id) = openLink(client, peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    link.wait(for: [central.readRSSI(of: id)], of: member, completion)
  }

  /// Subscribes a manager to a characteristic, or ends its subscription. The end sends nothing
  /// while another manager is subscribed. Without a configuration, fails with `requestNotSupported`
  /// after the earlier operations.
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
    // The last call of `setNotifyValue` decides, even if the response to an earlier one arrives
    // later.
    let change = member.beginSubscriptionChange(for: handle)
    if configuration == .none, link.isSubscribed(handle, except: member) {
      member.subscriptions.remove(handle)
      // Sends nothing, and completes in turn.
      let operation = central.perform(.configure(.nowhere, .none), on: id)
      return link.wait(for: [operation], of: member) { completion($0.map { _ in [] }) }
    }
    let operation = link.operation(toConfigure: characteristic, configuration)
    // From now on: the first value may come with the response.
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
        if configuration == .none, member.isLastChange(change, for: handle) {
          member.subscriptions.remove(handle)
        }
      case .failure:
        if !wasSubscribed, member.isLastChange(change, for: handle) {
          member.subscriptions.remove(handle)
        }
      }
      completion(result)
    }
  }

  /// Records the services of a connected peripheral, for `retrieveConnectedPeripherals`.
  func discovered(_ services: [BluetoothUUID], on peer: DeviceAddress) {
    connected.withLock { $0[peer]?.formUnion(services) }
  }

  /// A manager's open link, and its member there; `nil` if it has none.
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
    // The end of the link follows, and has the reason.
    case .failure(.disconnected): return
    case .failure(let error): link.completed(operation, .failure(error.publicError))
    }
  }

  func notified(_ id: LinkID, _ handle: AttributeHandle, _ value: [UInt8]) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    for member in link.members where member.subscriptions.contains(handle) {
      member.callManager { _, peripheral in peripheral.received(value, at: handle) }
    }
  }

  func servicesChanged(_ id: LinkID, _ range: AttributeHandleRange) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    link.configurations = link.configurations.filter { !range.contains($0.key) }
    for member in link.members {
      member.subscriptions = member.subscriptions.filter { !range.contains($0) }
      member.callManager { _, peripheral in peripheral.servicesChanged(in: range) }
    }
  }
}

extension PeripheralLink {
  /// The operation that writes a client characteristic configuration, and finds it first if needed.
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
  /// An empty range: an operation on it takes its turn, finds nothing and sends nothing.
  static let nowhere = AttributeHandleRange(start: .last, end: .first)

  func contains(_ handle: AttributeHandle) -> Bool {
    start <= handle && handle <= end
  }

  func overlaps(_ other: AttributeHandleRange) -> Bool {
    start <= other.end && other.start <= end
  }
}
