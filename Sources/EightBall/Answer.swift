import BluetoothHost

/// One of the ball's twenty answers: ten that affirm, five that hedge, five that deny.
public struct Answer: RawRepresentable, Equatable, Sendable {
  /// 0 to 19.
  public let rawValue: UInt8

  /// `nil` above 19.
  public init?(rawValue: UInt8) {
    guard rawValue < Self.count else { return nil }
    self.rawValue = rawValue
  }

  /// How many there are.
  public static let count: UInt8 = 20

  /// Any of them, each as likely as the others.
  @inline(never)
  public static func random(from source: inout RandomSource) -> Answer {
    Answer(unchecked: UInt8(truncatingIfNeeded: source.next(below: UInt32(count))))
  }

  private init(unchecked rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// In English.
  public var text: StaticText { StaticText(string) }

  private var string: StaticString {
    switch rawValue {
    case 0: "It is certain."
    case 1: "It is decidedly so."
    case 2: "Without a doubt."
    case 3: "Yes – definitely."
    case 4: "You may rely on it."
    case 5: "As I see it, yes."
    case 6: "Most likely."
    case 7: "Outlook good."
    case 8: "Yes."
    case 9: "Signs point to yes."
    case 10: "Reply hazy, try again."
    case 11: "Ask again later."
    case 12: "Better not tell you now."
    case 13: "Cannot predict now."
    case 14: "Concentrate and ask again."
    case 15: "Don’t count on it."
    case 16: "My reply is no."
    case 17: "My sources say no."
    case 18: "Outlook not so good."
    default: "Very doubtful."
    }
  }

  /// Writes it in the form for centrals, as much as fits.
  public func write(_ style: AnswerFormat, to writer: inout ByteWriter) {
    switch style {
    case .text:
      writer.writePrefix(of: string)
    case .slug:
      writer.writePrefix(of: "SLUG-ANSWER-")
      writer.write(UInt8(ascii: "0") + rawValue / 10)
      writer.write(UInt8(ascii: "0") + rawValue % 10)
    }
  }
}

/// How the ball words its answers.
public enum AnswerFormat: Equatable, Sendable {
  /// In English, for any app that shows text.
  case text
  /// `SLUG-ANSWER-00` to `SLUG-ANSWER-19`, for an app that shows its own translations.
  case slug
}
