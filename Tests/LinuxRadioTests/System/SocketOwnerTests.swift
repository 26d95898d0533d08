import Expectations
import Glibc
import Linux
import LinuxTestSupport

@testable import LinuxRadio

@Suite("The owner of a UNIX socket")
struct SocketOwnerTests {
  @Test(
    "Packets go only to this user, to root, and to a named user",
    arguments: [
      (1_000, 1_000, nil, true), (0, 1_000, nil, true), (0, 0, nil, true),
      (1_001, 1_000, nil, false), (1_000, 0, nil, false),
      (1_001, 1_000, 1_001, true), (1_002, 1_000, 1_001, false),
    ] as [(UInt32, UInt32, UInt32?, Bool)])
  func rule(owner: UInt32, own: UInt32, other: UInt32?, isTrusted: Bool) {
    expect(UnixSocket.isTrusted(owner, by: own, and: other), is: isTrusted)
  }

  @Test("The listening user is the one that the kernel recorded")
  func peer() throws {
    let directory = try TemporaryDirectory()
    let listener = try StreamListener(path: directory.path + "/s")
    let client = try StreamSocket.connect(path: listener.name)
    expect(clinux_peer(client.rawValue), is: Int64(CurrentProcess.userNumber))
  }

  // PortRadioTests has links too. Only root can change a file's owner. Tests/Peers tests the same with processes of
  // two users.
  @Test("A socket file of another user is not used", .enabled(if: geteuid() == 0))
  func foreignFile() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/s"
    let listener = try StreamListener(path: path)
    try #require(unsafe lchown(path, 65_534, 65_534) == 0)
    let error = SystemError(
      .notPermitted, "use", path, explanation: "the socket is another user's (65534)")
    #expect(throws: error) { _ = try StreamSocket.connect(path: path) }
    expect(try listener.acceptNow().readAll(), is: nil)
    _ = try StreamSocket.connect(path: path, trusting: 65_534)
    try #require(unsafe unlink(path) == 0)
  }
}
