// Changes that the server's program makes while the host runs.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// What the host advertises while it has a free connection; `nil` for nothing.
  public var advertisement: Advertisement? {
    Server.isPresent ? serverRole.advertiser.advertisement : nil
  }

  /// Sets what to advertise while a connection is free; `nil` for nothing. Open links stay.
  ///
  /// `RadioState.advertising` reports that advertising has begun. A change during advertising
  /// reports nothing.
  public mutating func advertise(_ advertisement: Advertisement?) {
    guard Server.isPresent, advertisement != self.advertisement else { return }
    serverRole.advertiser.advertisement = advertisement
    serverRole.advertiser.isAdvertisingDataPending = advertisement != nil
    serverRole.advertiser.isScanResponseDataPending = advertisement != nil
    serverRole.advertiser.isAdvertisingRefused = false
    controller.mayHaveCommands = true
  }

  /// Whether advertising has to wait until a link ends: every connection is in use, or the
  /// controller refuses to advertise while it has links.
  public var isAdvertisingHeldBack: Bool {
    guard Server.isPresent, serverRole.advertiser.advertisement != nil else { return false }
    return !hasRoomToAdvertise || serverRole.advertiser.isAdvertisingRefused
  }

  /// Whether a central can connect. A connection stays reserved for a peer that this device is
  /// connecting to.
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

  /// Calls the application again for the request that it put off for the client at
  /// `connectionIndex`. Does nothing if there is none.
  public mutating func resume(at connectionIndex: Int) {
    guard Server.isPresent, isOpen(connectionIndex) else { return }
    serverRole.resume(&connections[connectionIndex])
    pending.insert(connectionIndex)
    noteTimers(of: connectionIndex)
  }
}
