// Which link may use the controller's data buffers.
//
// A central that does not acknowledge its packets keeps their buffers occupied. To keep serving the
// others, a link that has a buffer gets another only while one remains for each link without a
// buffer, and one for a new link. Each link with stalled packets has its own timer.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// How many free buffers are reserved for links that have none.
  var reservedBuffers: Int {
    table.count &- controller.sendingLinks &+ (table.count < links ? 1 : 0)
  }

  /// The link at `index` has used its share of buffers: starts its timer if it has more to send.
  @inline(never)
  mutating func waitForShare(_ index: Int, at now: Instant) {
    guard connections[index].timers[.stall] == nil, hasPacket(at: index) else { return }
    startClock(of: index, at: now)
  }

  /// Whether the link at `index` may have a packet to send, without preparing one.
  private func hasPacket(at index: Int) -> Bool {
    if connections[index].sending != .nothing || !connections[index].control.isEmpty { return true }
    if Channels.isPresent, channelRole.hasPacket(for: connections[index]) { return true }
    if Server.isPresent, serverRole.hasPacket(for: connections[index]) { return true }
    return Client.isPresent && clientRole.hasPacket(for: connections[index])
  }

  /// All buffers are in use: starts the timer of each link that has some.
  @inline(never)
  mutating func waitForBuffers(at now: Instant) {
    for index in 0..<links
    where connections[index].inFlight > 0 && connections[index].timers[.stall] == nil {
      startClock(of: index, at: now)
    }
  }

  /// The time limit is the link's supervision timeout plus that for commands.
  private mutating func startClock(of index: Int, at now: Instant) {
    connections[index].timers[.stall] = now.advanced(
      by: connections[index].supervisionTimeout + CommandFlow.timeout)
    noteTimers(of: index)
  }

  /// Takes a Number Of Completed Packets event: Core Specification, Vol 4, Part E, 7.7.19.
  mutating func receiveCompletedPackets(_ parameters: Span<UInt8>) {
    guard var completed = NumberOfCompletedPackets(parameters: parameters) else { return }
    while let (handle, count) = completed.next() {
      guard let index = table.index(of: handle) else { continue }
      freeBuffers(Int(count), of: index)
    }
  }

  /// Releases up to `count` buffers of the link at `index`.
  mutating func freeBuffers(_ count: Int, of index: Int) {
    let freed = min(count, connections[index].inFlight)
    guard freed > 0 else { return }
    connections[index].inFlight -= freed
    connections[index].timers[.stall] = nil
    noteTimers(of: index)
    controller.inFlight -= freed
    if connections[index].inFlight == 0 { controller.sendingLinks -= 1 }
  }
}
