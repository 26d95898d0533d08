import BallRunner
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

@Suite("Output of the Linux port")
struct OutputTests {
  /// A stream that can be full, and how the port writes to it.
  enum Stream: CaseIterable {
    case pipe, terminal, socket
    /// A pipe of another user cannot be opened a second time.
    case foreignPipe

    var isPipe: Bool { self == .pipe || self == .foreignPipe }
    var isOpenedTwice: Bool { self == .pipe || self == .terminal }

    /// Both ends. The port writes to the far one.
    func open() throws -> Ends {
      switch self {
      case .pipe, .foreignPipe: return try .pipe()
      case .socket: return try Ends(blocks: true)
      case .terminal:
        let primary = try openTerminal()
        let second = unsafe Glibc.open(primary.name, O_RDWR | O_NOCTTY)
        try #require(second >= 0)
        return Ends(near: primary, far: FileDescriptor(owning: second, name: "second"))
      }
    }

    func output(_ ends: borrowing Ends) -> PortOutput {
      let number = ends.far.rawValue
      return self == .foreignPipe
        ? PortOutput(number, .output, second: -1) : PortOutput(number, .output)
    }
  }

  @Test(
    "A full stream takes no more, wakes the loop when there is room, and blocks for its other users",
    arguments: Stream.allCases)
  func full(stream: Stream) throws {
    let queue = try makeQueue()
    let ends = try stream.open()
    var output = stream.output(ends)
    let taken = fill(&output, queue)
    expect(taken > (stream.isPipe ? 4_096 : 0))
    if stream != .terminal { expect(wakes(queue), is: []) }
    if stream.isPipe {
      expect(try ends.near.readAll(limit: taken)?.count, is: taken)
      expect(wakes(queue), is: [.output])
      // Once is enough.
      expect(wakes(queue), is: [])
      expect(output.print([1, 2].span, queue), is: .taken(2))
    }
    expect(fcntl(ends.far.rawValue, F_GETFL) & O_NONBLOCK, is: 0)
  }

  @Test("A stream without a reader is closed", arguments: [Stream.pipe, .foreignPipe, .socket])
  func closed(stream: Stream) throws {
    signal(SIGPIPE, SIG_IGN)
    let queue = try makeQueue()
    let ends = try stream.open()
    var output = stream.output(ends)
    let far = ends.closeNear()
    expect(output.print([1].span, queue), is: .closed)
    _ = far.rawValue
  }

  @Test("A file and /dev/null take everything at once; on a full disk output is lost")
  func files() throws {
    let queue = try makeQueue()
    let directory = try TemporaryDirectory()
    for path in ["\(directory.path)/file", "/dev/null", "/dev/full"] {
      let file = FileDescriptor(owning: unsafe open(path, O_RDWR | O_CREAT, 0o600), name: path)
      var output = PortOutput(file.rawValue, .output)
      let lines = [UInt8](repeating: 7, count: 100_000)
      expect(output.print(lines.span, queue), is: .taken(100_000))
    }
    expect(directory.names, is: ["file"])
  }

  // Without a second description of its own, the port would have to write in small portions.
  @Test("A pipe and a terminal are opened a second time until the end, no other stream")
  func secondDescriptions() throws {
    let directory = try TemporaryDirectory()
    let file = try Files.create("\(directory.path)/file")
    expect(try descriptions(of: file.rawValue) { PortOutput($0, .output) }, is: 0)
    for stream in Stream.allCases {
      let ends = try stream.open()
      let more = try descriptions(of: ends.far.rawValue) { _ in stream.output(ends) }
      expect(more, is: stream.isOpenedTwice ? 1 : 0, "\(stream)")
    }
  }

  @Test("A pipe of 64 kB takes 64 kB, and the last write as much as there is room for")
  func wholePipe() throws {
    let queue = try makeQueue()
    let ends = try Ends.pipe()
    // F_GETPIPE_SZ of fcntl(2).
    let capacity = Int(fcntl(ends.far.rawValue, 1_032))
    var output = PortOutput(ends.far.rawValue, .output)
    let lines = [UInt8](repeating: 7, count: capacity + 1_000)
    expect(output.print(lines.span, queue), is: .taken(capacity))
    expect(output.print(lines.span, queue), is: .taken(0))
  }

  /// How many descriptors of this process are open on the file of `number` because of an output.
  private func descriptions(of number: CInt, _ makeOutput: (CInt) -> PortOutput) throws -> Int {
    let own = Files.target(ofLink: "/proc/self/fd/\(number)")
    func count() -> Int {
      (0..<1_024).count { Files.target(ofLink: "/proc/self/fd/\($0)") == own }
    }
    let before = count()
    expect(before > 0)
    var more = 0
    do {
      let queue = try makeQueue()
      var output = makeOutput(number)
      more = count() - before
      expect(output.print([1, 2, 3].span, queue), is: .taken(3))
    }
    expect(count(), is: before)
    return more
  }

  /// Prints until no more is taken; returns how much was.
  private func fill(_ output: inout PortOutput, _ queue: borrowing PollQueue) -> Int {
    let lines = [UInt8](repeating: UInt8(ascii: "."), count: 1_024)
    var sum = 0
    while sum < 10_000_000, case .taken(let count) = output.print(lines.span, queue) {
      sum += count
      guard count == lines.count else { break }
    }
    return sum
  }
}
