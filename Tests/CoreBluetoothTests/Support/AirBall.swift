import BluetoothHost
import Foundation
import LinuxRadio
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import CoreBluetooth

/// A path for a virtual air that nobody else uses.
final class AirPath: Sendable {
  let text: String

  init() {
    text = "/tmp/eightball-test-air-\(UUID().uuidString).sock"
  }

  deinit { _ = unsafe unlink(text) }

  var exists: Bool { FileManager.default.fileExists(atPath: text) }
}

/// A ball on a virtual air, served by a thread of its own until it goes.
final class AirBall: @unchecked Sendable {
  private let mustLeave = Locked(false)
  private let bell = Locked(Wakeup?.none)
  private let life = DispatchGroup()

  /// A ball called `name` on the air at `path`; it is ready to be heard.
  init(_ name: String, at path: AirPath) throws {
    let ready = DispatchSemaphore(value: 0)
    life.enter()
    Thread.detachNewThread { [self] in
      defer { life.leave() }
      do {
        try serve(name, at: path, ready)
      } catch {
        Issue.record("the ball: \(error)")
        ready.signal()
      }
    }
    try #require(ready.wait(timeout: .now() + 30) == .success)
  }

  /// The ball says goodbye, its radio is switched off, and its thread is at its end.
  func leave() {
    mustLeave.withLock { $0 = true }
    bell.withLock { $0 }?.ring()
    #expect(life.wait(timeout: .now() + 30) == .success)
  }

  private func serve(_ name: String, at path: AirPath, _ ready: DispatchSemaphore) throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    bell.withLock { $0 = wakeup }
    var program = try PlainBall(name)
    var radio = try Radio(.virtual, loop: loop, airPath: path.text)
    var wasAdvertising = false
    while true {
      let now = MonotonicClock.now
      let isTold = mustLeave.withLock { mustLeave in
        defer { mustLeave = false }
        return mustLeave
      }
      if isTold { program.shutDown(at: now) }
      let mayHaveMore = radio.serve(&program, at: now)
      if !wasAdvertising, program.host.radio == .advertising {
        wasAdvertising = true
        ready.signal()
      }
      if program.isFinished { break }
      let deadline = Instant.earlier(program.deadline, radio.deadline)
      try loop.wait(until: mayHaveMore ? now : deadline)
    }
    radio.close()
    wakeup.stop()
  }
}
