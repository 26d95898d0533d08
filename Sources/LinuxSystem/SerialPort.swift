import Glibc

/// A raw serial line: 8 data bits, no parity, 1 stop bit, and hardware flow control, as H4 requires
/// (Core Specification, Vol 4, Part A, 4).
public enum SerialPort {
  /// The supported speeds, in bits per second.
  public static let speeds: [UInt32] = table.map { $0.speed }

  /// Opens the line at `path` exclusively and nonblocking.
  ///
  /// - Parameter speed: In bits per second, one of `speeds`.
  /// - Throws: `notATerminal` if it is not a serial line; `invalidArgument` if it lacks `speed`.
  public static func open(_ path: String, speed: UInt32) throws(SystemError) -> FileDescriptor {
    guard let code = table.first(where: { $0.speed == speed })?.code else {
      throw SystemError(
        .invalidArgument, "open", path, explanation: "\(speed) is not a speed of a serial line")
    }
    let number = try SystemCall.run("open", path) {
      unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    }
    let descriptor = FileDescriptor(owning: number, name: path)
    var settings = termios()
    try SystemCall.run("configure", path) { unsafe tcgetattr(number, &settings) }
    unsafe cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(CSTOPB | PARENB)
    settings.c_cflag |= tcflag_t(CREAD | CLOCAL)
    settings.c_cflag |= tcflag_t(CRTSCTS)
    try SystemCall.run("set the speed of", path) { unsafe cfsetspeed(&settings, code) }
    try SystemCall.run("configure", path) { unsafe tcsetattr(number, TCSANOW, &settings) }
    // A second program on the line would take bytes of this one. Not every driver supports this.
    _ = ioctl(number, UInt(TIOCEXCL), 0 as CInt)
    // Earlier bytes are the end of a packet whose beginning is lost.
    tcflush(number, TCIOFLUSH)
    return descriptor
  }

  private static let table: [(speed: UInt32, code: speed_t)] = [
    (9_600, speed_t(B9600)), (19_200, speed_t(B19200)), (38_400, speed_t(B38400)),
    (57_600, speed_t(B57600)), (115_200, speed_t(B115200)), (230_400, speed_t(B230400)),
    (460_800, speed_t(B460800)), (500_000, speed_t(B500000)), (576_000, speed_t(B576000)),
    (921_600, speed_t(B921600)), (1_000_000, speed_t(B1000000)), (1_152_000, speed_t(B1152000)),
    (1_500_000, speed_t(B1500000)), (2_000_000, speed_t(B2000000)),
    (2_500_000, speed_t(B2500000)), (3_000_000, speed_t(B3000000)),
    (3_500_000, speed_t(B3500000)), (4_000_000, speed_t(B4000000)),
  ]
}
