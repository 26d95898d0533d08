import BluetoothHost
import Linux

/// The environment variables of a service manager: sd_notify(3), sd_watchdog_enabled(3).
public struct ServiceEnvironment {
  /// NOTIFY_SOCKET: the path of a socket, or "@" and an abstract name.
  public var socket: ProgramText?
  /// WATCHDOG_USEC: how long the manager waits for a keep-alive report, in microseconds.
  public var watchdogTimeout: ProgramText?
  /// WATCHDOG_PID: the number of the process that the watchdog is for.
  public var process: ProgramText?

  /// These values.
  public init(
    socket: ProgramText?, watchdogTimeout: ProgramText? = nil, process: ProgramText? = nil
  ) {
    self.socket = socket
    self.watchdogTimeout = watchdogTimeout
    self.process = process
  }

  /// The values in the environment of this process.
  public static var ofProcess: ServiceEnvironment {
    ServiceEnvironment(
      socket: ProgramText(environment: "NOTIFY_SOCKET"),
      watchdogTimeout: ProgramText(environment: "WATCHDOG_USEC"),
      process: ProgramText(environment: "WATCHDOG_PID"))
  }
}

/// Why a service manager cannot be reached.
public enum ServiceError: Error {
  /// NOTIFY_SOCKET has an invalid value.
  case wrongSocket(ProgramText)
  /// WATCHDOG_USEC has an invalid value.
  case wrongTimeout(ProgramText)
  /// WATCHDOG_PID has an invalid value.
  case wrongProcess(ProgramText)
  /// The path or the name of a socket is too long.
  case tooLong(ProgramText)
  /// The kernel refuses a socket, with this errno.
  case noSocket(ProgramText, Int32)

  /// Writes what is wrong, without a full stop.
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .wrongSocket(let value):
      write("NOTIFY_SOCKET=", value, ": expected a path from / on, or @ and a name", to: &writer)
    case .wrongTimeout(let value):
      write("WATCHDOG_USEC=", value, ": expected a number of microseconds", to: &writer)
    case .wrongProcess(let value):
      write("WATCHDOG_PID=", value, ": expected the number of a process", to: &writer)
    case .tooLong(let name):
      let expected: StaticString =
        name.span.begins(with: "@")
        ? ": a socket's name is at most 107 bytes long"
        : ": a socket's path is at most 107 bytes long"
      write("", name, expected, to: &writer)
    case .noSocket(let name, let code):
      SystemCallError(code: ErrorNumber(rawValue: code), operation: .createSocket)
        .write(to: &writer) { $0.write(start: name.span) }
    }
  }

  @inline(never)
  private func write(
    _ before: StaticString, _ value: ProgramText, _ after: StaticString, to writer: inout ByteWriter
  ) {
    writer.write(text: "cannot use ")
    writer.write(text: before)
    writer.write(start: value.span)
    writer.write(text: after)
  }
}

/// The connection to the service manager that started the program.
struct PortService: ~Copyable {
  /// How long the manager waits for a keep-alive report, in milliseconds; `nil` if it does not.
  let watchdogTimeout: UInt32?

  private let name: InlineCString<108>
  private let isAbstract: Bool
  private let descriptor: PortDescriptor

  /// The service manager in `environment`; `nil` without one.
  init?(_ environment: ServiceEnvironment) throws(ServiceError) {
    guard let socket = environment.socket else { return nil }
    let watchdogTimeout = try Self.watchdogTimeout(environment)
    let isAbstract = socket.span.begins(with: "@")
    guard isAbstract && socket.count > 1 || socket.span.begins(with: "/") else {
      throw .wrongSocket(socket)
    }
    var name = InlineCString<108>()
    guard name.assign(socket.span.extracting(droppingFirst: isAbstract ? 1 : 0)) else {
      throw .tooLong(socket)
    }
    let number = clinux_open_datagrams()
    guard number >= 0 else { throw .noSocket(socket, 0 &- number) }
    self.watchdogTimeout = watchdogTimeout
    self.name = name
    self.isAbstract = isAbstract
    descriptor = PortDescriptor(owning: number)
  }

  /// How long the watchdog of `environment` waits, in milliseconds; `nil` without one for this
  /// process.
  static func watchdogTimeout(_ environment: ServiceEnvironment) throws(ServiceError) -> UInt32? {
    guard let text = environment.watchdogTimeout else { return nil }
    if let process = environment.process {
      guard let number = process.span.unsignedNumber(upTo: 0x7FFF_FFFF), number > 0 else {
        throw .wrongProcess(process)
      }
      guard Int32(truncatingIfNeeded: number) == clinux_process_number() else { return nil }
    }
    let digits = text.span
    guard let number = digits.unsignedNumber(upTo: .max), number > 0 else {
      throw .wrongTimeout(text)
    }
    // Microseconds without the last three digits are milliseconds.
    let milliseconds = digits.extracting(first: max(digits.count - 3, 0))
    guard !milliseconds.isEmpty else { return 0 }
    guard let number = milliseconds.unsignedNumber(upTo: 0xFFFF_FFFF) else { return .max }
    return UInt32(truncatingIfNeeded: number)
  }

  /// Sends a whole datagram without waiting; `false` if it was not taken.
  func report(_ message: Span<UInt8>) -> Bool {
    let number = descriptor.number
    let isAbstract: Int32 = self.isAbstract ? 1 : 0
    let length = name.count
    return unsafe message.withUnsafeBufferPointer { bytes in
      unsafe name.withPointer {
        unsafe clinux_notify(number, $0, length, isAbstract, bytes.baseAddress, bytes.count)
      }
    } == 0
  }
}
