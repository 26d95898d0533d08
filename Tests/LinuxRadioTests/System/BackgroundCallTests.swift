import Expectations
import Foundation
import Glibc
import LinuxTestSupport

@testable import LinuxRadio

@Suite("A call in the background")
struct BackgroundCallTests {
  @Test("Wakes the loop when it ends, and gives its result once")
  func done() throws {
    let loop = try EventLoop()
    let call = try BackgroundCall<Int>(loop: loop) { 8 }
    // Otherwise this waits for ever.
    expect(try loop.wait(until: nil))
    expect(try call.take()?.get(), is: 8)
    expect(call.take(), is: nil)
  }

  @Test("Gives its error")
  func failed() throws {
    let loop = try EventLoop()
    let failure = SystemError(.timedOut, "find", "it")
    let call = try BackgroundCall<Int>(loop: loop) { () throws(SystemError) in throw failure }
    expect(try loop.wait(until: nil))
    expect(call.take(), is: .failure(failure))
  }

  @Test("A call that never ends does not block the loop")
  func endless() throws {
    let loop = try EventLoop()
    let end = DispatchSemaphore(value: 0)
    do {
      let call = try BackgroundCall<Int>(loop: loop) {
        end.wait()
        return 8
      }
      expect(try !loop.wait(until: MonotonicClock.now))
      expect(call.take(), is: nil)
    }
    end.signal()
    let other = try BackgroundCall<Int>(loop: loop) { 9 }
    expect(try loop.wait(until: nil))
    expect(try other.take()?.get(), is: 9)
  }

  @Test("An abandoned call closes what it opens, even after its loop is gone")
  func abandoned() throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let far = FileDescriptor(owning: ends[0], name: "far")
    let near = ends[1]
    let end = DispatchSemaphore(value: 0)
    do {
      _ = try BackgroundCall<FileDescriptor>(loop: try EventLoop()) {
        end.wait()
        return FileDescriptor(owning: near, name: "near")
      }
    }
    end.signal()
    // If the near end stayed open, this would wait for ever.
    expect(try far.readAll(), is: nil)
  }
}

@Suite("A bell for a loop")
struct WakeupTests {
  @Test("A loop wakes when it is rung")
  func rung() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    expect(try !loop.wait(until: MonotonicClock.now))
    Thread.detachNewThread { wakeup.ring() }
    // Otherwise this waits for ever.
    expect(try loop.wait(until: nil))
    expect(try !loop.wait(until: MonotonicClock.now))
  }

  @Test("Two rings are one")
  func twice() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    wakeup.ring()
    wakeup.ring()
    expect(try loop.wait(until: nil))
    expect(try !loop.wait(until: MonotonicClock.now))
  }

  @Test("Once stopped it wakes no loop")
  func stopped() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    wakeup.ring()
    wakeup.stop()
    wakeup.ring()
    expect(try !loop.wait(until: MonotonicClock.now))
  }
}
