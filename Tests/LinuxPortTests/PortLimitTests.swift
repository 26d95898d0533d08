import BallRunner
import BluetoothHost
import Boards
import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import Linux
@testable import LinuxPort

/// What the port does at the edges of its parts: descriptors that run out, streams that are opened a
/// second time, files of other users.
@Suite("Limits of the Linux port")
struct PortLimitTests {
  // MARK: Output

  /// A stream, and whether the port opens it a second time.
  private enum Stream: CaseIterable {
    case pipe, terminal, socket, file

    var isOpenedTwice: Bool { self == .pipe || self == .terminal }

    /// A descriptor of the stream, and one to close with it.
    func open(in folder: TestDirectory) throws -> (CInt, CInt) {
      var ends: [CInt] = [-1, -1]
      switch self {
      case .pipe: try #require(unsafe Glibc.pipe(&ends) == 0)
      case .terminal:
        let (primary, path) = try openTerminal()
        ends = [primary, unsafe Glibc.open(path, O_RDWR | O_NOCTTY)]
      case .socket:
        try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
      case .file: ends[1] = unsafe Glibc.open("\(folder.path)/file", O_RDWR | O_CREAT, 0o600)
      }
      try #require(ends[1] >= 0)
      return (ends[1], ends[0])
    }
  }

  // Without a second description of its own, the port would have to write in small portions.
  @Test("A pipe and a terminal are opened a second time until the end, no other stream")
  func secondDescriptions() throws {
    let folder = try TestDirectory()
    defer { folder.remove("file") }
    for stream in Stream.allCases {
      let (number, other) = try stream.open(in: folder)
      defer {
        close(number)
        if other >= 0 { close(other) }
      }
      let count = descriptions(of: number)
      #expect(count > 0)
      do {
        let queue = try makeQueue()
        var output = PortOutput(number, .output)
        #expect(descriptions(of: number) == count + (stream.isOpenedTwice ? 1 : 0), "\(stream)")
        #expect(output.print([1, 2, 3].span, queue) == .taken(3))
      }
      #expect(descriptions(of: number) == count, "\(stream)")
    }
  }

  @Test("A pipe of 64 kB takes 64 kB, and the last write as much as there is room for")
  func wholePipe() throws {
    let queue = try makeQueue()
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    // F_GETPIPE_SZ of fcntl(2).
    let capacity = Int(fcntl(ends[1], 1_032))
    var output = PortOutput(ends[1], .output)
    let lines = [UInt8](repeating: 7, count: capacity + 1_000)
    #expect(output.print(lines.span, queue) == .taken(capacity))
    #expect(output.print(lines.span, queue) == .taken(0))
  }

  /// How many descriptors of this process are open on the file of `number`.
  private func descriptions(of number: CInt) -> Int {
    func target(_ number: CInt) -> [UInt8]? {
      var name = [CChar](repeating: 0, count: 256)
      let count = unsafe readlink("/proc/self/fd/\(number)", &name, name.count)
      return count > 0 ? name.prefix(count).map { UInt8(bitPattern: $0) } : nil
    }
    let own = target(number)
    return (CInt(0)..<1_024).count { target($0) == own }
  }

  // MARK: Descriptors that run out

