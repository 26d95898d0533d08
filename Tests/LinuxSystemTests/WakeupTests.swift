import Foundation
import LinuxSystem
import Testing

struct WakeupTests {
  @Test func aLoopWakesWhenItIsRung() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    #expect(try !loop.wait(until: MonotonicClock.now))
    Thread.detachNewThread { wakeup.ring() }
    // Otherwise this waits for ever.
    #expect(try loop.wait(until: nil))
    #expect(try !loop.wait(until: MonotonicClock.now))
  }

  @Test func ringingTwiceIsRingingOnce() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    wakeup.ring()
    wakeup.ring()
    #expect(try loop.wait(until: nil))
    #expect(try !loop.wait(until: MonotonicClock.now))
  }

  @Test func onceStoppedItWakesNobody() throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    wakeup.ring()
    wakeup.stop()
    wakeup.ring()
    #expect(try !loop.wait(until: MonotonicClock.now))
  }
}
