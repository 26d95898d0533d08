// Who may use the controller's buffers for data.
//
// A central that does not take its packets keeps the buffers that they are in. So that others are
// served all the same, a link that has a buffer gets another only while one is left for each link that
// has none, and one for a link that may come. And each link whose packets do not leave has a clock of
// its own.
extension Host where Database: ~Copyable, Application: ~Copyable {
  /// How many free buffers are for links that have none.
  var reservedBuffers: Int {
    connectionCount &- controller.sendingLinks &+ (connectionCount < places ? 1 : 0)
  }

  /// The link at `place` has its share: if it has more to send, its clock runs.
  @inline(never)
  mutating func waitForShare(_ place: Int, at now: Instant) {
    guard connections[place].stallDeadline == nil,
      connections[place].hasPacket(at: place, application: application)
    else { return }
    startClock(of: place, at: now)
  }

  /// All buffers are taken: the clock of each link that has some runs.
  @inline(never)
  mutating func waitForBuffers(at now: Instant) {
    for place in 0..<places
    where connections[place].inFlight > 0 && connections[place].stallDeadline == nil {
      startClock(of: place, at: now)
    }
  }

  /// The controller has as long as a link can be silent without ending, and its patience.
  private mutating func startClock(of place: Int, at now: Instant) {
    connections[place].stallDeadline = now.advanced(
      by: connections[place].supervisionTimeout + CommandFlow.patience)
  }

  /// Core Specification, Vol 4, Part E, 7.7.19.
  mutating func receiveCompletedPackets(_ parameters: Span<UInt8>) {
    guard var completed = NumberOfCompletedPackets(parameters: parameters) else { return }
    while let (handle, count) = completed.next() {
      guard let place = place(of: handle) else { continue }
      freeBuffers(Int(count), of: place)
    }
  }

  /// The controller has `count` packets less of the link at `place`; never less than none.
  mutating func freeBuffers(_ count: Int, of place: Int) {
    let freed = min(count, connections[place].inFlight)
    guard freed > 0 else { return }
    connections[place].inFlight -= freed
    connections[place].stallDeadline = nil
    controller.inFlight -= freed
    if connections[place].inFlight == 0 { controller.sendingLinks -= 1 }
  }
}
