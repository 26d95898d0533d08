import BluetoothHost

/// The rule for what is a question.
public enum QuestionRule {
  /// The longest question, in bytes: the longest attribute value.
  public static let maximumLength = 512

  /// Why `text` is not a question; `nil` if it is one: UTF-8 that ends in `?`.
  @inlinable
  @inline(__always)
  public static func error(in text: Span<UInt8>) -> QuestionError? {
    guard text.count <= maximumLength else { return .tooLong }
    guard text.isValidUTF8 else { return .notUTF8 }
    let last = text.count &- 1
    guard last >= 0, text[last] == UInt8(ascii: "?") else { return .statement }
    return nil
  }
}

/// Why a text is not a question, so that the ball refuses the write.
public enum QuestionError: Equatable, Sendable {
  /// It does not end in `?`.
  case statement
  /// It is not UTF-8.
  case notUTF8
  /// It is more than 512 bytes.
  case tooLong

  /// The error code of the write response.
  public var code: ATTErrorCode {
    switch self {
    case .statement: .unlikelyError
    case .notUTF8: .notUTF8
    case .tooLong: .invalidAttributeValueLength
    }
  }
}
