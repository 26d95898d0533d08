import BluetoothHost
import Expectations
import Glibc
import LinuxTestSupport

@testable import LinuxRadio

/// The loop's part. What each kind of stream takes is in OutputTests of LinuxPortTests.
@Suite("Output that does not block")
struct NonblockingOutputTests {
  private let bytes = [UInt8](repeating: 0x61, count: 1_000)

  @Test("A pipe takes what fits, and the loop wakes when there is room")
  func pipeIsFull() throws {
    let ends = try smallPipe()
    let loop = try EventLoop()
    let output = try NonblockingOutput(ends.far.rawValue, name: "the pipe", loop: loop)
    let taken = fill(output)
    // A write of up to PIPE_BUF bytes, 4,096, is taken whole or not at all.
    expect(taken, is: 4_000)
    expect(output.isBlocked)
    expect(output.write(bytes.span), is: .taken(0))
    expect(try !loop.wait(until: Instant(rawValue: 0)))

    expect(try ends.near.readAll()?.count, is: taken)
    expect(try loop.wait(until: Instant(rawValue: 0)))
    expect(output.write(bytes.span), is: .taken(1_000))
    // Without bytes to write, a pipe with room does not wake the loop.
    expect(try !loop.wait(until: Instant(rawValue: 0)))
  }

  @Test("A stream whose reader has gone is closed, even if bytes waited", arguments: [false, true])
  func readerHasGone(isSocket: Bool) throws {
    let ends = try isSocket ? Ends(blocks: true) : smallPipe()
    let loop = try EventLoop()
    let output = try NonblockingOutput(ends.far.rawValue, name: "the stream", loop: loop)
    _ = fill(output)
    let far = ends.closeNear()
    expect(try loop.wait(until: Instant(rawValue: 0)))
    expect(output.write(bytes.span), is: .closed)
    expect(try !loop.wait(until: Instant(rawValue: 0)))
    output.close()
    _ = far.rawValue
  }

  @Test("A stream that is not open is an error")
  func notOpen() throws {
    let loop = try EventLoop()
    let error = #expect(throws: SystemError.self) {
      _ = try NonblockingOutput(-1, name: "standard output", loop: loop)
    }
    expect(error?.description, is: "cannot use standard output: Bad file descriptor")
  }

  /// A pipe of one page.
  private func smallPipe() throws -> Ends {
    let ends = try Ends.pipe()
    // F_SETPIPE_SZ of fcntl(2).
    _ = fcntl(ends.far.rawValue, 1_031, 4_096)
    return ends
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
