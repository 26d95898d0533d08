/// Links without a connection in the host: their Connection Complete is late or lost, or the host
/// refuses them.
///
/// The host ends each link at a time of its own. A late event may arrive before that.
struct UnknownLinks {
  /// A link, and when the host ends it.
  private struct Entry {
    var handle: ConnectionHandle
    /// `nil` if the host has to end the link now.
    var time: Instant?
  }

  /// How many links are stored. Data of another one is noted when there is room.
  private static var capacity: Int { 8 }

  private var entries = InlineArray<8, Entry?>(repeating: nil)
  /// When to end the next link; `nil` if none waits.
  private(set) var deadline: Instant?

  /// Notes the link `handle`. The first call sets `time`, when the host ends the link.
  mutating func note(_ handle: ConnectionHandle, endedAt time: Instant) {
    var free: Int?
    for index in 0..<Self.capacity {
      if entries[index]?.handle == handle { return }
      if entries[index] == nil { free = free ?? index }
    }
    guard let free else { return }
    entries[free] = Entry(handle: handle, time: time)
    deadline = Instant.earlier(deadline, time)
  }

  /// Removes a link that is now known, or has ended.
  mutating func remove(_ handle: ConnectionHandle) {
    for index in 0..<Self.capacity where entries[index]?.handle == handle {
      entries[index] = nil
    }
    findDeadline()
  }

  /// Returns whether another link has to be ended at `now`.
  mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    for index in 0..<Self.capacity {
      if let time = entries[index]?.time, time <= now { entries[index]?.time = nil }
    }
    findDeadline()
    return true
  }

  /// Removes and returns a link that has to be ended; `nil` if there is none.
  mutating func takeDue() -> ConnectionHandle? {
    for index in 0..<Self.capacity {
      guard let entry = entries[index], entry.time == nil else { continue }
      entries[index] = nil
      return entry.handle
    }
    return nil
  }

  private mutating func findDeadline() {
    deadline = nil
    for index in 0..<Self.capacity {
      deadline = Instant.earlier(deadline, entries[index]?.time)
    }
  }
}
