import BluetoothHost
import Foundation

extension CentralEngine {
  /// Adds a manager's request for a link, after `delay` milliseconds. Exactly one call of its
  /// delegate reports that the link has ended or failed.
  func connect(
    _ member: PeripheralLink.Member, to peer: DeviceAddress, after delay: UInt32, at now: Instant
  ) {
    // The radio was lost after the manager's call. The manager has not received the new state yet.
    guard state == .poweredOn else { return member.reportEnd(CBError(.connectionFailed)) }
    let link = links.first { $0.peer == peer } ?? addLink(to: peer)
    link.members.append(member)
    if link.isOpen {
      reportConnected(link, member)
    } else if link.id == nil {
      link.beginning = min(link.beginning ?? now.advanced(by: delay), now.advanced(by: delay))
      if delay == 0 { begin(link) }
    }
  }

  /// A manager asks again for a link that it has or waits for. An open link is reported again.
  func connectAgain(_ client: CentralClient, _ peer: DeviceAddress) {
    guard let link = links.first(where: { $0.peer == peer }), link.isOpen else { return }
    reportConnected(link, link.member(client))
  }

  private func addLink(to peer: DeviceAddress) -> PeripheralLink {
    let link = PeripheralLink(peer: peer)
    links.append(link)
    return link
  }

  func begin(_ link: PeripheralLink) {
    link.beginning = nil
    link.id = central.connect(to: link.peer)
  }

  /// Cancels a manager's request for a link.
  func cancel(_ client: CentralClient, _ peer: DeviceAddress, at now: Instant) {
    guard let link = links.first(where: { $0.peer == peer }) else { return }
    leave(link, client, at: now)
  }

  /// Removes a manager from a link. The last manager ends the link.
  func leave(_ link: PeripheralLink, _ client: CentralClient, at now: Instant) {
    guard let member = link.member(client) else { return }
    link.members.removeAll { $0 === member }
    link.endAll(for: member, CBError(.operationCancelled))
    member.closeChannels()
    guard link.members.isEmpty else {
      endSubscriptions(of: member, on: link)
      return member.reportEnd(nil)
    }
    remove(link)
    guard let id = link.id else { return member.reportEnd(nil) }
    endings[id] = member
    central.disconnect(id)
  }

  /// Ends the subscriptions that only this manager has.
  private func endSubscriptions(of member: PeripheralLink.Member, on link: PeripheralLink) {
    guard let id = link.id else { return }
    for handle in member.subscriptions where !link.isSubscribed(handle, except: member) {
      guard let configuration = link.configurations[handle] else { continue }
      central.perform(.subscribe(configuration, .none), on: id)
    }
  }

  private func remove(_ link: PeripheralLink) {
    links.removeAll { $0 === link }
    connected.withLock { $0[link.peer] = nil }
  }

  func opened(_ id: LinkID) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    link.isOpen = true
    connected.withLock { $0[link.peer] = [] }
    let exchange = central.perform(.exchangeMTU, on: id)
    link.wait(for: [exchange], of: nil) { [weak link] result in
      guard let link, case .success(let outputs) = result, case .mtu(let mtu)? = outputs.first
      else { return }
      link.mtu = mtu
      for member in link.members {
        member.callManager { _, peripheral in peripheral.contents.withLock { $0.mtu = mtu } }
      }
    }
    central.perform(.watchServices, on: id, whenIdle: true)
    let reading = central.perform(.readFirst(.deviceName), on: id, whenIdle: true)
    link.wait(for: [reading], of: nil) { [weak self, weak link] result in
      guard let self, let link, case .success(let outputs) = result,
        case .value(let bytes)? = outputs.first
      else { return }
      named(link, bytes)
    }
    for member in link.members { reportConnected(link, member) }
  }

  private func named(_ link: PeripheralLink, _ bytes: [UInt8]) {
    guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return }
    names.withLock { $0.note(KnownName(text: name, isRead: true), of: link.peer) }
    for member in link.members {
      member.callManager { _, peripheral in
        guard peripheral.change({ $0.readName(name) }) else { return }
        peripheral.delegate?.peripheralDidUpdateName(peripheral)
      }
    }
  }

  private func reportConnected(_ link: PeripheralLink, _ member: PeripheralLink.Member?) {
    let mtu = link.mtu
    member?.callManager { manager, peripheral in
      guard peripheral.change({ $0.linkOpened(mtu) }) else { return }
      manager.delegate?.centralManager(manager, didConnect: peripheral)
    }
  }

  /// A link has ended, or cannot be made.
  func ended(_ id: LinkID, _ error: CBError, at now: Instant) {
    if let member = endings.removeValue(forKey: id) { return member.reportEnd(nil) }
    guard let link = links.first(where: { $0.id == id }) else { return }
    lost(link, error, at: now)
  }

  /// A link that managers still want has ended, or cannot be made.
  func lost(_ link: PeripheralLink, _ error: CBError, at now: Instant) {
    remove(link)
    if let id = link.id { central.disconnect(id) }
    link.endAll(error)
    // Without the bond the next link would end at once too.
    let canReconnect =
      link.isOpen && state == .poweredOn && error.code != .peerRemovedPairingInformation
    for member in link.members {
      let successor = canReconnect ? member.successor() : nil
      member.reportEnd(error, isReconnecting: successor != nil)
      if let successor { connect(successor, to: link.peer, after: 0, at: now) }
    }
  }
}

extension PeripheralLink.Member {
  /// The member of the next link; `nil` if the manager does not want to reconnect.
  fileprivate func successor() -> PeripheralLink.Member? {
    guard reconnects, let peripheral,
      peripheral.contents.withLock({ $0.beginReconnecting() })
    else { return nil }
    return PeripheralLink.Member(client, peripheral, reconnects: true)
  }

  /// Reports that a link has ended or failed; `error` is `nil` if the manager ended it.
  func reportEnd(_ error: CBError?, isReconnecting: Bool = false) {
    let time = CFAbsoluteTimeGetCurrent()
    callManager { manager, peripheral in
      let (wasOpen, wasCancelled) = peripheral.change {
        $0.linkEnded(isReconnecting: isReconnecting)
      }
      let error = wasCancelled ? nil : error
      if !wasOpen, let error {
        manager.delegate?.centralManager(manager, didFailToConnect: peripheral, error: error)
      } else {
        manager.delegate?.centralManager(
          manager, didDisconnectPeripheral: peripheral, timestamp: time,
          isReconnecting: isReconnecting, error: error)
      }
    }
  }
}
