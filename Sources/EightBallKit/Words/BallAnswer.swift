/// One of the twenty answers.
public struct BallAnswer: Hashable, Sendable, CustomStringConvertible {
  /// Its number, 0 to 19: ten that affirm, five that hedge, five that deny.
  public let index: Int

  /// The answer with a number; `nil` unless that is 0 to 19.
  public init?(index: Int) {
    guard Self.texts.indices.contains(index) else { return nil }
    self.index = index
  }

  /// The answer with this English text or slug; `nil` for any other text.
  public init?(_ text: String) {
    let index =
      Self.texts.firstIndex(of: text) ?? Self.texts.indices.first { Self.slug(at: $0) == text }
    guard let index else { return nil }
    self.index = index
  }

  /// A random answer, all equally likely.
  public static func random() -> BallAnswer {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// A random answer, all equally likely, from a generator.
  public static func random<Generator: RandomNumberGenerator>(using generator: inout Generator)
    -> BallAnswer
  { BallAnswer(known: Int.random(in: texts.indices, using: &generator)) }

  /// All twenty, by number.
  public static var all: [BallAnswer] { texts.indices.map { BallAnswer(known: $0) } }

  /// The English text.
  public var text: String { Self.texts[index] }
  /// A fixed name for apps to translate: `SLUG-ANSWER-00` and so on.
  public var slug: String { Self.slug(at: index) }
  /// The English text.
  public var description: String { text }

  private init(known index: Int) { self.index = index }

  private static func slug(at index: Int) -> String {
    index < 10 ? "SLUG-ANSWER-0\(index)" : "SLUG-ANSWER-\(index)"
  }

  private static let texts = [
    "It is certain.", "It is decidedly so.", "Without a doubt.", "Yes – definitely.",
    "You may rely on it.", "As I see it, yes.", "Most likely.", "Outlook good.", "Yes.",
    "Signs point to yes.", "Reply hazy, try again.", "Ask again later.", "Better not tell you now.",
    "Cannot predict now.", "Concentrate and ask again.", "Don’t count on it.", "My reply is no.",
    "My sources say no.", "Outlook not so good.", "Very doubtful.",
  ]
}
