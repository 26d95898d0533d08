/// One checked item, and its verdict.
public struct Finding: Equatable, Sendable {
  /// Whether a ball can run with it.
  public enum Verdict: String, Sendable {
    /// As a ball needs it.
    case ok
    /// A ball runs with it, but the user may want to know.
    case note
    /// A ball does not run with it.
    case wrong
  }

  /// Whether a ball can run with it.
  public var verdict: Verdict
  /// The checked item in a word: "adapter".
  public var subject: String
  /// What was found, without a full stop.
  public var text: String
  /// What to do, without a full stop; `nil` if nothing is needed, or nothing is known to help.
  public var remedy: String?

  /// A finding about `subject`.
  public init(_ verdict: Verdict, _ subject: String, _ text: String, remedy: String? = nil) {
    self.verdict = verdict
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }
}
