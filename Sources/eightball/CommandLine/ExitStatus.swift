/// The exit statuses. Those that sysexits(3) defines have its numbers. A command throws one after it
/// has printed why.
enum ExitStatus: Int32, Error {
  case success = 0
  /// An unexpected failure.
  case unexpected = 1
  /// The command line, or a question, is wrong: EX_USAGE.
  case usage = 64
  /// The ball refused: not a question.
  case refused = 65
  /// No ball was found, or the device lacks the ball's service.
  case noBall = 66
  /// The ball could not be reached, or did not answer in time.
  case timedOut = 67
  /// The radio, the ball or what the command asks for is unavailable: EX_UNAVAILABLE.
  case unavailable = 69
  /// Standard output cannot be written: EX_IOERR.
  case output = 74
  /// A board's file or a `--set` is wrong: EX_CONFIG.
  case board = 78
  /// SIGINT, SIGTERM or SIGHUP stopped the command: 130, the shells' number for SIGINT.
  case interrupted = 130
}
