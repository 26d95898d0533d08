import BluetoothHost

// The requests to the host.
extension DeviceCentral {
  /// Asks the host for what is wanted. Call it after any other call, while `needsUpdate`.
  func update(_ host: inout Device.Host) {
    needsUpdate = false
    endLinksWithoutFault()
    if isReady { identify(&host) }
    if scanner.isStale {
      scanner.isStale = false
      host.scan(scanner.wanted)
    }
    for index in unwanted where connections[index] != nil { host.disconnect(at: index) }
    unwanted = []
    for link in links { update(link, &host) }
    beginAttempt(&host)
  }

  private func update(_ link: CentralLink, _ host: inout Device.Host) {
    if link.phase == .waiting || link.phase == .connecting, let index = connectionOfPeer(of: link) {
      // The peer has connected to this device.
      if link.phase == .waiting { open(link, at: index) } else { link.phase = .yielding }
    }
    switch link.phase {
    case .waiting, .connecting, .closing(isAsked: true):
      return
    case .cancelling:
      host.cancelConnection()
    case .yielding:
      host.cancelConnection(keepsLink: true)
    case .closing(isAsked: false):
      link.phase = .closing(isAsked: true)
      if let index = link.index { host.disconnect(at: index) }
    case .open:
      guard let index = link.index else { return }
      operate(link, at: index, &host)
      if !link.rssiReadings.isEmpty, !link.asksRSSI {
        link.asksRSSI = true
        host.readRSSI(at: index)
      }
      openChannels(of: link, at: index, &host)
    }
  }

  /// The connection that the peer of `link` has made, if no manager uses it.
  private func connectionOfPeer(of link: CentralLink) -> Int? {
    connections.firstIndex { connection in
      guard let connection, connection.role == .peripheral, connection.link == nil
      else { return false }
      // Controllers report the kind of a resolved address differently.
      return connection.peer.bytes.span.hasSameBytes(as: link.peer.bytes.span)
    }
  }

  /// Connects the next link in the queue, unless an attempt is under way.
  private func beginAttempt(_ host: inout Device.Host) {
    guard isReady, !links.contains(where: \.isAttempted),
      let link = links.first(where: { $0.canBegin(at: now) })
    else { return }
    // The host may call back before it returns.
    link.phase = .connecting
    link.attempt = now
    guard !host.connect(to: link.peer) else { return }
    // Every connection is in use. The link is made when one is free.
    link.phase = .waiting
    link.attempt = nil
  }

  /// Carries out the operations of a link until one waits for the host.
  private func operate(_ link: CentralLink, at index: Int, _ host: inout Device.Host) {
    while link.isOpen {
      if link.securing != nil { secure(link, at: index, &host) }
      if link.procedure == nil, !link.takeOperation() { return }
      guard let id = link.procedure?.id, let step = link.step else { return }
      switch step {
      case .ask(.exchangeMTU, _) where connections[index]?.hasExchangedMTU == true:
        link.step = .done(.mtu(host.mtu(at: index)))
      case .ask(let operation, let value):
        // An operation of an abandoned link may still be under way.
        guard host.operation(at: index) == nil else { return }
        connections[index]?.value = value
        if operation == .exchangeMTU { connections[index]?.hasExchangedMTU = true }
        link.step = nil
        link.asked = (operation, value)
        // A link that is being ended accepts no operation. Its end follows.
        guard host.perform(operation, at: index) else {
          link.step = step
          return
        }
      case .ended(let error):
        if mustSecure(link, after: error, host.security.security(at: index)) { continue }
        link.isRepeated = false
        link.step = link.procedure?.proceed(error, mtu: host.mtu(at: index))
      case .done(let output):
        link.procedure = nil
        link.step = nil
        complete(id, link, .success(output))
      case .failed(let error):
        link.procedure = nil
        link.step = nil
        complete(id, link, .failure(error))
      }
    }
  }
}
