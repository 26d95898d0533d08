import ArgumentParser

/// The exit statuses. Those that sysexits(3) defines have its numbers.
enum ExitStatus {
  /// An unexpected failure.
  static let unexpected = ExitCode(1)
  /// The command line, or a question, is wrong: EX_USAGE.
  static let usage = ExitCode(64)
  /// The ball refused: not a question.
  static let refused = ExitCode(65)
  /// No ball was found, or the device lacks the ball's service.
  static let noBall = ExitCode(66)
  /// The ball could not be reached, or did not answer in time.
  static let timedOut = ExitCode(67)
  /// The radio, the ball or what the command asks for is unavailable: EX_UNAVAILABLE.
  static let unavailable = ExitCode(69)
  /// Standard output cannot be written: EX_IOERR.
  static let output = ExitCode(74)
  /// A board's file or a `--set` is wrong: EX_CONFIG.
  static let board = ExitCode(78)
  /// SIGINT, SIGTERM or SIGHUP stopped the command: 130, the shells' number for SIGINT.
  static let interrupted = ExitCode(130)
}
