import Glibc

/// Why the kernel would have refused a call on a line or a chip.
public enum GPIOError: Error, Equatable, Sendable {
  /// The chip has no such line, or the call names it twice, or not at all: EINVAL.
  case noSuchLine
  /// Somebody has the line already: EBUSY.
  case busy
  /// The chip has been taken away since: ENODEV.
  case removed
  /// The line is an input and cannot be set: EPERM.
  case notAnOutput
  /// The process has too many files open: EMFILE.
  case tooManyFiles

  /// The error's number: errno(3).
  public var code: Int32 {
    switch self {
    case .noSuchLine: EINVAL
    case .busy: EBUSY
    case .removed: ENODEV
    case .notAnOutput: EPERM
    case .tooManyFiles: EMFILE
    }
  }
}
