import BluetoothHost
import Foundation

extension CentralEngine {
  /// A manager wants a link, after so many milliseconds. Exactly one call of its delegate says that
  /// the link has ended, or cannot be made.
  func connect(
    _ member: PeripheralLink.Member, to peer: DeviceAddress, after delay: UInt32, at now: Instant
  ) {
    // It was asked for before the radio was lost, of which the manager is being told.
    guard state == .poweredOn else { return member.tellEnded(CBError(.connectionFailed)) }
    let link = links.first { $0.peer == peer } ?? addLink(to: peer)
    link.members.append(member)
    if link.isOpen {
      tellConnected(link, member)
    } else if link.id == nil {
      link.beginning = min(link.beginning ?? now.advanced(by: delay), now.advanced(by: delay))
      if delay == 0 { begin(link) }
    }
  }

  /// A manager wants a link that it has, or waits for, already: it is told that it has it.
  func connectAgain(_ client: CentralClient, _ peer: DeviceAddress) {
    guard let link = links.first(where: { $0.peer == peer }), link.isOpen else { return }
    tellConnected(link, link.member(client))
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

  /// A manager wants a link no more.
  func cancel(_ client: CentralClient, _ peer: DeviceAddress, at now: Instant) {
    guard let link = links.first(where: { $0.peer == peer }) else { return }
    leave(link, client, at: now)
  }

  /// Takes a manager's part in a link away, and the link with the last.
  func leave(_ link: PeripheralLink, _ client: CentralClient, at now: Instant) {
    guard let member = link.member(client) else { return }
    link.members.removeAll { $0 === member }
    link.endAll(for: member, CBError(.operationCancelled))
    member.closeChannels()
    guard link.members.isEmpty else {
      endSubscriptions(of: member, on: link)
      return member.tellEnded(nil)
    }
    remove(link)
    guard let id = link.id else { return member.tellEnded(nil) }
    endings[id] = member
    central.disconnect(id)
  }

  /// The peripheral goes on telling what one of its managers does not want to know any more.
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

  /// The central has made a link.
  func opened(_ id: LinkID) {
    guard let link = links.first(where: { $0.id == id }) else { return }
    link.isOpen = true
    let name = link.members.lazy.compactMap { $0.peripheral?.name }.first
    connected.withLock { $0[link.peer] = Connected(name: name) }
    let exchange = central.perform(.exchangeMTU, on: id)
    link.wait(for: [exchange], of: nil) { [weak link] result in
      guard let link, case .success(let outputs) = result, case .mtu(let mtu)? = outputs.first
      else { return }
      link.mtu = mtu
      for member in link.members {
        member.tell { _, peripheral in peripheral.contents.withLock { $0.mtu = mtu } }
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
    for member in link.members { tellConnected(link, member) }
  }

  private func named(_ link: PeripheralLink, _ bytes: [UInt8]) {
    guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return }
    connected.withLock { $0[link.peer]?.name = name }
    for member in link.members {
      member.tell { _, peripheral in
        guard peripheral.change({ $0.told(name) }) else { return }
        peripheral.delegate?.peripheralDidUpdateName(peripheral)
      }
    }
  }

  private func tellConnected(_ link: PeripheralLink, _ member: PeripheralLink.Member?) {
    let mtu = link.mtu
    member?.tell { manager, peripheral in
      guard peripheral.change({ $0.linkOpened(mtu) }) else { return }
      manager.delegate?.centralManager(manager, didConnect: peripheral)
    }
  }

  /// The central tells that a link has ended, or will not be.
  func ended(_ id: LinkID, _ error: CBError, at now: Instant) {
    if let member = endings.removeValue(forKey: id) { return member.tellEnded(nil) }
    guard let link = links.first(where: { $0.id == id }) else { return }
    lost(link, error, at: now)
  }

  /// A link is gone, or will not be, though it is wanted.
  func lost(_ link: PeripheralLink, _ error: CBError, at now: Instant) {
    remove(link)
    if let id = link.id { central.disconnect(id) }
    link.endAll(error)
    // Without its bond the peripheral would be lost again at once.
    let canReconnect =
      link.isOpen && state == .poweredOn && error.code != .peerRemovedPairingInformation
    for member in link.members {
      let successor = canReconnect ? member.successor() : nil
      member.tellEnded(error, isReconnecting: successor != nil)
      if let successor { connect(successor, to: link.peer, after: 0, at: now) }
    }
  }
}

extension PeripheralLink.Member {
  /// The part in the next link, if a link that is lost is to be made again and is still wanted.
  fileprivate func successor() -> PeripheralLink.Member? {
    guard reconnects, let peripheral,
      peripheral.contents.withLock({ $0.beginReconnecting() })
    else { return nil }
    return PeripheralLink.Member(client, peripheral, reconnects: true)
  }

  /// The end of what a manager had, or waited for: `nil` if it wanted that itself.
  func tellEnded(_ error: CBError?, isReconnecting: Bool = false) {
    let time = CFAbsoluteTimeGetCurrent()
    tell { manager, peripheral in
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
