import BluetoothHost
import Glibc
import LinuxSystem
import Testing

@testable import LinuxPort

@Suite("The service manager of the Linux port")
struct ServiceTests {
  /// NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  typealias Variables = (socket: String, watchdogTimeout: String?, process: String?)

  @Test(
    "The service manager is found, or not, as by eightball run",
    arguments: [
      ("/run/x", nil, nil), ("@x", nil, nil), ("x", nil, nil), ("@", nil, nil),
      ("/run/x", "1", nil), ("/run/x", "999", nil), ("/run/x", "1000", nil),
      ("/run/x", "30000000", nil), ("/run/x", "4294967295000", nil),
      ("/run/x", "99999999999999999", nil), ("/run/x", "18446744073709551616", nil),
      ("/run/x", "0", nil), ("/run/x", "-1", nil), ("/run/x", "soon", nil),
      ("/run/x", "30000000", "1"), ("/run/x", "30000000", "\(getpid())"),
      ("/run/x", "30000000", "0"), ("/run/x", "30000000", "me"), ("/run/x", nil, "me"),
      ("/" + String(repeating: "x", count: 106), nil, nil),
      ("/" + String(repeating: "x", count: 107), nil, nil),
      ("@" + String(repeating: "x", count: 107), nil, nil),
      ("@" + String(repeating: "x", count: 108), nil, nil),
    ] as [Variables])
  func agrees(variables: Variables) {
    let own = find(variables)
    do throws(SystemError) {
      let found = try ServiceManager.find(
        environment: { name in
          switch name {
          case "NOTIFY_SOCKET": variables.socket
          case "WATCHDOG_USEC": variables.watchdogTimeout
          default: variables.process
          }
        })
      let watchdogTimeout: UInt32?? =
        switch found {
        case nil: .none
        case let manager?: .some(manager.watchdogTimeout)
        }
      #expect(own == .found(watchdogTimeout))
    } catch {
      // The only text that differs: "@" alone is not an address.
      guard variables.socket != "@" else {
        #expect(
          own == .wrong("cannot use NOTIFY_SOCKET=@: expected a path from / on, or @ and a name"))
        return
      }
      #expect(own == .wrong(error.description))
    }
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
    #expect(isNone)
  }

  @Test("Reports are sent whole, to a path or an abstract name", arguments: [false, true])
  func reports(isAbstract: Bool) throws {
    let directory = try TestDirectory()
    defer { directory.remove("notify") }
    let path = "\(directory.path)/notify"
    let manager = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    defer { close(manager) }
    try bind(manager, to: path, isAbstract: isAbstract)
    let name = lasting(isAbstract ? "@" + path : path)
    var service = try PortService(ServiceEnvironment(socket: name))
    #expect(service?.report(Array("READY=1\n".utf8).span) == true)
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = unsafe recv(manager, &bytes, bytes.count, CInt(MSG_DONTWAIT))
    #expect(bytes.prefix(max(count, 0)).elementsEqual("READY=1\n".utf8))
    // The service manager has gone.
    close(manager)
    unsafe unlink(path)
    #expect(service?.report(Array("READY=1\n".utf8).span) == false)
    service = nil
  }

  private enum Outcome: Equatable {
    case found(UInt32??)
    case wrong(String)
  }

  private func find(_ variables: Variables) -> Outcome {
    let environment = ServiceEnvironment(
      socket: lasting(variables.socket),
      watchdogTimeout: variables.watchdogTimeout.map { lasting($0) },
      process: variables.process.map { lasting($0) })
    do throws(ServiceError) {
      switch try PortService(environment) {
      case nil: return .found(.none)
      case let service?: return .found(.some(service.watchdogTimeout))
      }
    } catch {
      let failure = error
      return .wrong(text { failure.write(to: &$0) })
    }
  }

  private func bind(_ socket: CInt, to path: String, isAbstract: Bool) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
      unsafe UnsafeMutableRawBufferPointer(rebasing: target.dropFirst(isAbstract ? 1 : 0))
        .copyBytes(from: path.utf8)
    }
    let length = isAbstract ? 3 + path.utf8.count : MemoryLayout<sockaddr_un>.size
    let result = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.bind(socket, $0, socklen_t(length))
      }
    }
    try #require(result == 0)
  }
}
