import Glibc

/// Why a call on a line or a chip failed, as in the kernel.
public enum GPIOError: Error, Equatable, Sendable {
  /// The chip has no such line, or the call names it twice, or names no line: EINVAL.
  case noSuchLine
  /// The line is in use: EBUSY.
  case busy
  /// The chip was removed: ENODEV.
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
