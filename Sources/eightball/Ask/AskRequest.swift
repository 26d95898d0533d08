import BluetoothHost
import LinuxRadio

/// A question, the ball to ask, and the timeouts, in milliseconds.
struct AskRequest {
  /// The first question; `nil` to wait for a line.
  var question: String?
  /// The name of the ball to ask; `nil` for the first one found.
  var name: String?
  /// How long the ball may take to answer.
  var answerTimeout: UInt32 = 2_000
  /// How long to look for a ball.
  var searchTimeout: UInt32 = 5_000
  /// How long a found ball may take until it can be asked.
  var preparationTimeout: UInt32 = 10_000
  /// How long all of this may take together, from when the radio is ready; `nil` without a limit.
  var wholeTimeout: UInt32?
  /// Whether to stay connected and subscribed after the answer, and to ask each line of standard
  /// input.
  var stays = false
  /// Whether to pair if the ball requires it.
  var pairs = false
}

/// How asking a ball ended.
enum AskOutcome: Equatable {
  case answered(String)
  /// The ball refused: not a question.
  case refused
  /// The ball refused, or the request failed, for this reason.
  case failed(AskError)
  case noBallFound
  /// A ball was found, and could not be asked in time.
  case unreachable(AskError?)
  /// The device with this name lacks the ball's service.
  case noService(name: String)
  case timedOut
  /// The ball disconnected before it answered.
  case disconnected
  case cancelled
  case radioFailed(RadioError)
  /// Standard input has ended, and every question of it.
  case inputEnded

  /// Whether a program that stays can ask the next question.
  var isOfOneQuestion: Bool {
    switch self {
    case .answered, .refused, .failed, .timedOut: true
    default: false
    }
  }
}

/// Why a ball could not be asked.
enum AskError: Error, Equatable {
  /// The link ended, or could not be made.
  case offline
  /// This side has no room for another link.
  case connectionLimit
  /// The bond's key did not encrypt the link.
  case keys
  /// The ball's attributes could not be discovered.
  case discovery(ATTErrorCode)
  /// The ball refused the subscription or the question.
  case refused(ATTErrorCode)

  /// Why an operation failed; `nil` if the link ends, which is reported separately.
  ///
  /// - Parameter isDiscovery: Whether the operation discovers attributes.
  init?(_ error: OperationError, isDiscovery: Bool) {
    let code: ATTErrorCode
    switch error {
    case .timedOut, .disconnected: return nil
    case .encryptionFailed(let reason) where reason.isAboutKeys:
      self = .keys
      return
    case .encryptionFailed: code = .insufficientEncryption
    case .refused(let response): code = response.code
    case .wrongResponse(.valueTooLong), .tooLong: code = .invalidAttributeValueLength
    case .wrongResponse(.echoDiffers): code = .unlikelyError
    case .wrongResponse: code = .invalidPDU
    }
    self = isDiscovery ? .discovery(code) : .refused(code)
  }
}

extension HCIErrorCode {
  /// Whether it means that a bond's key is missing or different.
  var isAboutKeys: Bool {
    self == .pinOrKeyMissing || self == .connectionTimeout || self == .linkLayerResponseTimeout
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
