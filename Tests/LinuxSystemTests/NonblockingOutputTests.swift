import BluetoothHost
import Glibc
import LinuxTestSupport
import Testing

@testable import LinuxSystem

@Suite("Output that does not block")
struct NonblockingOutputTests {
  private let bytes = [UInt8](repeating: 0x61, count: 1_000)

  @Test("A pipe takes what fits, and the loop wakes when there is room")
  func pipeIsFull() throws {
    let ends = try Stream.pipe()
    let loop = try EventLoop()
    let output = try NonblockingOutput(ends.writer.rawValue, name: "the pipe", loop: loop)
    let taken = fill(output)
    // A write of up to PIPE_BUF bytes, 4,096, is taken whole or not at all.
    #expect(taken == 4_000)
    #expect(output.isBlocked)
    #expect(output.write(bytes.span) == .taken(0))
    #expect(try !loop.wait(until: Instant(rawValue: 0)))

    #expect(try ends.read() == taken)
    #expect(try loop.wait(until: Instant(rawValue: 0)))
    #expect(output.write(bytes.span) == .taken(1_000))
    // Without bytes to write, a pipe with room does not wake the loop.
    #expect(try !loop.wait(until: Instant(rawValue: 0)))
  }

  @Test(
    "The shared flags of the stream stay unchanged: it still blocks for others")
  func flags() throws {
    for ends in [try Stream.pipe(), try Stream.sockets()] {
      let before = fcntl(ends.writer.rawValue, F_GETFL)
      let output = try NonblockingOutput(
        ends.writer.rawValue, name: "the stream", loop: try EventLoop())
      _ = fill(output)
      #expect(output.isBlocked)
      #expect(fcntl(ends.writer.rawValue, F_GETFL) == before)
      #expect(before & O_NONBLOCK == 0)
      output.close()
    }
  }

  @Test("A stream whose reader has gone is closed, even if bytes waited")
  func readerHasGone() throws {
    for ends in [try Stream.pipe(), try Stream.sockets()] {
      let loop = try EventLoop()
      let output = try NonblockingOutput(ends.writer.rawValue, name: "the stream", loop: loop)
      _ = fill(output)
      ends.closeReader()
      #expect(try loop.wait(until: Instant(rawValue: 0)))
      #expect(output.write(bytes.span) == .closed)
      #expect(try !loop.wait(until: Instant(rawValue: 0)))
    }
  }

  @Test("A regular file takes everything, and /dev/full loses it")
  func files() throws {
    let directory = try TemporaryDirectory()
    let loop = try EventLoop()
    let file = try Files.create(directory.path + "/lines")
    let output = try NonblockingOutput(file.rawValue, name: "the file", loop: loop)
    for _ in 0..<10 { #expect(output.write(bytes.span) == .taken(1_000)) }
    #expect(lseek(file.rawValue, 0, SEEK_END) == 10_000)
    let full = FileDescriptor(owning: unsafe open("/dev/full", O_WRONLY), name: "/dev/full")
    let lost = try NonblockingOutput(full.rawValue, name: "/dev/full", loop: loop)
    #expect(lost.write(bytes.span) == .taken(1_000))
  }

  @Test("A stream that is not open is an error")
  func notOpen() throws {
    let loop = try EventLoop()
    let error = #expect(throws: SystemError.self) {
      _ = try NonblockingOutput(-1, name: "standard output", loop: loop)
    }
    #expect(error?.description == "cannot use standard output: Bad file descriptor")
  }

  /// Writes until nothing more is taken. Returns the number of bytes.
  private func fill(_ output: NonblockingOutput) -> Int {
    var sum = 0
    for _ in 0..<10_000 {
      guard case .taken(let count) = output.write(bytes.span), count > 0 else { break }
      sum += count
    }
    return sum
  }
}

/// The two ends of a blocking stream with little room.
private final class Stream {
  let writer: FileDescriptor
  private var reader: FileDescriptor?

  private init(_ numbers: (reader: CInt, writer: CInt)) {
    reader = FileDescriptor(owning: numbers.reader, name: "the reader")
    writer = FileDescriptor(owning: numbers.writer, name: "the writer")
  }

  /// A pipe of one page.
  static func pipe() throws -> Stream {
    var numbers: [CInt] = [-1, -1]
    try #require(unsafe Glibc.pipe(&numbers) == 0)
    _ = fcntl(numbers[1], Self.setPipeSize, 4_096)
    return Stream((numbers[0], numbers[1]))
  }

  /// F_SETPIPE_SZ of fcntl(2), which is 1024 + 7.
  private static let setPipeSize: CInt = 1_031

  static func sockets() throws -> Stream {
    var numbers: [CInt] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &numbers) == 0)
    return Stream((numbers[0], numbers[1]))
  }

  func closeReader() { reader = nil }

  /// Reads the available bytes. Returns their number.
  func read() throws -> Int {
    var storage = [UInt8](repeating: 0, count: 65_536)
    var space = storage.mutableSpan
    guard case .bytes(let count)? = try reader?.read(into: &space) else { return 0 }
    return count
  }
}
