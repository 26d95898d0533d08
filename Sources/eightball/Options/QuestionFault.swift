import BluetoothHost

/// Why a text cannot be sent as a question.
enum QuestionFault: Error, Equatable, CustomStringConvertible {
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
  static func question(of bytes: [UInt8]) throws(QuestionFault) -> String {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= maximumAttributeValueLength else { throw .tooLong }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    return text
  }
}
