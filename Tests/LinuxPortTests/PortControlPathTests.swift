import BallRunner
import BluetoothHost
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import Linux
@testable import LinuxPort

@Suite("The path of the control socket")
struct PortControlPathTests: ControlTests {
  let folder: TestDirectory

  init() throws { folder = try TestDirectory() }

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
      PortControl.writePath(
        named.map(lasting), service: service.map(lasting), user: user.map(lasting), number, to: &$0)
    }
    #expect(written == path)
  }

  @Test("The socket belongs to this user alone, and is removed with the ball")
  func mode() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    do {
      let bench = try open()
      #expect(fileMode == 0o600)
      #expect(!bench.isInUse)
      let other = try ball(at: path)
      #expect(other.failure == .addressInUse)
      #expect(other.isTaken)
      #expect(exists)
    }
    #expect(!exists)
  }

  @Test("The socket replaces one that a killed ball has left")
  func leftOver() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let killed = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    try bind(killed)
    close(killed)
    try #require(exists)
    let bench = try open()
    #expect(bench.failure == nil)
    let program = try connect()
    _ = program.rawValue
  }

  // Symptom: a second ball took a socket that was bound but did not listen yet for one of a killed ball.
  @Test("Of many balls that replace a killed ball's socket at once, one has it", arguments: 1...20)
  func race(round: Int) throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let killed = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    try bind(killed)
    close(killed)
    let path = self.path
    let race = Race(count: 4)
    for _ in 0..<4 {
      Thread.detachNewThread {
        guard let queue = try? makeQueue() else { return race.end(nil) }
        race.begin()
        let bench = ControlBench(queue)
        race.end(bench.open(path) ? bench : nil)
      }
    }
    let winners = race.wait()
    #expect(winners.count == 1)
    let program = try connect()
    _ = program.rawValue
    #expect(winners.first?.takeEvents() == ["joined 0"])
    #expect(Files.names(in: folder.path) == [".control.eightball-lock", "control"])
  }

  @Test("The port and the tools leave each other's sockets alone")
  func otherPrograms() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    do {
      let listener = try StreamListener(path: path)
      let other = try ball(at: path)
      #expect(other.isTaken)
      _ = consume listener
    }
    do {
      let bench = try open()
      let error = #expect(throws: SystemError.self) {
        _ = try StreamListener(path: path)
      }
      #expect(error?.code == .addressInUse)
      #expect(bench.failure == nil)
    }
    #expect(Files.names(in: folder.path) == [])
  }

  @Test("At the end, a socket that replaced the ball's stays")
  func replaced() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    do {
      let bench = try open()
      unsafe unlink(path)
      let other = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      try bind(other)
      close(other)
      #expect(bench.failure == nil)
    }
    #expect(exists)
  }

  @Test("A path of 107 bytes can be listened on, whatever its folder leaves for the name")
  func longPath() throws {
    defer { folder.remove() }
    for length in 1...14 {
      let filler = String(repeating: "x", count: 107 - folder.path.utf8.count - 2 - length)
      let parent = "\(folder.path)/\(filler)"
      try #require(unsafe mkdir(parent, 0o700) == 0)
      let path = "\(parent)/\(String(repeating: "s", count: length))"
      do {
        let bench = ControlBench(try makeQueue())
        #expect(bench.open(path))
        _ = try StreamSocket.connect(path: path)
        #expect(bench.takeEvents().first == "joined 0")
      }
      #expect(unsafe rmdir(parent) == 0)
    }
  }

  // Symptom: the message had an empty path.
  @Test("A path that is too long is in the message", arguments: [108, 300])
  func tooLong(length: Int) throws {
    defer { folder.remove() }
    let path = "/" + String(repeating: "x", count: length - 1)
    let bench = ControlBench(try makeQueue())
    #expect(!bench.open(path))
    #expect(
      text { bench.control.writeTrouble(to: &$0) }
        == "cannot listen on \(path.prefix(255)): a socket's path is at most 107 bytes long")
  }

  @Test("A file that is not a socket is not removed")
  func file() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    close(unsafe creat(path, 0o644))
    let other = try ball(at: path)
    #expect(other.failure == .fileExists)
    #expect(!other.isTaken)
    #expect(fileMode == 0o644)
  }

  @Test("A socket of another user is not removed", .enabled(if: geteuid() == 0))
  func anothers() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let killed = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    try bind(killed)
    close(killed)
    try #require(unsafe chown(path, 65_534, 65_534) == 0)
    let other = try ball(at: path)
    #expect(other.failure == .fileExists)
    #expect(exists)
  }

  @Test(
    "An error has the reason why there is no socket",
    arguments: [
      ("/nowhere/control", ENOENT), ("", ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 107), ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 300), ENAMETOOLONG),
    ])
  func failures(path: String, code: CInt) throws {
    let failure = try ball(at: path).failure
    #expect(failure == ErrorNumber(rawValue: code))
  }

  @Test("Programs of the same user and of root may listen")
  func trust() {
    #expect(PortControl.trusts(Int64(geteuid())))
    #expect(PortControl.trusts(0))
    #expect(!PortControl.trusts(Int64(geteuid()) + 1))
    #expect(!PortControl.trusts(-1))
  }
}
