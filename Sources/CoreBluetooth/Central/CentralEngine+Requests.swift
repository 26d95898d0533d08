import BluetoothHost

// The requests of managers to peers, from the call to the completion.
extension CentralEngine {
  /// Carries out `operation` for a manager, after the earlier operations on the link. `completion`
  /// is called once, on this thread.
  func perform(
    _ operation: PeerOperation, for handle: CentralHandle, at peer: DeviceAddress,
    _ completion: @escaping PeerRequest.Completion
  ) {
    guard let (link, member) = openLink(of: handle, to: peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    append(PeerRequest(operation, of: member, completion), to: link)
  }

  func append(_ request: PeerRequest, to link: PeerLink) {
    link.requests.append(request)
    needsUpdate = true
  }

  /// Subscribes a manager to a characteristic, or ends its subscription. The end sends nothing
  /// while another manager is subscribed. Without a configuration, fails with `requestNotSupported`
  /// after the earlier operations.
  func configure(
    _ characteristic: FoundCharacteristic, _ configuration: ClientConfiguration?,
    for handle: CentralHandle, at peer: DeviceAddress,
    _ completion: @escaping PeerRequest.Completion
  ) {
    guard let configuration else {
      return perform(.pass, for: handle, at: peer) { result in
        completion(.failure(result.error ?? CBATTError(.requestNotSupported)))
      }
    }
    guard let (link, member) = openLink(of: handle, to: peer) else {
      return completion(.failure(CBError(.notConnected)))
    }
    let value = characteristic.value
    let wasSubscribed = member.subscriptions.contains(value)
    // The last call of `setNotifyValue` decides, even if the response to an earlier one arrives
    // later.
    let change = member.beginSubscriptionChange(for: value)
    if configuration == .none, link.isSubscribed(value, except: member) {
      member.subscriptions.remove(value)
      return append(PeerRequest(.pass, of: member, completion), to: link)
    }
    // From now on: the first value may come with the response.
    if configuration != .none { member.subscriptions.insert(value) }
    let operation: PeerOperation =
      if let known = link.configurations[value] { .subscribe(known, configuration) } else {
        .configure(characteristic.descriptorRange ?? .nowhere, configuration)
      }
    let request = PeerRequest(operation, of: member) { [weak link] result in
      switch result {
      case .success(.configured(nil)):
        member.subscriptions.remove(value)
        return completion(.failure(CBATTError(.attributeNotFound)))
      case .success(let output):
        if case .configured(let descriptor?) = output { link?.configurations[value] = descriptor }
        if configuration == .none, member.isLastChange(change, for: value) {
          member.subscriptions.remove(value)
        }
      case .failure:
        if !wasSubscribed, member.isLastChange(change, for: value) {
          member.subscriptions.remove(value)
        }
      }
      completion(result)
    }
    append(request, to: link)
  }

  /// Opens a channel for a manager, after the earlier operations.
  func openChannel(
    _ psm: CBL2CAPPSM, _ keeper: ChannelKeeper, for handle: CentralHandle, at peer: DeviceAddress,
    _ completion: @escaping PeerRequest.Completion
  ) {
    perform(.pass, for: handle, at: peer) { [weak self] result in
      if let error = result.error { return completion(.failure(error)) }
      guard let self, let (link, member) = openLink(of: handle, to: peer) else {
        return completion(.failure(CBError(.notConnected)))
      }
      guard let spsm = SPSM(psm) else { return completion(.failure(CBError(.invalidParameters))) }
      member.keep(keeper.pipe)
      append(PeerRequest(.openChannel(spsm, keeper.pipe), of: member, completion), to: link)
    }
  }

  // MARK: From the link to the host

  /// Carries out the requests of an open link until each waits for the host.
  func carryOutRequests(of link: PeerLink, at index: Int, _ host: inout LocalDevice.Host) {
    while link.phase == .open, let request = link.nextRequest(),
      proceed(request, on: link, at: index, &host)
    {}
    for request in link.requests where link.phase == .open {
      switch (request.operation, request.step) {
      case (.readRSSI, _) where !link.asksRSSI:
        link.asksRSSI = true
        host.readRSSI(at: index)
      case (.openChannel(let spsm, let pipe), .begin):
        open(spsm, pipe, for: request, on: link, at: index, &host)
      case (.openChannel(let spsm, let pipe), _):
        switch protect(request, at: index, &host) {
        case .wait: break
        case .again: open(spsm, pipe, for: request, on: link, at: index, &host)
        case .failed(let result): complete(request, on: link, result)
        }
      default: break
      }
    }
  }

  /// Takes the next step of a request in the queue; `false` if it waits.
  private func proceed(
    _ request: PeerRequest, on link: PeerLink, at index: Int, _ host: inout LocalDevice.Host
  ) -> Bool {
    switch request.step {
    case .begin: request.step = request.begin()
    case .ask:
      guard let (operation, value) = request.asked else { return false }
      if operation == .exchangeMTU, connections[index]?.hasExchangedMTU == true {
        request.step = .ended(nil)
        return true
      }
      // An operation of an abandoned link may still be under way.
      guard host.operation(at: index) == nil else { return false }
      connections[index]?.value = value
      if operation == .exchangeMTU { connections[index]?.hasExchangedMTU = true }
      request.step = .asked
      guard host.perform(operation, at: index) else {
        // A link that is being ended accepts no operation. Its end follows.
        request.step = .ask
        return false
      }
    case .asked:
      switch protect(request, at: index, &host) {
      case .wait: return false
      case .again: request.step = .ask
      case .failed(let result): request.step = .done(result)
      }
    // The end of the link follows, and has the reason.
    case .ended(.disconnected?): return false
    case .ended(let error):
      if mustProtect(link, for: request, after: error, host.security.security(at: index)) { break }
      request.step = request.proceed(error, mtu: host.mtu(at: index))
    case .done(let result): complete(request, on: link, result)
    }
    return true
  }

  /// Asks the host to open a channel.
  private func open(
    _ spsm: SPSM, _ pipe: ChannelPipe, for request: PeerRequest, on link: PeerLink, at index: Int,
    _ host: inout LocalDevice.Host
  ) {
    request.step = .asked
    guard let channel = host.channels.open(spsm, mtu: DeviceChannels.mtu, at: index) else {
      return complete(request, on: link, .success(.channel(.refused(.noResourcesAvailable))))
    }
    host.channels.application.begin(channel, pipe, at: index) { [weak self, weak link] end in
      guard let self, let link else { return }
      guard let end, end.wantsProtection, !request.isRepeated, link.phase == .open else {
        return complete(request, on: link, .success(.channel(end)))
      }
      request.isRepeated = true
      request.protection = Protection(refusal: .success(.channel(end)))
      needsUpdate = true
    }
  }

  func complete(
    _ request: PeerRequest, on link: PeerLink, _ result: Result<OperationOutput, OperationError>
  ) {
    link.remove(request)
    if case .success(let output) = result { note(output, of: request.operation, on: link) }
    request.complete(result.mapError { $0 })
  }

  /// Notes what a result says about a link, for any request.
  private func note(_ output: OperationOutput, of operation: PeerOperation, on link: PeerLink) {
    switch (operation, output) {
    case (_, .mtu(let mtu)):
      link.mtu = mtu
      for member in link.members { member.report(.mtuChanged(mtu)) }
    case (_, .watching(let handle)): link.serviceChanged = handle
    case (_, .services(let services)):
      connected.withLock { $0[link.peer]?.formUnion(services.map(\.uuid)) }
    case (.readFirst(.deviceName), .value(let bytes)):
      guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return }
      names.withLock { $0.note(KnownName(text: name, isRead: true), of: link.peer) }
      for member in link.members { member.report(.named(name)) }
    default: break
    }
  }
}

extension ChannelEnd {
  /// Whether the peer may open the channel over a better protected link.
  fileprivate var wantsProtection: Bool {
    self == .refused(.insufficientAuthentication) || self == .refused(.insufficientEncryption)
  }
}
