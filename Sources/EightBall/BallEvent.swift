import BluetoothHost

/// An event of the ball.
public enum BallEvent: Sendable {
  /// The radio's state has changed.
  case radio(RadioState)
  /// A central has connected.
  case connected(connectionIndex: Int, address: DeviceAddress)
  /// A central has disconnected.
  case disconnected(connectionIndex: Int, address: DeviceAddress, reason: HCIErrorCode)
  /// A central has subscribed to answers, or unsubscribed.
  case subscribed(connectionIndex: Int, Bool)
  /// A central has asked; `BallApplication.withQuestion(at:)` gives the text.
  case asked(connectionIndex: Int)
  /// A central has written something that is not a question.
  case refused(connectionIndex: Int, QuestionError)
  /// A central has been sent an answer to its question.
  case answered(connectionIndex: Int, Answer)
  /// This number of events before this one were lost because they were not fetched in time.
  case missed(Int)
}

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
      count &-= 1
      missed &+= 1
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
      count &-= 1
    }
    return events[first]
  }
}
