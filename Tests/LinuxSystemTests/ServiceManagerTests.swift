import Glibc
import LinuxTestSupport
import Testing

@testable import LinuxSystem

@Suite("A service manager")
struct ServiceManagerTests {
  @Test("gets datagrams at a path or an abstract name")
  func datagrams() throws {
    let directory = try TemporaryDirectory()
    let abstract = "@eightball-test-\(directory.path.suffix(6))"
    for name in ["\(directory.path)/notify", abstract] {
      let mailbox = try Mailbox(name)
      let manager = try #require(try Speaker.find(["NOTIFY_SOCKET": name]))
      #expect(manager.send("READY=1\n"))
      #expect(manager.send("STOPPING=1\n"))
      #expect(mailbox.take() == ["READY=1\n", "STOPPING=1\n"])
    }
  }

  @Test("that is gone or does not read does not block the program")
  func gone() throws {
    let directory = try TemporaryDirectory()
    let name = "\(directory.path)/notify"
    let manager = try #require(try Speaker.find(["NOTIFY_SOCKET": name]))
    #expect(!manager.send("READY=1\n"))
    let mailbox = try Mailbox(name)
    #expect(manager.send("READY=1\n"))
    // The kernel keeps a limited number of datagrams: net.unix.max_dgram_qlen, or the buffer.
    var taken = 1
    while taken < 100_000, manager.send("WATCHDOG=1\n") { taken += 1 }
    #expect(taken < 100_000)
    #expect(mailbox.take().count == taken)
    #expect(manager.send("WATCHDOG=1\n"))
  }

  @Test("is used only if the environment names it")
  func absent() throws {
    let manager = try Speaker.find(["WATCHDOG_USEC": "1000000"])
    #expect(manager === nil)
  }

  @Test(
    "has the timeout of its watchdog, if that is for this process",
    arguments: [
      ([:], nil),
      (["WATCHDOG_USEC": "30000000"], 30_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], 30_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"], nil),
      (["WATCHDOG_USEC": "18446744073709551615"], UInt32.max),
    ] as [([String: String], UInt32?)])
  func watchdogTimeout(variables: [String: String], expected: UInt32?) throws {
    let all = variables.merging(["NOTIFY_SOCKET": "/run/notify"]) { $1 }
    let manager = try #require(try Speaker.find(all))
    #expect(manager.watchdogTimeout == expected)
  }

  @Test(
    "with a wrong variable is an error that names the variable",
    arguments: [
      (
        ["NOTIFY_SOCKET": "run/notify"],
        "cannot use NOTIFY_SOCKET=run/notify: expected a path from / on, or @ and a name"
      ),
      (
        ["NOTIFY_SOCKET": "vsock:2:1234"],
        "cannot use NOTIFY_SOCKET=vsock:2:1234: expected a path from / on, or @ and a name"
      ),
      (["NOTIFY_SOCKET": "@"], "cannot use \"@\" as the name of a socket: Invalid argument"),
      (
        ["NOTIFY_SOCKET": "@" + String(repeating: "x", count: 108)],
        "cannot use @\(String(repeating: "x", count: 108)): "
          + "a socket's name is at most 107 bytes long"
      ),
      (
        ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "soon"],
        "cannot use WATCHDOG_USEC=soon: expected a number of microseconds"
      ),
      (
        ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "0"],
        "cannot use WATCHDOG_USEC=0: expected a number of microseconds"
      ),
      (
        ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "me"],
        "cannot use WATCHDOG_PID=me: expected the number of a process"
      ),
    ])
  func wrong(variables: [String: String], message: String) throws {
    let error = #expect(throws: SystemError.self) { _ = try Speaker.find(variables) }
    #expect(error?.description == message)
  }
}

/// Sends to a service manager as the process with number 42.
private final class Speaker {
  private let manager: ServiceManager
  var watchdogTimeout: UInt32? { manager.watchdogTimeout }

  private init(_ manager: consuming ServiceManager) {
    self.manager = manager
  }

  /// The service manager that these variables name.
  static func find(_ variables: [String: String]) throws(SystemError) -> Speaker? {
    switch try ServiceManager.find(environment: { variables[$0] }, processNumber: 42) {
    case nil: nil
    case let manager?: Speaker(manager)
    }
  }

  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return manager.send(bytes.span)
  }
}

/// The socket of a service manager.
private final class Mailbox {
  private let descriptor: FileDescriptor

  /// - Parameter name: A path, or "@" and an abstract name.
  init(_ name: String) throws {
    let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let number = socket(AF_UNIX, type, 0)
    try #require(number >= 0)
    descriptor = FileDescriptor(owning: number, name: name)
    let address =
      name.hasPrefix("@")
      ? try UnixAddress(abstract: String(name.dropFirst())) : try UnixAddress(name)
    try address.bind(descriptor)
  }

  /// The received datagrams.
  func take() -> [String] {
    var datagrams: [String] = []
    while let bytes = try? descriptor.readAll(), !bytes.isEmpty {
      datagrams.append(String(decoding: bytes, as: UTF8.self))
    }
    return datagrams
  }
}
