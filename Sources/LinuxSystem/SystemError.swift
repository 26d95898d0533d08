import Glibc

/// A number that the kernel gives for why a call failed. An open set: see errno(3).
public struct Errno: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
  public var rawValue: CInt

  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// What the last failed call of this thread left behind.
  static var current: Errno { Errno(rawValue: errno) }

  public static let notPermitted = Errno(rawValue: EPERM)
  public static let noSuchFile = Errno(rawValue: ENOENT)
  public static let interrupted = Errno(rawValue: EINTR)
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  public static let accessDenied = Errno(rawValue: EACCES)
  public static let busy = Errno(rawValue: EBUSY)
  public static let fileExists = Errno(rawValue: EEXIST)
  public static let noSuchDevice = Errno(rawValue: ENODEV)
  public static let invalidArgument = Errno(rawValue: EINVAL)
  public static let notATerminal = Errno(rawValue: ENOTTY)
  public static let brokenPipe = Errno(rawValue: EPIPE)
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  public static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  public static let protocolNotSupported = Errno(rawValue: EPROTONOSUPPORT)
  public static let addressInUse = Errno(rawValue: EADDRINUSE)
  public static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
  public static let connectionAborted = Errno(rawValue: ECONNABORTED)
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  public static let noSpace = Errno(rawValue: ENOSPC)
  public static let inProgress = Errno(rawValue: EINPROGRESS)
  public static let alreadyDone = Errno(rawValue: EALREADY)
  public static let blockedByRfkill = Errno(rawValue: ERFKILL)

  /// The C library's words for it, such as "Connection refused".
  public var description: String {
    guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: text)
  }
}

/// A call to the system that failed: why, what was being done, and to what.
///
/// Prints as one sentence: "cannot connect to /run/air.sock: Connection refused".
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// Why.
  public var code: Errno
  /// What was being done, to follow "cannot": "connect to".
  public var operation: String
  /// To what: a path, a host and port, an adapter.
  public var subject: String
  /// Words that say more than those of `code`, if there are any.
  public var explanation: String?

  public init(_ code: Errno, _ operation: String, _ subject: String, explanation: String? = nil) {
    self.code = code
    self.operation = operation
    self.subject = subject
    self.explanation = explanation
  }

  public var description: String {
    "cannot \(operation) \(subject): \(explanation ?? code.description)"
  }
}
