/// The kernel's reason why a call failed: errno(3).
///
/// The values of include/uapi/asm-generic/errno-base.h and errno.h, which x86 and ARM share.
public struct ErrorNumber: RawRepresentable, Equatable, Sendable {
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
  /// EAGAIN: the call would wait.
  public static var wouldBlock: ErrorNumber { ErrorNumber(rawValue: 11) }
  /// EACCES.
  public static var accessDenied: ErrorNumber { ErrorNumber(rawValue: 13) }
  /// EBUSY.
  public static var busy: ErrorNumber { ErrorNumber(rawValue: 16) }
  /// ENODEV.
  public static var noSuchDevice: ErrorNumber { ErrorNumber(rawValue: 19) }
  /// EINVAL.
  public static var invalidArgument: ErrorNumber { ErrorNumber(rawValue: 22) }
  /// ENOTTY.
  public static var notATerminal: ErrorNumber { ErrorNumber(rawValue: 25) }
  /// EPIPE.
  public static var brokenPipe: ErrorNumber { ErrorNumber(rawValue: 32) }
  /// ENAMETOOLONG.
  public static var nameTooLong: ErrorNumber { ErrorNumber(rawValue: 36) }
  /// EUSERS: another program has the adapter's user channel.
  public static var tooManyUsers: ErrorNumber { ErrorNumber(rawValue: 87) }
  /// EPROTONOSUPPORT.
  public static var protocolNotSupported: ErrorNumber { ErrorNumber(rawValue: 93) }
  /// EAFNOSUPPORT.
  public static var addressFamilyNotSupported: ErrorNumber { ErrorNumber(rawValue: 97) }
  /// EADDRINUSE.
  public static var addressInUse: ErrorNumber { ErrorNumber(rawValue: 98) }
  /// ECONNRESET: the peer closed the connection.
  public static var connectionReset: ErrorNumber { ErrorNumber(rawValue: 104) }
  /// ETIMEDOUT.
  public static var timedOut: ErrorNumber { ErrorNumber(rawValue: 110) }
  /// ECONNREFUSED: nothing listens.
  public static var connectionRefused: ErrorNumber { ErrorNumber(rawValue: 111) }
  /// ERFKILL: the radio is switched off.
  public static var blockedByRfkill: ErrorNumber { ErrorNumber(rawValue: 132) }
}
