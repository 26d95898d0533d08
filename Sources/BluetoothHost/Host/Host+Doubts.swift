// Where the host's picture of its controller may be wrong: links that it was not told of, and
// links whose end it was not told of.
//
// An event is lost when a controller crashes and recovers by itself, or when its host was too
// slow to read. Without this, one lost event would cost a place, or silence the peripheral.
extension Host where Database: ~Copyable, Application: ~Copyable {
  /// How long a link may be silent before it is asked after, in milliseconds.
  static var checkInterval: UInt32 { 60_000 }

  /// Data has come on a link that the host knows nothing of. Over USB it may overtake the event
  /// that tells of the link, so that gets some time.
  mutating func meetStranger(_ handle: ConnectionHandle, at now: Instant) {
    guard controller.phase == .ready, controller.strangerTime == nil else { return }
    controller.stranger = handle
    controller.strangerTime = now.advanced(by: CommandFlow.patience)
  }

  /// A link that the host knew nothing of has ended. It may have been made out of advertising that
  /// is thought to be on: that is turned off, and on again.
  mutating func strangerLeft(_ handle: ConnectionHandle) {
    guard controller.phase == .ready else { return }
    if controller.stranger == handle { controller.stranger = nil }
    controller.doubtsAdvertising = true
    controller.owesCommands = true
  }

  /// Does what has become due.
  mutating func advanceDoubts(to now: Instant) {
    if let time = controller.strangerTime, time <= now {
      controller.strangerTime = nil
      controller.owesCommands = true
    }
    if let time = controller.checkTime, time <= now {
      let isDue = connectionCount > 0 && controller.checksLinks
      controller.checkTime = isDue ? now.advanced(by: Self.checkInterval) : nil
      for place in 0..<places where connections[place].handle != nil {
        connections[place].owesCheck = isDue && !connections[place].isHeard
        connections[place].isHeard = false
      }
      controller.owesCommands = true
    }
  }

  /// The link to be ended because nobody knows it; `nil` if there is none, or not yet.
  mutating func takeStranger() -> ConnectionHandle? {
    guard controller.strangerTime == nil, let handle = controller.stranger else { return nil }
    controller.stranger = nil
    return place(of: handle) == nil ? handle : nil
  }

  /// The controller has no link `handle`: its end was not told. With the last one, the controller
  /// is set up again, since it may have lost everything.
  mutating func linkIsMissing(_ handle: ConnectionHandle?, at now: Instant) {
    guard let handle, let place = place(of: handle) else { return }
    close(place, reason: .unspecifiedError)
    if connectionCount == 0, !controller.isShuttingDown { start(at: now) }
  }
}
