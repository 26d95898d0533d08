import BluetoothHost
import Expectations

@testable import CoreBluetooth

/// What a pipe asks for, for comparison.
private func text(_ action: ChannelPipe.Action) -> String {
  switch action {
  case .resume: "resume"
  case .close(let isDrained): isDrained ? "close" : "drain"
  }
}

@Suite("L2CAP channels: what a pipe asks of the radio's thread")
struct ChannelPipeTests {
  private let calls: Locked<Int>
  private let pipe: ChannelPipe

  init() {
    let calls = Locked(0)
    self.calls = calls
    pipe = ChannelPipe { _ in calls.withLock { $0 += 1 } }
  }

  /// The calls since the last time. The thread has attended to them.
  private func take() -> Int {
    _ = pipe.takeAction()
    return calls.withLock { calls in
      defer { calls = 0 }
      return calls
    }
  }

  private func read(_ count: Int) -> Int {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe bytes.withUnsafeMutableBytes { unsafe pipe.read(into: $0) }
  }

  private func write(_ count: Int) -> Int? {
    let bytes = [UInt8](repeating: 7, count: count)
    return unsafe bytes.withUnsafeBytes { unsafe pipe.write($0) }
  }

  private func receive(_ count: Int) {
    let bytes = [UInt8](repeating: 5, count: count)
    pipe.receive(bytes.span)
  }

  @Test("credits are due after a quarter of the buffer is read, and when it is empty")
  func credits() {
    // 64 frames of 498 bytes; a quarter is 7,968 bytes.
    let quarter = 64 * 498 / 4
    receive(4 * quarter)
    expect(pipe.room, is: 0)
    expect(take(), is: 0, "received bytes are the program's business")
    for _ in 0..<3 {
      expect(read(quarter - 1), is: quarter - 1)
      expect(take(), is: 0)
      expect(read(1), is: 1)
      expect(take(), is: 1)
    }
    expect(read(quarter - 2), is: quarter - 2)
    expect(take(), is: 0)
    expect(read(1), is: 1)
    expect(take(), is: 0)
    expect(read(100), is: 1)
    expect(take(), is: 1)
    // One byte empties the buffer too, and counts anew afterwards.
    receive(1)
    expect(read(1) == 1 && take() == 1)
    receive(2 * quarter)
    expect(read(quarter - 1) == quarter - 1 && take() == 0)
    expect(read(1) == 1 && take() == 1)
  }

  @Test("the thread is asked again only after it has attended")
  func pending() {
    receive(3)
    expect(read(3), is: 3)
    receive(2)
    expect(read(2), is: 2)
    expect(write(10), is: 10)
    expect(calls.withLock(\.self), is: 1)
    expect(take(), is: 1)
    // Output that waits already needs no further call.
    expect(write(5), is: 5)
    expect(take(), is: 0)
    expect(pipe.outputCount, is: 15)
  }

  @Test("written bytes are handed over in parts, and each part leaves the buffer once it is sent")
  func handedOver() {
    expect(write(40_000) == 32_768 && ChannelPipe.outputCapacity == 32_768)
    expect(!pipe.hasRoom && take() == 1)
    for (offset, count) in [(0, 100), (100, 50)] {
      expect(
        [UInt8].written(upTo: count) { pipe.writeOutput(from: offset, into: &$0) },
        is: [UInt8](repeating: 7, count: count))
      expect(!pipe.hasRoom && pipe.outputCount == ChannelPipe.outputCapacity)
    }
    let seen = Locked("")
    pipe.observe(
      input: { seen.withLock { $0 += "in " } }, output: { seen.withLock { $0 += "out " } })
    expect(text(pipe.noteSent()), is: "resume")
    expect(pipe.hasRoom && pipe.outputCount == ChannelPipe.outputCapacity - 150)
    expect(seen.withLock(\.self), is: "out ")
    // Nothing has been handed over since.
    _ = pipe.noteSent()
    expect(pipe.outputCount, is: ChannelPipe.outputCapacity - 150)
    expect(write(200) == 150 && take() == 0)
  }

  @Test("closing asks for attention once, and drops what is unread")
  func closing() {
    receive(3)
    expect(write(4) == 4 && take() == 1)
    pipe.closeInput()
    expect(text(pipe.takeAction()), is: "resume")
    expect(take(), is: 1)
    expect(!pipe.hasBytes && read(1) == 0)
    receive(3)
    expect(!pipe.hasBytes && pipe.room == ChannelPipe.inputCapacity)
    pipe.closeOutput()
    expect(write(1) == nil && !pipe.hasRoom)
    expect(text(pipe.takeAction()), is: "drain")
    expect(take(), is: 1)
    _ = [UInt8].written(upTo: 9) { pipe.writeOutput(from: 0, into: &$0) }
    expect(text(pipe.noteSent()), is: "close")
    pipe.finish(.closedByPeer)
    pipe.finish(.timedOut)
    expect(pipe.end, is: .closedByPeer)
    pipe.close()
    expect(take(), is: 0, "the thread has nothing to do for a channel that has ended")
  }
}
