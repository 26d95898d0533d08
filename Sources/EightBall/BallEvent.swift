import BluetoothHost

/// Something that happened to the ball, for whoever watches it.
public enum BallEvent: Sendable {
  /// The radio's state has changed.
  case radio(RadioState)
  /// A central has taken a place.
  case connected(place: Int, address: DeviceAddress)
  /// A central has gone.
  case disconnected(place: Int, address: DeviceAddress, reason: HCIErrorCode)
  /// A central wants to hear answers, or no longer.
  case subscribed(place: Int, Bool)
  /// A central has asked; `Ball.withQuestion(at:)` gives the text.
  case asked(place: Int)
  /// A central has said something that is not a question.
  case refused(place: Int, QuestionRule.Refusal)
  /// A central has been sent an answer to its question.
  case answered(place: Int, Answer)
  /// So many of the events before this one were not fetched in time, and are lost.
  case missed(Int)
}

/// The events that have not been fetched, oldest first.
struct EventQueue {
  private static let capacity = 32

  private var events = InlineArray<32, BallEvent>(repeating: .missed(0))
  private var first = 0
  private var count = 0
  private var missed = 0

  /// Adds an event; the oldest goes if there is no room.
  mutating func append(_ event: BallEvent) {
    if count == Self.capacity {
      first = (first + 1) % Self.capacity
      count -= 1
      missed += 1
    }
    events[(first &+ count) % Self.capacity] = event
    count &+= 1
  }

  /// Takes the oldest event; `nil` if there is none.
  mutating func next() -> BallEvent? {
    if missed > 0 {
      defer { missed = 0 }
      return .missed(missed)
    }
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % Self.capacity
      count -= 1
    }
    return events[first]
  }
}
