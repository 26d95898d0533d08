/// One thing that was looked at, and how it is.
public struct Finding: Equatable, Sendable {
  /// How it is.
  public enum Verdict: String, Sendable {
    /// As a ball wants it.
    case ok
    /// It keeps no ball from running, but one may wonder.
    case note
    /// It keeps a ball from running on what was chosen.
    case wrong
  }

  /// How it is.
  public var verdict: Verdict
  /// What was looked at, in a word: "adapter".
  public var subject: String
  /// How it was found, without a full stop.
  public var text: String
  /// What to do about it, without a full stop; `nil` if nothing needs to be done, or is known to
  /// help.
  public var remedy: String?

  /// What was found of `subject`.
  public init(_ verdict: Verdict, _ subject: String, _ text: String, remedy: String? = nil) {
    self.verdict = verdict
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }
}
