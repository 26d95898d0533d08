/// The kernel's reason why a call failed: errno(3).
///
/// The values of include/uapi/asm-generic/errno-base.h and errno.h, which x86 and ARM share.
public struct ErrorNumber: Error, RawRepresentable, Equatable, Sendable {
  /// The number.
  public var rawValue: Int32

  /// Any number, known or not.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// EPERM.
  public static var notPermitted: ErrorNumber { ErrorNumber(rawValue: 1) }
  /// ENOENT.
  public static var noSuchFile: ErrorNumber { ErrorNumber(rawValue: 2) }
  /// EINTR: a signal came.
  public static var interrupted: ErrorNumber { ErrorNumber(rawValue: 4) }
  /// EIO.
  public static var inputOutput: ErrorNumber { ErrorNumber(rawValue: 5) }
  /// ENXIO: the other end is missing, such as the reader of a pipe.
  public static var noSuchAddress: ErrorNumber { ErrorNumber(rawValue: 6) }
  /// EAGAIN: the call would wait.
  public static var wouldBlock: ErrorNumber { ErrorNumber(rawValue: 11) }
  /// ENOMEM.
  public static var outOfMemory: ErrorNumber { ErrorNumber(rawValue: 12) }
  /// EACCES.
  public static var accessDenied: ErrorNumber { ErrorNumber(rawValue: 13) }
  /// EBUSY.
  public static var busy: ErrorNumber { ErrorNumber(rawValue: 16) }
  /// EEXIST.
  public static var fileExists: ErrorNumber { ErrorNumber(rawValue: 17) }
  /// ENODEV.
  public static var noSuchDevice: ErrorNumber { ErrorNumber(rawValue: 19) }
  /// EISDIR.
  public static var isDirectory: ErrorNumber { ErrorNumber(rawValue: 21) }
  /// EINVAL.
  public static var invalidArgument: ErrorNumber { ErrorNumber(rawValue: 22) }
  /// EMFILE: this process may open no more files.
  public static var tooManyOpenFiles: ErrorNumber { ErrorNumber(rawValue: 24) }
  /// ENOTTY.
  public static var notATerminal: ErrorNumber { ErrorNumber(rawValue: 25) }
  /// ENOSPC: the disk is full.
  public static var noSpace: ErrorNumber { ErrorNumber(rawValue: 28) }
  /// EROFS.
  public static var readOnlyFileSystem: ErrorNumber { ErrorNumber(rawValue: 30) }
  /// EPIPE: the reader is gone.
  public static var brokenPipe: ErrorNumber { ErrorNumber(rawValue: 32) }
  /// ENAMETOOLONG.
  public static var nameTooLong: ErrorNumber { ErrorNumber(rawValue: 36) }
  /// EPROTO: what came is not what the protocol has.
  public static var protocolError: ErrorNumber { ErrorNumber(rawValue: 71) }
  /// EUSERS: another program has the adapter's user channel.
  public static var tooManyUsers: ErrorNumber { ErrorNumber(rawValue: 87) }
  /// ENOTSOCK.
  public static var notASocket: ErrorNumber { ErrorNumber(rawValue: 88) }
  /// EMSGSIZE.
  public static var messageTooLong: ErrorNumber { ErrorNumber(rawValue: 90) }
  /// EPROTONOSUPPORT.
  public static var protocolNotSupported: ErrorNumber { ErrorNumber(rawValue: 93) }
  /// EOPNOTSUPP.
  public static var notSupported: ErrorNumber { ErrorNumber(rawValue: 95) }
  /// EAFNOSUPPORT.
  public static var addressFamilyNotSupported: ErrorNumber { ErrorNumber(rawValue: 97) }
  /// EADDRINUSE.
  public static var addressInUse: ErrorNumber { ErrorNumber(rawValue: 98) }
  /// EADDRNOTAVAIL: this machine has no such address.
  public static var addressNotAvailable: ErrorNumber { ErrorNumber(rawValue: 99) }
  /// ENETDOWN: a radio that is switched off.
  public static var networkDown: ErrorNumber { ErrorNumber(rawValue: 100) }
  /// ECONNRESET: the peer closed the connection.
  public static var connectionReset: ErrorNumber { ErrorNumber(rawValue: 104) }
  /// ETIMEDOUT.
  public static var timedOut: ErrorNumber { ErrorNumber(rawValue: 110) }
  /// ECONNREFUSED: nothing listens.
  public static var connectionRefused: ErrorNumber { ErrorNumber(rawValue: 111) }
  /// EHOSTDOWN: a service that does not run.
  public static var hostDown: ErrorNumber { ErrorNumber(rawValue: 112) }
  /// EREMOTEIO: no device on a bus answered.
  public static var remoteInputOutput: ErrorNumber { ErrorNumber(rawValue: 121) }
  /// ENOKEY: an authorisation is missing.
  public static var noKey: ErrorNumber { ErrorNumber(rawValue: 126) }
  /// ENOMEDIUM: the kernel has not set the adapter up, where it says EBUSY.
  public static var notSetUp: ErrorNumber { ErrorNumber(rawValue: 123) }
  /// ERFKILL: the radio is switched off.
  public static var blockedByRfkill: ErrorNumber { ErrorNumber(rawValue: 132) }

  /// The error of this thread's last failed call of the C library.
  package static var current: ErrorNumber { ErrorNumber(rawValue: clinux_last_error()) }
}
