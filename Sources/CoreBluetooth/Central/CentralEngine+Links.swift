import BluetoothHost

// The managers' requests for links, and the ends of links.
extension CentralEngine {
  /// The link that managers have or want to `peer`.
  private func link(to peer: DeviceAddress) -> PeerLink? {
    links.first { $0.peer == peer && !$0.isAbandoned }
  }

  /// A manager's open link, and its member there; `nil` if it has none.
  func openLink(of handle: CentralHandle, to peer: DeviceAddress) -> (
    link: PeerLink, member: PeerLink.Member
  )? {
    for link in links where link.peer == peer && link.hasOpened {
      // A link that managers have left has no members.
      for member in link.members where member.handle === handle { return (link, member) }
    }
    return nil
  }

  /// Adds a manager's request for a link, after `delay` milliseconds. Attempts continue until the
  /// link is open, the last manager cancels it, the radio fails, or an HCI error would recur. They
  /// take turns with other attempts and with a scan. Exactly one report to the manager says that
  /// the link has ended or failed.
  func connect(_ member: PeerLink.Member, to peer: DeviceAddress, after delay: UInt32 = 0) {
    // The radio was lost after the manager's call. The manager has not received the new state yet.
    guard state == .poweredOn else { return member.report(.ended(.radioLost)) }
    let start = now.advanced(by: delay)
    let link = link(to: peer) ?? PeerLink(to: peer, from: start)
    link.members.append(member)
    if link.hasOpened { return member.report(.opened(link.mtu)) }
    guard case .delayed(let until) = link.phase else { return }
    link.phase = .delayed(until: min(until, start))
    if !links.contains(where: { $0 === link }) { links.append(link) }
    if delay == 0 { endTurn(of: link) }
  }

  /// A manager asks again for a link that it has or waits for. An open link is reported again.
  func connectAgain(_ handle: CentralHandle, to peer: DeviceAddress) {
    guard let (link, member) = openLink(of: handle, to: peer) else { return }
    member.report(.opened(link.mtu))
  }

  /// Cancels a manager's request for a link.
  func cancel(_ handle: CentralHandle, _ peer: DeviceAddress) {
    if let link = link(to: peer) { leave(link, handle) }
  }

  /// Removes a manager from a link. The last manager ends the link.
  func leave(_ link: PeerLink, _ handle: CentralHandle) {
    guard let member = link.member(handle) else { return }
    link.members.removeAll { $0 === member }
    link.endRequests(of: member, CBError(.operationCancelled))
    member.closeChannels()
    if link.members.isEmpty { return abandon(link, by: member) }
    // Ends the subscriptions that only this manager has.
    for value in member.subscriptions where !link.isSubscribed(value, except: member) {
      guard let configuration = link.configurations[value] else { continue }
      append(PeerRequest(.subscribe(configuration, .none)), to: link)
    }
    member.report(.ended(nil))
  }

  /// Ends a link that no manager wants any more.
  private func abandon(_ link: PeerLink, by member: PeerLink.Member? = nil) {
    needsUpdate = true
    connected.withLock { $0[link.peer] = nil }
    link.abandon(by: member)
    switch link.phase {
    case .connecting, .yielding: link.phase = .cancelling
    // A link that the peer has made stays open.
    case .open where link.connectionIndex.map { connections[$0]?.role } == .central:
      link.phase = .closing(isAsked: false)
    case .delayed, .waiting, .open: end(link, nil)
    case .cancelling, .closing, .ended: break
    }
  }

  /// A link has ended, or cannot be made; `reason` is `nil` if this device has cancelled it.
  func end(_ link: PeerLink, _ reason: LinkEnd?) {
    needsUpdate = true
    links.removeAll { $0 === link }
    link.phase = .ended
    if let index = link.connectionIndex, connections[index]?.link === link {
      connections[index]?.link = nil
    }
    if let member = link.lastMember { return member.report(.ended(nil)) }
    if !link.isAbandoned { lose(link, reason ?? .radioLost) }
  }

  /// A link that managers still want has ended, or cannot be made.
  func lose(_ link: PeerLink, _ reason: LinkEnd) {
    let members = link.members
    abandon(link)
    let error = CBError(reason)
    link.endRequests(error)
    // Without the bond the next link would end at once too.
    let canReconnect =
      link.hasOpened && state == .poweredOn && error.code != .peerRemovedPairingInformation
    for member in members {
      let successor = canReconnect ? member.successor() : nil
      member.report(.ended(reason, isReconnecting: successor != nil))
      if let successor { connect(successor, to: link.peer) }
    }
  }
}
