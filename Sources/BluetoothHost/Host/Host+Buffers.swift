// Who may use the controller's buffers for data.
//
// A central that does not take its packets keeps the buffers that they are in. So that others are
// served all the same, a link that has a buffer gets another only while one is left for each link that
// has none, and one for a link that may come. And each link whose packets do not leave has a clock of
// its own.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// How many free buffers are for links that have none.
  var reservedBuffers: Int {
    table.count &- controller.sendingLinks &+ (table.count < links ? 1 : 0)
  }

  /// The link at `index` has its share: if it has more to send, its clock runs.
  @inline(never)
  mutating func waitForShare(_ index: Int, at now: Instant) {
    guard connections[index].timers[.stall] == nil, hasPacket(at: index) else { return }
    startClock(of: index, at: now)
  }

  /// Whether the link at `index` has something to send, as far as is known without preparing it.
  private func hasPacket(at index: Int) -> Bool {
    if connections[index].sending != .nothing || !connections[index].control.isEmpty { return true }
    if Channels.isPresent, channelRole.hasPacket(for: connections[index]) { return true }
    if Server.isPresent, serverRole.hasPacket(for: connections[index]) { return true }
    return Client.isPresent && clientRole.hasPacket(for: connections[index])
  }

  /// All buffers are taken: the clock of each link that has some runs.
  @inline(never)
  mutating func waitForBuffers(at now: Instant) {
    for index in 0..<links
    where connections[index].inFlight > 0 && connections[index].timers[.stall] == nil {
      startClock(of: index, at: now)
    }
  }

  /// The controller has as long as a link can be silent without ending, and its patience.
  private mutating func startClock(of index: Int, at now: Instant) {
    connections[index].timers[.stall] = now.advanced(
      by: connections[index].supervisionTimeout + CommandFlow.patience)
    noteTimers(of: index)
  }

  /// Core Specification, Vol 4, Part E, 7.7.19.
  mutating func receiveCompletedPackets(_ parameters: Span<UInt8>) {
    guard var completed = NumberOfCompletedPackets(parameters: parameters) else { return }
    while let (handle, count) = completed.next() {
      guard let index = table.index(of: handle) else { continue }
      freeBuffers(Int(count), of: index)
    }
  }

  /// The controller has `count` packets less of the link at `index`; never less than none.
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
