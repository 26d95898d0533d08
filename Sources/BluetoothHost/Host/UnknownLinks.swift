/// Links that the host knows by their data alone: their Connection Complete is late, or lost.
///
/// Each has some time in which its event may come. Then the host ends it.
struct UnknownLinks {
  /// A link, with the moment at which it is to be ended; without one, that is due.
  private struct Entry {
    var handle: ConnectionHandle
    var time: Instant?
  }

  /// How many are remembered at once. Data of one more is noticed again when there is room.
  private static var capacity: Int { 8 }

  private var entries = InlineArray<8, Entry?>(repeating: nil)
  /// When the next one is to be ended; `nil` if none waits.
  private(set) var deadline: Instant?

  /// Data has come on `handle`. The first such data decides that it is ended at `time`.
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

  /// The link is known now, or has ended.
  mutating func remove(_ handle: ConnectionHandle) {
    for index in 0..<Self.capacity where entries[index]?.handle == handle {
      entries[index] = nil
    }
    findDeadline()
  }

  /// The time is `now`. Returns whether a link is to be ended that was not before.
  mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    for index in 0..<Self.capacity {
      if let time = entries[index]?.time, time <= now { entries[index]?.time = nil }
    }
    findDeadline()
    return true
  }

  /// A link that is to be ended, which is forgotten; `nil` if there is none.
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
