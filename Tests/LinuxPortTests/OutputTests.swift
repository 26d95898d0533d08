import BallRunner
import Glibc
import Testing

@testable import Linux
@testable import LinuxPort

@Suite("Output of the Linux port")
struct OutputTests {
  @Test(
    "A full pipe takes no more, and wakes the loop when there is room",
    arguments: [true, false])
  func pipes(isOpenedTwice: Bool) throws {
    let queue = try makeQueue()
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    // A pipe of another user cannot be opened a second time.
    var output =
      isOpenedTwice ? PortOutput(ends[1], .output) : PortOutput(ends[1], .output, second: -1)
    let taken = fill(&output, queue)
    #expect(taken > 4_096)
    #expect(wakes(queue) == [])
    var space = [UInt8](repeating: 0, count: taken)
    #expect(unsafe read(ends[0], &space, space.count) == taken)
    #expect(wakes(queue) == [.output])
    // Once is enough.
    #expect(wakes(queue) == [])
    #expect(output.print([1, 2].span, queue) == .taken(2))
    // Other users of the pipe still block.
    #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
  }

  @Test("A pipe without a reader is closed")
  func closed() throws {
    let queue = try makeQueue()
    signal(SIGPIPE, SIG_IGN)
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    var output = PortOutput(ends[1], .output)
    close(ends[0])
    #expect(output.print([1].span, queue) == .closed)
    close(ends[1])
  }

  @Test("A socket, such as the journal's, is written to without waiting")
  func sockets() throws {
    let queue = try makeQueue()
    var ends: [CInt] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    var output = PortOutput(ends[1], .errors)
    #expect(fill(&output, queue) > 0)
    #expect(wakes(queue) == [])
    #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    close(ends[0])
    #expect(output.print([1].span, queue) == .closed)
    close(ends[1])
  }

  @Test("A terminal is opened a second time, and the shell's description keeps its flags")
  func terminals() throws {
    let queue = try makeQueue()
    let (primary, path) = try openTerminal()
    let terminal = unsafe open(path, O_RDWR | O_NOCTTY)
    defer {
      close(terminal)
      close(primary)
    }
    var output = PortOutput(terminal, .output)
    #expect(fill(&output, queue) > 0)
    #expect(fcntl(terminal, F_GETFL) & O_NONBLOCK == 0)
  }

  @Test("A file and /dev/null take everything at once")
  func files() throws {
    let queue = try makeQueue()
    let directory = try TestDirectory()
    defer { directory.remove("file") }
    for path in ["\(directory.path)/file", "/dev/null"] {
      let file = unsafe open(path, O_RDWR | O_CREAT, 0o600)
      defer { close(file) }
      var output = PortOutput(file, .output)
      let lines = [UInt8](repeating: 7, count: 100_000)
      #expect(output.print(lines.span, queue) == .taken(100_000))
    }
    #expect(unsafe access("\(directory.path)/file", R_OK) == 0)
  }

  @Test("On a full disk output is lost, and is not printed later")
  func full() throws {
    let queue = try makeQueue()
    let file = unsafe open("/dev/full", O_RDWR)
    defer { close(file) }
    var output = PortOutput(file, .output)
    #expect(output.print([1, 2, 3].span, queue) == .taken(3))
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

/// The queue's events, without waiting.
func wakes(_ queue: borrowing PollQueue) -> [PollToken] {
  var tokens: [PollToken] = []
  _ = queue.wait(0) { token, _ in tokens.append(token) }
  return tokens
}
