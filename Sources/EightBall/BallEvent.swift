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
