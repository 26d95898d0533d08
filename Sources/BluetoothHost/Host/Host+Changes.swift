// What the owner of a server changes while it runs.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// What the host advertises while a connection is free; `nil` if nothing.
  public var advertisement: Advertisement? {
    Server.isPresent ? serverRole.advertiser.advertisement : nil
  }

  /// What to advertise from now on, while a connection is free; `nil` for nothing. Links that there
  /// are stay.
  ///
  /// `RadioState.advertising` says that advertising has begun. A change while it is on reports nothing.
  public mutating func advertise(_ advertisement: Advertisement?) {
    guard Server.isPresent, advertisement != self.advertisement else { return }
    serverRole.advertiser.advertisement = advertisement
    serverRole.advertiser.owesAdvertisingData = advertisement != nil
    serverRole.advertiser.owesScanResponseData = advertisement != nil
    serverRole.advertiser.refusesAdvertising = false
    controller.owesCommands = true
  }

  /// Whether there is something to advertise that has to wait until a link has gone: every connection
  /// is in use, or the controller refuses to advertise while it has links.
  public var isAdvertisingHeldBack: Bool {
    guard Server.isPresent, serverRole.advertiser.advertisement != nil else { return false }
    return !hasRoomToAdvertise || serverRole.advertiser.refusesAdvertising
  }

  /// Whether a central may come. A connection is kept for the peer that this device connects to.
  var hasRoomToAdvertise: Bool {
    let kept = Client.isPresent && !clientRole.initiator.isIdle ? 1 : 0
    guard table.count + kept < links else { return false }
    guard Client.isPresent, let limit = configuration.peripheralLinks else { return true }
    var count = 0
    for index in 0..<links where isOpen(index) && connections[index].role == .peripheral {
      count += 1
    }
    return count < limit
  }

  /// The request of the client at `place` that the application put off can be answered: the
  /// application is asked again. Nothing happens if there is none.
  public mutating func resume(at place: Int) {
    guard Server.isPresent, isOpen(place) else { return }
    serverRole.resume(&connections[place])
    pending.insert(place)
    noteTimers(of: place)
  }
}
