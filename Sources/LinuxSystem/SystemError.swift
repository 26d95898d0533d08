import Glibc

/// The error number of a failed system call. An open set: see errno(3).
public struct Errno: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
  /// The number.
  public var rawValue: CInt

  /// Any number, known or not.
  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The error of this thread's last failed call.
  package static var current: Errno { Errno(rawValue: errno) }

  /// EPERM.
  public static let notPermitted = Errno(rawValue: EPERM)
  /// ENOENT.
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// EINTR: a signal came.
  public static let interrupted = Errno(rawValue: EINTR)
  /// EAGAIN: the call would block.
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  /// ENXIO: the other end is missing, such as a reader of a pipe.
  public static let noSuchAddress = Errno(rawValue: ENXIO)
  /// EACCES.
  public static let accessDenied = Errno(rawValue: EACCES)
  /// EBUSY.
  public static let busy = Errno(rawValue: EBUSY)
  /// EEXIST.
  public static let fileExists = Errno(rawValue: EEXIST)
  /// ENODEV.
  public static let noSuchDevice = Errno(rawValue: ENODEV)
  /// EISDIR.
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL.
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// ENOTTY.
  public static let notATerminal = Errno(rawValue: ENOTTY)
  /// EPIPE: the reader is gone.
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// ENAMETOOLONG.
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// EAFNOSUPPORT: the kernel has no such sockets.
  public static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  /// EPROTONOSUPPORT.
  public static let protocolNotSupported = Errno(rawValue: EPROTONOSUPPORT)
  /// EADDRINUSE: a program listens there.
  public static let addressInUse = Errno(rawValue: EADDRINUSE)
  /// EADDRNOTAVAIL: no such address here.
  public static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
  /// ECONNABORTED.
  public static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// ECONNRESET: the other side broke off.
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  /// ECONNREFUSED: no program listens.
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ETIMEDOUT.
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// ENOSPC: the disk is full.
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// EINPROGRESS: the call continues in the background.
  public static let inProgress = Errno(rawValue: EINPROGRESS)
  /// ERFKILL: the radio is switched off.
  public static let blockedByRfkill = Errno(rawValue: ERFKILL)

  /// The C library's text for it, such as "Connection refused".
  public var description: String {
    guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: text)
  }
}

/// A failed system call: the reason, the operation and its subject.
///
/// Prints as one sentence: "cannot connect to /run/air.sock: Connection refused".
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The reason.
  public var code: Errno
  /// The operation, to follow "cannot": "connect to".
  public var operation: String
  /// Its subject: a path, a host and port, an adapter.
  public var subject: String
  /// A more precise reason than the text of `code`, if known.
  public var explanation: String?

  /// The failure `code` of `operation` on `subject`.
  public init(_ code: Errno, _ operation: String, _ subject: String, explanation: String? = nil) {
    self.code = code
    self.operation = operation
    self.subject = subject
    self.explanation = explanation
  }

  /// The error as a sentence without its full stop.
  public var description: String {
    "cannot \(operation) \(subject): \(explanation ?? code.description)"
  }
}
