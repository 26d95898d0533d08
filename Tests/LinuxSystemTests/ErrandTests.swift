import Dispatch
import Glibc
import Testing

@testable import LinuxSystem

@Suite("An errand")
struct ErrandTests {
  @Test("Wakes the loop when it is done, and gives what it made once")
  func done() throws {
    let loop = try EventLoop()
    let errand = try Errand<Int>(loop: loop) { 8 }
    // For ever, if it did not.
    #expect(try loop.wait(until: nil))
    #expect(try errand.take()?.get() == 8)
    #expect(errand.take() == nil)
  }

  @Test("Gives the error that it ended with")
  func failed() throws {
    let loop = try EventLoop()
    let failure = SystemError(.timedOut, "find", "it")
    let errand = try Errand<Int>(loop: loop) { () throws(SystemError) in throw failure }
    #expect(try loop.wait(until: nil))
    #expect(errand.take() == .failure(failure))
  }

  @Test("That never ends does not hold up the loop, which can be used without it")
  func endless() throws {
    let loop = try EventLoop()
    let end = DispatchSemaphore(value: 0)
    do {
      let errand = try Errand<Int>(loop: loop) {
        end.wait()
        return 8
      }
      #expect(try !loop.wait(until: MonotonicClock.now))
      #expect(errand.take() == nil)
    }
    end.signal()
    let other = try Errand<Int>(loop: loop) { 9 }
    #expect(try loop.wait(until: nil))
    #expect(try other.take()?.get() == 9)
  }

  @Test("That is abandoned closes what it opens, after its loop has gone")
  func abandoned() throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let far = FileDescriptor(owning: ends[0], name: "far")
    let near = ends[1]
    let end = DispatchSemaphore(value: 0)
    do {
      _ = try Errand<FileDescriptor>(loop: try EventLoop()) {
        end.wait()
        return FileDescriptor(owning: near, name: "near")
      }
    }
    end.signal()
    // For ever, if the near end stayed open.
    #expect(try far.readAll() == nil)
  }
}
