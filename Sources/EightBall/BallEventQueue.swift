/// The events that have not been fetched, oldest first.
struct BallEventQueue {
  private static let capacity = 32
  /// A power of two less one, so that an index needs no division.
  private static let mask = capacity - 1

  private var events = InlineArray<32, BallEvent>(repeating: .missed(0))
  private var first = 0
  private var count = 0
  private var missed = 0

  /// Adds an event; drops the oldest if there is no room.
  mutating func append(_ event: BallEvent) {
    if count == Self.capacity {
      first = (first &+ 1) & Self.mask
      count -= 1
      missed += 1
    }
    events[(first &+ count) & Self.mask] = event
    count &+= 1
  }

  /// Whether the queue is empty.
  var isEmpty: Bool { count == 0 }

  /// Takes the oldest event; `nil` if there is none.
  mutating func next() -> BallEvent? {
    if missed > 0 {
      defer { missed = 0 }
      return .missed(missed)
    }
    guard count > 0 else { return nil }
    defer {
      first = (first &+ 1) & Self.mask
      count -= 1
    }
    return events[first]
  }
}
