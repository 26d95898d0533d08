import BluetoothHost

// The host's reports. These calls ask nothing of the host: `update` does.
extension DeviceCentral: ClientApplication {
  func received(_ report: borrowing AdvertisingReport) {
    resetFailures()
    if let discovery = scanner.merge(report) { post(.discovered(discovery)) }
  }

  func scanFailed(_ reason: HCIErrorCode) {
    scanner.fail()
    post(.scanFailed(reason))
  }

  func connectionFailed(_ reason: HCIErrorCode) {
    needsUpdate = true
    guard let link = links.first(where: \.isAttempted) else { return }
    if reason == .hardwareFailure { lose(link) } else { refused(link, reason) }
  }

  func connected(at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role) {
    resetFailures()
    needsUpdate = true
    connections[index] = Connection(peer: peer, role: role)
    guard role == .central, let link = links.first(where: \.isAttempted) else { return }
    if link.phase == .cancelling {
      // The host has not been asked to cancel yet.
      unwanted.append(index)
      fail(link, .cancelled)
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
      lose(link)
    } else {
      end(link, .controller(reason))
    }
  }

  func securityChanged(to security: LinkSecurity, at index: Int) { needsUpdate = true }

  // MARK: Operations

  func found(_ service: RemoteService, at index: Int) {
    connections[index]?.link?.procedure?.finds.services.append(
      FoundService(uuid: service.uuid, range: service.range))
  }

  func found(_ include: RemoteInclude, at index: Int) {
    connections[index]?.link?.procedure?.finds.includes.append(include)
  }

  func found(_ characteristic: RemoteCharacteristic, at index: Int) {
    connections[index]?.link?.procedure?.finds.characteristics.append(characteristic)
  }

  func found(_ descriptor: RemoteDescriptor, at index: Int) {
    connections[index]?.link?.procedure?.finds.descriptors.append(descriptor)
  }

  func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    connections[index]?.link?.procedure?.finds.value += [UInt8](part)
  }

  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    guard let bytes = connections[index]?.value, offset < bytes.count else { return }
    value.writePrefix(of: bytes.span.extracting(offset..<bytes.count))
  }

  func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    needsUpdate = true
    // The operation of a link that has ended is not reported.
    guard let link = connections[index]?.link, link.step == nil, link.procedure != nil else {
      return
    }
    link.step = .ended(error)
  }

  func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    guard let link = connections[index]?.link, link.isOpen else { return }
    guard handle == link.serviceChanged else {
      return post(.notified(link.id, handle: handle, value: [UInt8](value)))
    }
    // Core Specification, Vol 3, Part G, 7.1.
    var reader = ByteReader(value)
    guard let range = AttributeHandleRange(&reader), range.isValid else { return }
    post(.servicesChanged(link.id, range))
  }

  func readRSSI(_ rssi: Int8?, at index: Int) {
    guard let link = connections[index]?.link else { return }
    link.asksRSSI = false
    for reading in link.rssiReadings { complete(reading, link, .success(.rssi(rssi))) }
    link.rssiReadings = []
  }
}
