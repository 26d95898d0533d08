import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

/// What the port decides about its path. What a path with a socket may be used for is in OwnedPathTests.
@Suite("The path of the control socket")
struct ControlSocketPathTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/control" }
  init() throws { folder = try TemporaryDirectory() }

  /// The result for a ball that cannot listen at this path.
  private func ball(at path: String) throws -> (failure: ErrorNumber?, isTaken: Bool) {
    let bench = try ControlBench(path)
    expect(!bench.open())
    return (bench.failure, bench.control.isTaken)
  }

  @Test(
    "The socket is at the given path, else in the service manager's folder, else in the user's",
    arguments: [
      ("/a/b", "/run/eightball", "/run/user/7", 1, "/a/b"),
      (nil, "/run/eightball", "/run/user/7", 1, "/run/eightball/control.sock"),
      (nil, "/run/eightball:/run/other", nil, 1, "/run/eightball/control.sock"),
      (nil, nil, "/run/user/7", 1, "/run/user/7/eightball-control.sock"),
      (nil, nil, "/run/user/7", 2, "/run/user/7/eightball-control-2.sock"),
      (nil, nil, nil, 1, "/tmp/eightball-control-\(geteuid()).sock"),
      (nil, nil, nil, 9, "/tmp/eightball-control-\(geteuid())-9.sock"),
    ] as [(String?, String?, String?, UInt32, String)])
  func paths(named: String?, service: String?, user: String?, number: UInt32, path: String) {
    let written = text {
      ControlSocket.writePath(
        named.map(lasting), service: service.map(lasting), user: user.map(lasting), number, to: &$0)
    }
    expect(written, is: path)
  }

  @Test("The socket belongs to this user alone, and is removed with the ball")
  func mode() throws {
    do {
      let bench = try ControlBench.listening(at: path)
      expect(Files.mode(of: path), is: 0o600)
      expect(!bench.isInUse)
      let other = try ball(at: path)
      expect(other.failure == .addressInUse && other.isTaken)
      expect(Files.exists(path))
    }
    expect(!Files.exists(path))
  }

  @Test("The socket replaces one that a killed ball has left")
  func leftOver() throws {
    do { _ = try bindSocket(to: path) }
    try #require(Files.exists(path))
    let bench = try ControlBench.listening(at: path)
    expect(bench.failure, is: nil)
    _ = try bench.connect()
  }

  // Symptom: the message had an empty path.
  @Test("A path that is too long is in the message", arguments: [108, 300])
  func tooLong(length: Int) throws {
    let path = "/" + String(repeating: "x", count: length - 1)
    let bench = try ControlBench(path)
    expect(!bench.open())
    expect(
      text { bench.control.writeError(to: &$0) },
      is: "cannot listen on \(path.prefix(255)): a socket's path is at most 107 bytes long")
  }

  @Test(
    "An error has the reason why there is no socket",
    arguments: [
      ("/nowhere/control", ENOENT), ("", ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 107), ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 300), ENAMETOOLONG),
    ])
  func failures(path: String, code: CInt) throws {
    expect(try ball(at: path).failure, is: ErrorNumber(rawValue: code))
  }

  @Test("Programs of the same user and of root may listen")
  func trust() {
    expect(ControlSocket.trusts(Int64(geteuid())))
    expect(ControlSocket.trusts(0))
    expect(!ControlSocket.trusts(Int64(geteuid()) + 1))
    expect(!ControlSocket.trusts(-1))
  }
}
