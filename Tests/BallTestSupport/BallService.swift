import BluetoothHost

/// The Magic 8-Ball's service, as a client knows it.
package enum BallService {
  /// `8E38140A-27BE-4090-8955-4FC4B5698D1E`, the primary service, which is advertised.
  package static let service = BluetoothUUID(
    high: 0x8E38_140A_27BE_4090, low: 0x8955_4FC4_B569_8D1E)
  /// `BDD37D7A-F66A-47B9-A49C-FE29FD235A77`: a question is written to it.
  package static let question = BluetoothUUID(
    high: 0xBDD3_7D7A_F66A_47B9, low: 0xA49C_FE29_FD23_5A77)
  /// `349A0D7B-6215-4E2C-A095-AF078D737445`: the answer is notified from it.
  package static let answer = BluetoothUUID(
    high: 0x349A_0D7B_6215_4E2C, low: 0xA095_AF07_8D73_7445)
}

/// The question, the name of the ball, and the timeouts in milliseconds.
package struct BallInquiry: Equatable, Sendable {
  /// The question, at most 512 bytes of UTF-8. A ball refuses one that does not end in `?`.
  package var question: String
  /// The name of the ball to ask; `nil` for the first that is found.
  package var name: String?

  /// How long to look for a ball.
  package var searchTimeout: UInt32 = 5_000
  /// How long to wait for the rest of a ball's name, which is in another packet than its service.
  package var nameTimeout: UInt32 = 500
  /// How long a connection attempt may take.
  package var connectionTimeout: UInt32 = 5_000
  /// How long the discovery of a connected ball's attributes may take.
  package var preparationTimeout: UInt32 = 10_000
  /// How long the ball may take to answer, from the subscription on.
  package var answerTimeout: UInt32 = 2_000
  /// How long the disconnection may take.
  package var closingTimeout: UInt32 = 1_000

  /// An inquiry with `question` for any ball.
  package init(question: String) {
    self.question = question
  }
}

/// The outcome of an inquiry.
package enum BallOutcome: Equatable, Sendable {
  /// The ball answered.
  case answered(String)
  /// The ball requires a question: it refused with ATT error 0x0E.
  case refused
  /// The ball refused with another error.
  case error(ATTErrorCode)
  /// No ball was found, or none with the requested name.
  case noBallFound
  /// A ball was found, but could not be connected to.
  case unreachable(ConnectionFailure)
  /// The ball was connected, and did not answer in time.
  case timedOut
  /// The link ended before the ball had answered: with `hardwareFailure`, if the controller failed.
  case disconnected(HCIErrorCode)
  /// The ball does not follow its profile.
  case misbehaved(BallFault)
  /// The question is longer than this many bytes.
  case tooLong(limit: Int)
  /// The caller cancelled.
  case cancelled
  /// The controller refused to scan.
  case scanRefused(HCIErrorCode)
  /// The controller has gone.
  case radioLost
}

/// What was wrong with a ball.
package enum BallFault: Error, Equatable, Sendable {
  /// It advertises the service, but does not have it.
  case noService
  /// It has no characteristic that a question can be written to.
  case noQuestion
  /// It has no characteristic that notifies the answer.
  case noAnswer
  /// It sent a wrong response.
  case wrongResponse(ResponseFault)
}

/// An event of an inquiry.
package enum BallClientEvent: Equatable, Sendable {
  /// The radio is ready, and the search has begun.
  case searching
  /// A ball was found.
  case found(Discovery)
  /// The ball is connected.
  case connected(DeviceAddress)
  /// The ball has accepted the question.
  case asked
  /// The outcome; the link, if there is one, is being closed.
  case decided(BallOutcome)
  /// The link is closed, and everything is done.
  case finished(BallOutcome)
}
