import Glibc

/// Reports to the service manager that started this program: systemd, or another one with
/// sd_notify(3).
public struct ServiceManager: ~Copyable {
  /// The watchdog timeout in milliseconds; `nil` without a watchdog.
  public let watchdogTimeout: UInt32?

  private let address: UnixAddress
  private let descriptor: FileDescriptor

  /// The service manager that the environment names; `nil` without one.
  ///
  /// - Parameter environment: The value of a variable; `nil` if it is unset or empty. It is called
  ///   for NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  /// - Parameter processNumber: This process's number; a watchdog for another process is ignored.
  /// - Throws: If a variable has a wrong value.
  public static func find(
    environment: (String) -> String? = { CurrentProcess.environment($0) },
    processNumber: Int32 = getpid()
  ) throws(SystemError) -> ServiceManager? {
    guard let socket = environment("NOTIFY_SOCKET") else { return nil }
    return ServiceManager(
      watchdogTimeout: try watchdogTimeout(environment, processNumber),
      address: try address(socket), descriptor: try open(socket))
  }

  private init(
    watchdogTimeout: UInt32?, address: UnixAddress, descriptor: consuming FileDescriptor
  ) {
    self.watchdogTimeout = watchdogTimeout
    self.address = address
    self.descriptor = descriptor
  }

  /// Sends a message, whole or not at all, without blocking or allocating. Returns whether it was
  /// sent.
  ///
  /// - Parameter message: Lines of VARIABLE=VALUE, as in sd_notify(3).
  public borrowing func send(_ message: Span<UInt8>) -> Bool {
    address.send(message, from: descriptor)
  }

  private static func address(_ socket: String) throws(SystemError) -> UnixAddress {
    if socket.hasPrefix("/") { return try UnixAddress(socket) }
    if socket.hasPrefix("@") { return try UnixAddress(abstract: String(socket.dropFirst())) }
    throw wrong("NOTIFY_SOCKET", socket, "expected a path from / on, or @ and a name")
  }

  private static func watchdogTimeout(
    _ environment: (String) -> String?, _ processNumber: Int32
  ) throws(SystemError) -> UInt32? {
    guard let text = environment("WATCHDOG_USEC") else { return nil }
    if let owner = environment("WATCHDOG_PID") {
      guard let owner = Int32(owner), owner > 0 else {
        throw wrong("WATCHDOG_PID", owner, "expected the number of a process")
      }
      if owner != processNumber { return nil }
    }
    guard let microseconds = UInt64(text), microseconds > 0 else {
      throw wrong("WATCHDOG_USEC", text, "expected a number of microseconds")
    }
    return UInt32(clamping: microseconds / 1_000)
  }

  private static func open(_ name: String) throws(SystemError) -> FileDescriptor {
    let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let number = try SystemCall.run("create a socket for", name) { socket(AF_UNIX, type, 0) }
    return FileDescriptor(owning: number, name: name)
  }

  private static func wrong(
    _ variable: String, _ value: String, _ expected: String
  ) -> SystemError {
    SystemError(.invalidArgument, "use", "\(variable)=\(value)", explanation: expected)
  }
}
