import BluetoothHost

/// A question, the ball to ask, and the timeouts, in milliseconds.
struct AskRequest {
  /// The first question; `nil` to wait for a line.
  var question: String?
  /// The name of the ball to ask; `nil` for the first one found.
  var name: String?
  /// How long the ball may take to answer.
  var answerTimeout: UInt32 = 2_000
  /// How long the search and the preparation may take.
  var limits = CentralLimits()
  /// Whether to stay connected and subscribed after the answer, and to ask each line of standard
  /// input.
  var stays = false
  /// Whether to pair if the ball requires it.
  var pairs = false
  /// Whether bluetoothd has the radio.
  var isBesideDaemon = false
}

extension CentralOutcome {
  /// Whether a program that stays can ask the next question.
  var isOfOneQuestion: Bool {
    switch self {
    case .answered, .refused, .failed, .timedOut: true
    default: false
    }
  }
}

/// Why a text cannot be sent as a question.
enum QuestionInputError: Error, Equatable, CustomStringConvertible {
  case empty
  case tooLong
  /// It is not UTF-8.
  case notUTF8

  /// What is wrong, and what to do.
  var description: String {
    switch self {
    case .empty: "The question is empty: give one that ends in a question mark."
    case .tooLong:
      "The question has more than the \(maximumAttributeValueLength) bytes of UTF-8 that a ball "
        + "takes: shorten it."
    case .notUTF8: "The question is not valid UTF-8: type it in UTF-8."
    }
  }

  /// The question in these bytes.
  static func question(of bytes: [UInt8]) throws(QuestionInputError) -> String {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= maximumAttributeValueLength else { throw .tooLong }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    return text
  }
}
