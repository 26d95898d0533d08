import BluetoothHost
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

@Suite("The service manager of the Linux port")
struct ServiceTests {
  /// NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  typealias Variables = (socket: String, watchdogTimeout: String?, process: String?)

  @Test(
    "The service manager has the timeout of its watchdog, if that is for this process",
    arguments: [
      (("/run/x", nil, nil), nil), (("@x", nil, nil), nil), (("/run/x", "1", nil), 0),
      (("/run/x", "999", nil), 0), (("/run/x", "1000", nil), 1),
      (("/run/x", "30000000", nil), 30_000), (("/run/x", "4294967295000", nil), .max),
      (("/run/x", "99999999999999999", nil), .max),
      (("/run/x", "18446744073709551615", nil), .max),
      (("/run/x", "30000000", "1"), nil), (("/run/x", "30000000", "\(getpid())"), 30_000),
      (("/run/x", nil, "me"), nil), (("/\(x107.dropLast())", nil, nil), nil),
      (("@\(x107)", nil, nil), nil),
    ] as [(Variables, UInt32?)])
  func watchdogTimeout(variables: Variables, expected: UInt32?) {
    expect(find(variables), is: .found(expected))
  }

  @Test(
    "A wrong variable is an error that names the variable",
    arguments: [
      (("run/x", nil, nil), "NOTIFY_SOCKET=run/x\(noSocket)"),
      (("@", nil, nil), "NOTIFY_SOCKET=@\(noSocket)"),
      (("vsock:2:1234", nil, nil), "NOTIFY_SOCKET=vsock:2:1234\(noSocket)"),
      (("/\(x107)", nil, nil), "/\(x107): a socket's path is at most 107 bytes long"),
      (("@\(x107)x", nil, nil), "@\(x107)x: a socket's name is at most 107 bytes long"),
      (("/x", "18446744073709551616", nil), "WATCHDOG_USEC=18446744073709551616\(microseconds)"),
      (("/x", "0", nil), "WATCHDOG_USEC=0\(microseconds)"),
      (("/x", "-1", nil), "WATCHDOG_USEC=-1\(microseconds)"),
      (("/x", "soon", nil), "WATCHDOG_USEC=soon\(microseconds)"),
      (("/x", "1", "0"), "WATCHDOG_PID=0: expected the number of a process"),
      (("/x", "1", "me"), "WATCHDOG_PID=me: expected the number of a process"),
    ] as [(Variables, String)])
  func wrong(variables: Variables, message: String) {
    expect(find(variables), is: .wrong("cannot use \(message)"))
  }

  private static let microseconds = ": expected a number of microseconds"
  private static let noSocket = ": expected a path from / on, or @ and a name"
  private static let x107 = String(repeating: "x", count: 107)

  @Test("A service manager that does not read does not block the program")
  func unread() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/notify"
    let manager = try bindSocket(to: path, type: SOCK_DGRAM)
    var service = try PortService(ServiceEnvironment(socket: lasting(path)))
    // The kernel keeps a limited number of datagrams: net.unix.max_dgram_qlen, or the buffer.
    var taken = 0
    while taken < 100_000, service?.report(Array("WATCHDOG=1\n".utf8).span) == true { taken += 1 }
    expect(taken > 0 && taken < 100_000)
    for _ in 0..<taken { expect(receive(manager), is: "WATCHDOG=1\n") }
    expect(receive(manager), is: nil)
    expect(service?.report(Array("WATCHDOG=1\n".utf8).span), is: true)
    service = nil
  }

  @Test("Without a variable there is no service manager")
  func none() throws {
    let service = try PortService(
      ServiceEnvironment(socket: nil, watchdogTimeout: ProgramText("1000")))
    let isNone =
      switch service {
      case nil: true
      case _?: false
      }
    expect(isNone)
  }

  @Test("Reports are sent whole, to a path or an abstract name", arguments: [false, true])
  func reports(isAbstract: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/notify"
    var service: PortService?
    do {
      let manager = try bindSocket(to: path, type: SOCK_DGRAM, isAbstract: isAbstract)
      service = try PortService(ServiceEnvironment(socket: lasting(isAbstract ? "@" + path : path)))
      expect(service?.report(Array("READY=1\n".utf8).span), is: true)
      expect(receive(manager), is: "READY=1\n")
    }
    // The service manager has gone.
    unsafe unlink(path)
    expect(service?.report(Array("READY=1\n".utf8).span), is: false)
    service = nil
  }

  /// A datagram that was sent to a service manager; `nil` if none was.
  private func receive(_ manager: borrowing FileDescriptor) -> String? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = unsafe recv(manager.rawValue, &bytes, bytes.count, CInt(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  private enum Outcome: Equatable {
    case found(UInt32?)
    case none
    case wrong(String)
  }

  private func find(_ variables: Variables) -> Outcome {
    let environment = ServiceEnvironment(
      socket: lasting(variables.socket),
      watchdogTimeout: variables.watchdogTimeout.map { lasting($0) },
      process: variables.process.map { lasting($0) })
    do throws(ServiceError) {
      switch try PortService(environment) {
      case nil: return .none
      case let service?: return .found(service.watchdogTimeout)
      }
    } catch {
      let failure = error
      return .wrong(text { failure.write(to: &$0) })
    }
  }
}
