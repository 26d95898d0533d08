import BluetoothHost

// The host's calls. They ask nothing of the host: `update` does.
extension CentralEngine: ClientApplication {
  func received(_ report: borrowing AdvertisingReport) {
    resetFailures()
    guard let discovery = scanner.merge(report) else { return }
    for handle in handles { handle.heard(discovery, at: now, names) }
  }

  func scanFailed(_ reason: HCIErrorCode) {
    Log.logger.error("The controller refuses to scan: HCI error \(reason.rawValue)")
    scanner.fail()
    for handle in handles where handle.scan != nil { handle.scanFailed(reason) }
  }

  func connectionFailed(_ reason: HCIErrorCode) {
    needsUpdate = true
    guard let link = links.first(where: \.isAttempted) else { return }
    if reason == .hardwareFailure { link.isLost = true } else { refused(link, reason) }
  }

  func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role) {
    resetFailures()
    needsUpdate = true
    connections[index] = Connection(peer: peer, role: role)
    guard role == .central, let link = links.first(where: \.isAttempted) else { return }
    if link.phase == .cancelling {
      // The host has not been asked to cancel yet.
      unwanted.append(index)
      end(link, nil)
    } else {
      open(link, at: index)
    }
  }

  func disconnected(at index: Int, reason: HCIErrorCode) {
    needsUpdate = true
    let link = connections[index]?.link
    connections[index] = nil
    guard let link else { return }
    if let failure = link.encryptionFailure {
      end(link, .encryptionFailed(failure))
    } else if reason == .hardwareFailure {
      link.isLost = true
    } else {
      end(link, .disconnected(reason))
    }
  }

  func securityChanged(to security: LinkSecurity, at index: Int) { needsUpdate = true }

  // MARK: Requests

  /// The request that the host carries out; `nil` if its link has ended.
  private func asked(at index: Int) -> PeerRequest? {
    guard let request = connections[index]?.link?.active, case .asked = request.step,
      request.protection == nil
    else { return nil }
    return request
  }

  func found(_ service: RemoteService, at index: Int) {
    asked(at: index)?.finds.services.append(FoundService(uuid: service.uuid, range: service.range))
  }

  func found(_ include: RemoteInclude, at index: Int) {
    asked(at: index)?.finds.includes.append(include)
  }

  func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    asked(at: index)?.finds.characteristics.append(characteristic)
  }

  func found(_ descriptor: RemoteDescriptor, at index: Int) {
    asked(at: index)?.finds.descriptors.append(descriptor)
  }

  func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    asked(at: index)?.finds.value += [UInt8](part)
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    guard let bytes = connections[index]?.value, offset < bytes.count else { return }
    value.writePrefix(of: bytes.span.extracting(offset..<bytes.count))
  }

  func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    needsUpdate = true
    asked(at: index)?.step = .ended(error)
  }

  func readRSSI(_ rssi: Int8?, at index: Int) {
    guard let link = connections[index]?.link else { return }
    link.asksRSSI = false
    for request in link.requests {
      if case .readRSSI = request.operation { complete(request, on: link, .success(.rssi(rssi))) }
    }
  }

  // MARK: Values

  func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    guard let link = connections[index]?.link, link.phase == .open else { return }
    guard handle == link.serviceChanged else {
      let value = [UInt8](value)
      for member in link.members where member.subscriptions.contains(handle) {
        member.report(.received(value, at: handle))
      }
      return
    }
    // Core Specification, Vol 3, Part G, 7.1.
    var reader = ByteReader(value)
    guard let range = AttributeHandleRange(&reader), range.isValid else { return }
    link.configurations = link.configurations.filter { !range.contains($0.key) }
    for member in link.members {
      member.subscriptions = member.subscriptions.filter { !range.contains($0) }
      member.report(.servicesChanged(range))
    }
  }
}
