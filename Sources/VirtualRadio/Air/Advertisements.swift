import BluetoothHost

/// How advertisements reach scanners and initiators.
extension VirtualAir {
  /// Delivers one advertisement of `set`: a matching initiator connects, and the scanners report it.
  func deliverAdvertisement(of set: AdvertiserSet) {
    let advertiser = set.advertiser
    defer { reschedule(advertiser) }
    let rivals = rivals(of: set)
    for listener in listeners.all {
      guard let advertising = set.active else { return }
      guard let rssi = signalStrength(from: advertiser, to: listener),
        !losesAdvertisement(to: listener),
        !rivals.contains(where: { signalStrength(from: $0, to: listener) != nil })
      else { continue }
      if connect(listener, to: set) { return }
      listener.report(set, advertising, rssi: rssi)
      listener.synchronize(with: set, advertising)
    }
  }

  /// Delivers one advertisement of every set to a controller that begins to scan.
  func deliverAdvertisements(to scanner: VirtualController) {
    if beginCollisions() { return }
    for advertiser in advertisers.all {
      guard let rssi = signalStrength(from: advertiser, to: scanner) else { continue }
      for set in advertiser.state.sets {
        guard let advertising = set.active else { continue }
        if !losesAdvertisement(to: scanner) {
          scanner.report(set, advertising, rssi: rssi)
          scanner.synchronize(with: set, advertising)
        }
        set.active?.skip(to: now)
        // Whether it has other receivers has not changed.
        if scanner.wouldReport(set, advertising) || scanner.seeks(set, advertising) != nil {
          set.hasReceivers = true
        }
      }
      schedule.set(advertiser, advertiser.deadline)
    }
  }

  /// Connects a controller that begins to initiate, if its advertiser is already there.
  func connectInitiator(_ initiator: VirtualController) {
    if beginCollisions() { return }
    for advertiser in targets(of: initiator) {
      for set in advertiser.state.sets where set.active != nil {
        if losesAdvertisement(to: initiator) {
          // Its next one may be received.
          reschedule(advertiser)
        } else if connect(initiator, to: set) {
          return
        }
      }
    }
  }

  /// Whether an advertisement of `set` would cause a report or a link.
  func hasReceivers(_ set: AdvertiserSet, _ advertising: Advertising) -> Bool {
    anyAdvertisementMatters
      || listeners.all.contains { listener in
        guard signalStrength(from: set.advertiser, to: listener) != nil else { return false }
        return listener.wouldReport(set, advertising) || listener.seeks(set, advertising) != nil
          || meeting(of: listener, with: set) != nil
      }
  }

  /// Two controllers that can connect, each as the other one sees it.
  private struct Meeting {
    /// The advertiser, as the initiator sees it.
    var advertiser: Sender
    /// The initiator, as the advertiser sees it.
    var initiator: Sender
    /// What the initiator requests for the link.
    var parameters: LinkParameters
  }

  /// The two sides, if `initiator` looks for the advertiser of `set`, and each accepts the other.
  private func meeting(of initiator: VirtualController, with set: AdvertiserSet) -> Meeting? {
    let advertiser = set.advertiser
    guard let initiation = initiator.state.initiation, let advertising = set.active,
      advertising.isConnectable, let parameters = initiation.parameters(for: set),
      signalStrength(from: advertiser, to: initiator) != nil,
      let found = initiator.finds(advertising, initiation),
      let address = initiator.address(initiation.own, towards: found.identity),
      let admitted = advertiser.admits(address, advertising), initiator.hasRoomForLink,
      advertiser.hasRoomForLink
    else { return nil }
    return Meeting(advertiser: found, initiator: admitted, parameters: parameters)
  }

  /// Creates a link, if possible.
  private func connect(_ initiator: VirtualController, to set: AdvertiserSet) -> Bool {
    guard let meeting = meeting(of: initiator, with: set),
      let initiation = initiator.state.initiation, let advertising = set.active
    else { return false }

    let advertiser = set.advertiser
    let central = LinkEnd(
      controller: initiator, handle: initiator.makeHandle(), role: .central,
      ownAddress: meeting.initiator.address, own: initiation.own, sender: meeting.advertiser,
      parameters: meeting.parameters)
    let peripheral = LinkEnd(
      controller: advertiser, handle: advertiser.makeHandle(), role: .peripheral,
      ownAddress: advertising.address, own: advertising.own, sender: meeting.initiator,
      parameters: meeting.parameters)
    central.transmitPHY = set.linkPHY.rawValue
    peripheral.transmitPHY = set.linkPHY.rawValue
    central.peer = peripheral
    peripheral.peer = central
    meeting.advertiser.note()
    meeting.initiator.note()
    initiator.initiate(nil)
    advertiser.advertise(nil, in: set)
    initiator.begin(central)
    advertiser.begin(peripheral)
    advertiser.terminated(set, .success, peripheral)
    // A host that has written a suggested data length gets it on each new link.
    initiator.requestDataLength(initiator.state.suggestedDataLength, on: central)
    advertiser.requestDataLength(advertiser.state.suggestedDataLength, on: peripheral)
    beginEvents(central: central, peripheral: peripheral)
    planFaults(of: advertiser, at: advertising.address)
    return true
  }
}

extension VirtualController {
  fileprivate var hasRoomForLink: Bool { links.count < configuration.maximumLinks }

  /// The advertiser, if this controller wants to connect to it and is allowed to.
  fileprivate func finds(_ advertising: Advertising, _ initiation: Initiation) -> Sender? {
    guard let sender = state.resolvingList.sender(at: advertising.address),
      !links.contains(where: { $0.sender.identity == sender.identity })
    else { return nil }
    if let target = initiation.target {
      // A host may also name a private address that it has resolved.
      guard target == sender.identity || target == sender.address else { return nil }
    } else if !state.acceptList.contains(sender.identity) {
      return nil
    }
    guard let target = advertising.target else { return sender }
    return isAddressed(by: sender, target, initiation.own) ? sender : nil
  }

  /// The initiator at `address`, if it may connect to this controller.
  fileprivate func admits(_ address: DeviceAddress, _ advertising: Advertising) -> Sender? {
    guard let sender = state.resolvingList.sender(at: address) else { return nil }
    let isAdmitted =
      if let target = advertising.target {
        target == address || advertising.peer == sender.identity
      } else { !advertising.connectsAcceptListOnly || state.acceptList.contains(sender.identity) }
    return isAdmitted ? sender : nil
  }
}
