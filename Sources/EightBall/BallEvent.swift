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
  case refused(connectionIndex: Int, QuestionRule.Refusal)
  /// A central has been sent an answer to its question.
  case answered(connectionIndex: Int, Answer)
  /// This number of events before this one were lost because they were not fetched in time.
  case missed(Int)
}
