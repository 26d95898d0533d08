import Glibc
import Testing

@testable import LinuxSystem

@Suite("A service manager")
struct ServiceManagerTests {
  @Test("is told by datagrams, at a path or at an abstract name")
  func told() throws {
    let directory = try TemporaryDirectory()
    let abstract = "@eightball-test-\(directory.path.suffix(6))"
    for name in ["\(directory.path)/notify", abstract] {
      let mailbox = try Mailbox(name)
      let manager = try #require(try Speaker.find(["NOTIFY_SOCKET": name]))
      #expect(manager.tell("READY=1\n"))
      #expect(manager.tell("STOPPING=1\n"))
      #expect(mailbox.take() == ["READY=1\n", "STOPPING=1\n"])
    }
  }

  @Test("that has gone, or reads nothing, is not waited for")
  func gone() throws {
    let directory = try TemporaryDirectory()
    let name = "\(directory.path)/notify"
    let manager = try #require(try Speaker.find(["NOTIFY_SOCKET": name]))
    #expect(!manager.tell("READY=1\n"))
    let mailbox = try Mailbox(name)
    #expect(manager.tell("READY=1\n"))
    // The kernel keeps a limited number of datagrams: net.unix.max_dgram_qlen, or the buffer.
    var taken = 1
    while taken < 100_000, manager.tell("WATCHDOG=1\n") { taken += 1 }
    #expect(taken < 100_000)
    #expect(mailbox.take().count == taken)
    #expect(manager.tell("WATCHDOG=1\n"))
  }

  @Test("is there only if the environment tells of it")
  func absent() throws {
    let manager = try Speaker.find(["WATCHDOG_USEC": "1000000"])
    #expect(manager === nil)
  }

  @Test(
    "waits as long for a sign of life as its watchdog says, if it is for this process",
    arguments: [
      ([:], nil),
      (["WATCHDOG_USEC": "30000000"], 30_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], 30_000),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"], nil),
      (["WATCHDOG_USEC": "18446744073709551615"], UInt32.max),
    ] as [([String: String], UInt32?)])
  func patience(variables: [String: String], expected: UInt32?) throws {
    let all = variables.merging(["NOTIFY_SOCKET": "/run/notify"]) { $1 }
    let manager = try #require(try Speaker.find(all))
    #expect(manager.patience == expected)
  }

  @Test(
    "whose variables mean nothing is an error that names the variable",
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

/// Whoever tells a service manager of a process with the number 42.
private final class Speaker {
  private let manager: ServiceManager
  var patience: UInt32? { manager.patience }

  private init(_ manager: consuming ServiceManager) {
    self.manager = manager
  }

  /// The service manager that these variables tell of.
  static func find(_ variables: [String: String]) throws(SystemError) -> Speaker? {
    switch try ServiceManager.find(environment: { variables[$0] }, processNumber: 42) {
    case nil: nil
    case let manager?: Speaker(manager)
    }
  }

  func tell(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return manager.tell(bytes.span)
  }
}

/// Where a service manager hears of its services.
private final class Mailbox {
  private let descriptor: FileDescriptor

  /// - Parameter name: a path, or "@" and an abstract name.
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

  /// The datagrams that have come.
  func take() -> [String] {
    var datagrams: [String] = []
    while let bytes = try? descriptor.readAll(), !bytes.isEmpty {
      datagrams.append(String(decoding: bytes, as: UTF8.self))
    }
    return datagrams
  }
}
