import Foundation
import LinuxSystem
import Testing
import VirtualRadio

/// A virtual air for tests on radios of their own, hosted until the process ends: by nobody who is
/// tested, so that no device takes the others with it when it goes.
package enum TestAir {
  private static let path = "/tmp/eightball-test-\(UUID().uuidString.prefix(8)).sock"

  /// What a radio on it is called.
  package static let radio: String = {
    atexit {
      _ = unsafe unlink(TestAir.path)
      _ = unsafe unlink(TestAir.path + ".lock")
    }
    let ready = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        let loop = try EventLoop()
        let server = AirServer(air: VirtualAir(now: MonotonicClock.now), loop: loop)
        try server.listen(on: try StreamListener(path: path))
        ready.signal()
        while true {
          try loop.wait(until: server.deadline)
          server.advance(to: MonotonicClock.now)
        }
      } catch {
        Issue.record("the tests' air: \(error)")
        ready.signal()
      }
    }
    ready.wait()
    return "unix:\(path)"
  }()
}
