/// Sample questions.
public enum BallQuestion {
  /// Twenty questions.
  public static let all = [
    "Will it rain tomorrow?", "Is there cake in the kitchen?", "Should I take the stairs today?",
    "Will my code compile at the first try?", "Is somebody thinking of me just now?",
    "Should I call an old friend tonight?", "Will I find the other sock?",
    "Is this the year I learn the piano?", "Should I have another cup of tea?",
    "Will the train be on time?", "Does the cat know what I said?", "Should I trust my first idea?",
    "Will I laugh before lunch?", "Is it time for a holiday?", "Will the next card be a queen?",
    "Should I plant tomatoes this spring?", "Will my team win the next match?",
    "Is there life on other planets?", "Should I read one more chapter?",
    "Will I remember this question?",
  ]

  /// A random question.
  public static func random() -> String { all.randomElement() ?? "Is there a question?" }

  /// Whether a ball accepts `text` as a question: it ends in a question mark.
  public static func isQuestion(_ text: String) -> Bool { text.utf8.last == UInt8(ascii: "?") }
}