  @Test("A kernel that gives no socket for the service manager is the reason in the message")
  func noSocket() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      var words = ""
      let environment = ServiceEnvironment(socket: lasting("/run/notify"))
      try withoutDescriptors {
        do throws(ServiceError) {
          _ = try PortService(environment)
        } catch {
          let failure = error
          words = text { failure.write(to: &$0) }
        }
      }
      #expect(words.contains("/run/notify"))
      #expect(words.contains("Too many open files"), "\(words)")
    }
  }

  @Test(
    "A kernel that gives no descriptor for a chip's folder or a queue gives no watch and no queue")
  func noWatch() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      var (hasWatch, hasQueue) = (true, true)
      try withoutDescriptors {
        do throws(ErrorNumber) {
          _ = unsafe try DirectoryChanges("/dev")
        } catch {
          hasWatch = error != .tooManyOpenFiles
        }
        switch PollQueue() {
        case nil: hasQueue = false
        case _?: break
        }
      }
      #expect(!hasWatch)
      #expect(!hasQueue)
    }
  }

  @Test("The control socket's pause is a second long")
  func pause() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      let folder = try TestDirectory()
      defer { folder.remove("control", ".control.eightball-lock") }
      let path = "\(folder.path)/control"
      let queue = try makeQueue()
      var control = PortControl()
      let isOpen = control.open(Array(path.utf8).span, queue)
      try #require(isOpen)
      let program = try StreamSocket.connect(path: path)
      var times: [UInt64] = []
      try withoutDescriptors {
        times = [clock()]
        control.handle(queue)
        times.append(clock())
      }
      let time = control.deadline
      let deadline = try #require(time).rawValue
      #expect(deadline >= times[0] + 1_000)
      #expect(deadline <= times[1] + 1_000)
      control.advance(to: Instant(rawValue: deadline - 1), queue)
      var isPaused = control.deadline != nil
      #expect(isPaused, "Not a millisecond earlier.")
      control.advance(to: Instant(rawValue: deadline), queue)
      isPaused = control.deadline != nil
      #expect(!isPaused)
      _ = program.rawValue
    }
  }

  // MARK: Chips

  @Test("Lines report a hang-up, which nothing hides; input is none")
  func hangUp() {
    var lines = PortLines(BoardDescription(named: "none"), directory: "/dev")
    func change() -> LinesChange { lines.takeChange() }
    lines.handle(.readable)
    #expect(change() == .none)
    lines.handle(Readiness(rawValue: 0x001 | 0x010))
    lines.chipsChanged()
    #expect(change() == .hungUp)
    #expect(change() == .none)
    lines.chipsChanged()
    #expect(change() == .chipChanged)
  }

  // MARK: Radios

  // Symptom: the loop slept although the new controller had room.
  @Test(
    "A new controller that takes only a part of the first write wakes the loop when it has room")
  func firstWrite() throws {
    let folder = try TestDirectory()
    defer { folder.remove("air", ".air.eightball-lock") }
    let path = "\(folder.path)/air"
    let listener = try StreamListener(path: path)
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("unix:\(path)".utf8).span))
    let bytes = [UInt8](repeating: 2, count: 4_000_000)
    for _ in 0..<2 {
      #expect(radio.open(queue, at: Instant(rawValue: 0)) == .opened)
      let other = try accept(listener)
      let isWhole = radio.write(bytes.span, queue) == .taken(bytes.count)
      #expect(!isWhole)
      #expect(wakes(queue) == [])
      var storage = [UInt8](repeating: 0, count: 1_000_000)
      var space = storage.mutableSpan
      while case .bytes = try other.read(into: &space) {}
      #expect(wakes(queue) == [.radio])
      radio.close(queue)
    }
  }

  @Test("A TCP connection has a second to begin, and not a millisecond more")
  func slowConnection() throws {
    // A listener whose queue of one connection is full does not answer another one.
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 0) == 0)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try #require(
      unsafe withUnsafeMutablePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(listener, $0, &size)
        }
      } == 0)
    let port = UInt16(bigEndian: address.sin_port)
    let first = try StreamSocket.connect(host: "127.0.0.1", port: port)
    let start = Instant(rawValue: 5_000)
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("tcp-client:127.0.0.1:\(port)".utf8).span))
    for _ in 0..<2 {
      #expect(radio.open(queue, at: start) == .pending)
      #expect(radio.deadline == start.advanced(by: 1_000))
      #expect(wakes(queue) == [])
      #expect(radio.open(queue, at: start.advanced(by: 999)) == .pending)
      #expect(radio.open(queue, at: start.advanced(by: 1_000)) == .failed)
      #expect(radio.deadline == nil)
      #expect(
        text { radio.writeTrouble(to: &$0) }
          == "cannot connect to 127.0.0.1:\(port): Connection timed out")
      #expect(wakes(queue) == [])
    }
    // An attempt that is given up leaves nothing for the next one.
    #expect(radio.open(queue, at: start) == .pending)
    radio.handle(.writable)
    radio.close(queue)
    #expect(radio.deadline == nil)
    #expect(radio.open(queue, at: start) == .pending)
    #expect(radio.open(queue, at: start.advanced(by: 999)) == .pending)
    _ = first.rawValue
  }

  // MARK: Files of other users

  /// Whose the file of a radio's socket is, whose the link to it, and whom the ball trusts.
  struct Owners: CustomTestStringConvertible, Sendable {
    var file: uid_t
    var link: uid_t?
    var trusted: uid_t?
    /// The user whom the ball names in its complaint; `nil` if it opens the radio.
    var refused: uid_t?

    var testDescription: String {
      "file of \(file), \(link.map { "link of \($0)" } ?? "no link"), "
        + "\(trusted.map { "\($0) is trusted" } ?? "none is trusted")"
    }
  }

  @Test(
    "A radio's socket is used if its file and the link to it are this user's, root's or the trusted user's",
    .enabled(if: geteuid() == 0),
    arguments: [
      Owners(file: 0), Owners(file: 0, link: 0), Owners(file: 65_534, refused: 65_534),
      Owners(file: 65_534, link: 0, refused: 65_534),
      Owners(file: 0, link: 65_534, refused: 65_534),
      Owners(file: 65_534, trusted: 65_534), Owners(file: 65_534, link: 0, trusted: 65_534),
      Owners(file: 0, link: 65_534, trusted: 65_534),
      Owners(file: 65_534, link: 65_534, trusted: 65_534),
      Owners(file: 65_533, link: 65_534, trusted: 65_534, refused: 65_533),
      Owners(file: 65_534, link: 65_533, trusted: 65_534, refused: 65_533),
    ])
  func owners(_ owners: Owners) throws {
    let folder = try TestDirectory()
    defer { folder.remove("air", "link", ".air.eightball-lock") }
    let path = "\(folder.path)/air"
    let listener = try StreamListener(path: path)
    try #require(unsafe chown(path, owners.file, owners.file) == 0)
    var used = path
    if let link = owners.link {
      used = "\(folder.path)/link"
      try #require(unsafe symlink(path, used) == 0)
      try #require(unsafe lchown(used, link, link) == 0)
    }
    let user = owners.trusted.map { ",user=\($0)" } ?? ""
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("unix:\(used)\(user)".utf8).span))
    let opening = radio.open(queue, at: Instant(rawValue: 0))
    if let refused = owners.refused {
      #expect(opening == .failed)
      let words = text { radio.writeTrouble(to: &$0) }
      #expect(words.contains("another user's (\(refused))"), "\(words)")
    } else {
      #expect(opening == .opened)
      #expect(radio.failure == nil)
    }
    _ = try accept(listener).rawValue
  }
}

/// CLOCK_MONOTONIC in milliseconds, rounded down.
private func clock() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
}

/// Calls `body` while this process can open no file.
private func withoutDescriptors(_ body: () -> Void) throws {
  var limit = rlimit()
  try #require(unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0)
  // A new file has the lowest free number.
  let free = dup(0)
  close(free)
  var none = rlimit(rlim_cur: rlim_t(max(free, 0)), rlim_max: limit.rlim_max)
  try #require(unsafe setrlimit(__rlimit_resource_t(7), &none) == 0)
  body()
  try #require(unsafe setrlimit(__rlimit_resource_t(7), &limit) == 0)
}
