import Expectations
import Glibc
import Linux
import LinuxRadio
import LinuxTestSupport
import Synchronization

@Suite("The path of a listening UNIX socket")
struct OwnedPathTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/s" }
  private let lockName = ".s.eightball-lock"
  private var lockPath: String { "\(directory.path)/\(lockName)" }
  init() throws { directory = try TemporaryDirectory() }

  @Test("A socket and lock that our killed program left are replaced")
  func leftover() throws {
    try leaveSocketAndLock()
    expect(directory.names, is: [lockName, "s"])
    #expect(throws: SystemError(.connectionRefused, "connect to", path)) {
      _ = try StreamSocket.connect(path: path)
    }
    do {
      let listener = try StreamListener(path: path)
      _ = try StreamSocket.connect(path: path)
      _ = try listener.acceptNow()
    }
    expect(directory.names, is: [])
  }

  @Test("A lock of a killed program without its socket is taken over", arguments: [true, false])
  func leftoverLock(isEmpty: Bool) throws {
    if isEmpty {
      try Files.write("", to: lockPath)
    } else {
      try leaveSocketAndLock()
      _ = unsafe unlink(path)
    }
    do { _ = try StreamListener(path: path) }
    expect(directory.names, is: [])
  }

  @Test("A socket of another program is left alone, listening or not")
  func foreign() throws {
    do {
      let foreign = try bindSocket(to: path)
      try #require(listen(foreign.rawValue, 4) == 0)
      #expect(throws: SystemError(.addressInUse, "listen on", path)) {
        _ = try StreamListener(path: path)
      }
      _ = consume foreign
    }
    let error = #expect(throws: SystemError.self) { _ = try StreamListener(path: path) }
    expect(error?.code, is: .fileExists)
    expect(error?.description.contains("this program did not create"), is: true)
    expect(directory.names, is: ["s"])
  }

  @Test("A socket that replaced ours is left alone")
  func replacedLeftover() throws {
    try leaveSocketAndLock()
    _ = unsafe unlink(path)
    do { _ = try bindSocket(to: path) }
    let error = #expect(throws: SystemError.self) { _ = try StreamListener(path: path) }
    expect(error?.code, is: .fileExists)
    expect(directory.names.contains("s"))
  }

  @Test(
    "At the end, what replaced the socket or the lock stays",
    arguments: ["socket by a file", "socket by a socket", "lock by a file"])
  func replaced(what: String) throws {
    let replaced = what.hasPrefix("lock") ? lockPath : path
    do {
      let listener = try StreamListener(path: path)
      _ = unsafe unlink(replaced)
      if what.hasSuffix("file") {
        try Files.write("mine", to: replaced)
      } else {
        _ = try bindSocket(to: replaced)
      }
      _ = consume listener
    }
    if what.hasSuffix("file") { expect(try Files.text(of: replaced), is: "mine") }
    expect(directory.names, is: [what.hasPrefix("lock") ? lockName : "s"])
  }

  // Symptom: a program that connected between bind and listen was refused.
  @Test("A program that finds the socket can connect, from its first moment to its last")
  func firstMoment() async throws {
    let path = self.path
    let isDone = Flag()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<500 {
          #expect(throws: Never.self) { _ = try StreamListener(path: path) }
        }
        isDone.set()
      }
      group.addTask {
        while !isDone.isSet {
          do throws(SystemError) {
            _ = try StreamSocket.connect(path: path)
          } catch {
            expect(error.code == .noSuchFile || error.code == .connectionReset)
          }
        }
      }
    }
    expect(directory.names, is: [])
  }

  @Test("A path of 107 bytes can be listened on, whatever its folder leaves for the name")
  func longPath() throws {
    for length in 1...14 {
      // FOLDER/xxx/NAME is 107 bytes long.
      let filler = String(repeating: "x", count: 107 - directory.path.utf8.count - 2 - length)
      let folder = "\(directory.path)/\(filler)"
      try #require(unsafe mkdir(folder, 0o700) == 0)
      let path = "\(folder)/\(String(repeating: "s", count: length))"
      do {
        let listener = try StreamListener(path: path)
        _ = try StreamSocket.connect(path: path)
        _ = try listener.acceptNow()
      }
      expect(unsafe rmdir(folder), is: 0)
    }
  }

  /// Why a program cannot listen at the path.
  private func failure(replacesAll: Bool) -> SystemCallError? {
    #expect(throws: SystemCallError.self) {
      _ = try UnixListener(InlineCString(path), replacesAll: replacesAll)
    }
  }

  @Test(
    "A regular file at the path is left alone, and so are the files beside it",
    arguments: [false, true])
  func file(replacesAll: Bool) throws {
    try Files.write("gems", to: path)
    try Files.write("versions", to: path + ".lock")
    expect(failure(replacesAll: replacesAll)?.code, is: .fileExists)
    expect(directory.names, is: ["s", "s.lock"])
    expect(try Files.text(of: path), is: "gems")
    expect(try Files.text(of: path + ".lock"), is: "versions")
  }

  @Test(
    "A file at the lock's path that is not our lock is left alone",
    arguments: ["file", "link", "directory", "pipe"])
  func foreignLock(kind: String) throws {
    switch kind {
    case "file": try Files.write("notes", to: lockPath)
    case "link":
      try Files.write("notes", to: directory.path + "/notes")
      try #require(unsafe symlink(directory.path + "/notes", lockPath) == 0)
    case "directory": try #require(unsafe mkdir(lockPath, 0o700) == 0)
    default: try #require(unsafe mkfifo(lockPath, 0o600) == 0)
    }
    let names = directory.names
    let error = #expect(throws: SystemError.self) { _ = try StreamListener(path: path) }
    expect(error?.code, is: .fileExists)
    expect(error?.subject, is: lockPath)
    expect(directory.names, is: names)
    if kind == "file" || kind == "link" { expect(try Files.text(of: lockPath), is: "notes") }
    _ = unsafe rmdir(lockPath)
  }

  @Test(
    "A lock or a socket of another user is left alone", .enabled(if: geteuid() == 0),
    arguments: ["lock", "socket"], [false, true])
  func otherUser(kind: String, replacesAll: Bool) throws {
    if kind == "lock" { try Files.write("", to: lockPath) } else { _ = try bindSocket(to: path) }
    let taken = kind == "lock" ? lockPath : path
    try #require(unsafe lchown(taken, 65_534, 65_534) == 0)
    let names = directory.names
    let failure = failure(replacesAll: replacesAll)
    expect(failure?.code, is: .fileExists)
    expect(failure.map { SystemError($0, of: path).subject }, is: taken)
    expect(directory.names, is: names)
  }

  // Symptom: a second ball took a socket that was bound but did not listen yet for one of a killed ball.
  @Test(
    "Of several programs that start at once with a leftover, one gets the path",
    arguments: [false, true])
  func race(replacesAll: Bool) async throws {
    for _ in 0..<20 {
      // Without a lock, only one that replaces all sockets can take it.
      if replacesAll { _ = try bindSocket(to: path) } else { try leaveSocketAndLock() }
      let path = self.path
      let listeners = try await withThrowingTaskGroup(of: Held?.self) { group in
        for _ in 0..<4 {
          group.addTask {
            do throws(SystemCallError) {
              return Held(try UnixListener(InlineCString(path), replacesAll: replacesAll))
            } catch {
              guard error.code == .addressInUse else { throw SystemError(error, of: path) }
              return nil
            }
          }
        }
        return try await group.reduce(into: [Held]()) { all, one in if let one { all.append(one) } }
      }
      expect(listeners.count, is: 1)
      _ = try StreamSocket.connect(path: path)
      for one in listeners { one.close() }
    }
    expect(directory.names, is: [])
  }

  /// A listener that waits to be counted. Its group may be released later.
  private final class Held: Sendable {
    private let listener: Mutex<UnixListener?>
    init(_ listener: consuming UnixListener) { self.listener = Mutex(consume listener) }
    func close() { listener.withLock { $0 = nil } }
  }

  /// The files of a program that is killed while it listens, kept by second names.
  private func leaveSocketAndLock() throws {
    let pairs = [(path, path + ".kept"), (lockPath, lockPath + ".kept")]
    do {
      let listener = try StreamListener(path: path)
      for (name, kept) in pairs { try #require(unsafe link(name, kept) == 0) }
      _ = consume listener
    }
    for (name, kept) in pairs { try #require(unsafe rename(kept, name) == 0) }
  }
}

/// A flag for several threads.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
