import Expectations
import Foundation
import LinuxAir
import LinuxRadio
import Synchronization
import VirtualRadio

/// A virtual air for the radios of one test, on a separate thread until it is released. No tested
/// device hosts it, so a device that ends does not end the air of the others.
package final class TestAir: Sendable {
  /// The name of a radio on it.
  package let radio: String
  private let hosting: Hosting

  package init() {
    let path = "/tmp/eightball-test-\(UUID().uuidString.prefix(8)).sock"
    radio = "unix:\(path)"
    let hosting = Hosting()
    self.hosting = hosting
    let isReady = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        try hosting.run(path) { isReady.signal() }
      } catch {
        Issue.record("the tests' air: \(error)")
        isReady.signal()
      }
    }
    isReady.wait()
  }

  deinit { hosting.end() }
}

/// The state of the thread.
private final class Hosting: Sendable {
  private let isOver = Atomic(false)
  private let wakeup = Mutex<Wakeup?>(nil)

  func run(_ path: String, whenReady: () -> Void) throws {
    let loop = try EventLoop()
    let bell = try Wakeup(loop: loop)
    wakeup.withLock { $0 = bell }
    let server = AirServer(air: VirtualAir(now: MonotonicClock.now), loop: loop)
    try server.listen(on: try StreamListener(path: path))
    whenReady()
    while !isOver.load(ordering: .relaxed) {
      try loop.wait(until: server.deadline)
      server.advance(to: MonotonicClock.now)
    }
    server.close()
    bell.stop()
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
    wakeup.withLock { $0?.ring() }
  }
}
