#if Tools
import ArgumentParser

/// How the program ends, as sysexits(3) numbers it where it has a number.
enum ExitStatus {
  /// Nothing that was foreseen.
  static let unexpected = ExitCode(1)
  /// The ball wants a question.
  static let refused = ExitCode(65)
  /// No ball was found.
  static let noBall = ExitCode(66)
  /// The ball did not answer in time.
  static let timedOut = ExitCode(67)
  /// The radio cannot be used, or there is nobody to ask, or no such thing to ask for:
  /// EX_UNAVAILABLE.
  static let unavailable = ExitCode(69)
  /// A board's file, or what is to be other than it says, is wrong: EX_CONFIG.
  static let board = ExitCode(78)
  /// SIGINT, as shells have it.
  static let interrupted = ExitCode(130)
}
#endif
