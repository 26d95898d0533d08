import BluetoothHost
import EightBall
import Foundation
import LinuxRadio
import LinuxSystem
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
  private let isEnding = Locked(false)
  private let bell = Locked(Wakeup?.none)
  private let life = DispatchGroup()

  /// A ball called `name` on the air at `path`; it is ready to be heard.
  init(_ name: String, at path: AirPath) throws {
    let parsed = DeviceName(Array(name.utf8).span)
    let deviceName = try #require(parsed)
    let ready = DispatchSemaphore(value: 0)
    life.enter()
    Thread.detachNewThread { [self] in
      defer { life.leave() }
      do {
        try serve(deviceName, at: path, ready)
      } catch {
        Issue.record("the ball: \(error)")
        ready.signal()
      }
    }
    try #require(ready.wait(timeout: .now() + 30) == .success)
  }

  /// The ball's radio is switched off, and its thread is at its end.
  func leave() {
    isEnding.withLock { $0 = true }
    bell.withLock { $0 }?.ring()
    #expect(life.wait(timeout: .now() + 30) == .success)
  }

  private func serve(
    _ name: DeviceName, at path: AirPath, _ ready: DispatchSemaphore
  ) throws {
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    bell.withLock { $0 = wakeup }
    var program = BallOnThread(name)
    var radio = try Radio(.virtual, loop: loop, airPath: path.text)
    var wasAdvertising = false
    while !isEnding.withLock({ $0 }) {
      let now = MonotonicClock.now
      let mayHaveMore = radio.serve(&program, at: now)
      if !wasAdvertising, program.host.radio == .advertising {
        wasAdvertising = true
        ready.signal()
      }
      let deadline = Instant.earlier(program.deadline, radio.deadline)
      try loop.wait(until: mayHaveMore ? now : deadline)
    }
    radio.close()
    wakeup.stop()
  }
}

/// A ball as a program.
private struct BallOnThread: RadioProgram, ~Copyable {
  var host: BallHost<4>

  init(_ name: DeviceName) {
    host = BallHost<4>(
      configuration: HostConfiguration(name: name, service: .ballService, address: .public),
      database: GATTDatabase(BallProfile.table), application: Ball<4>(seed: 8, style: .text))
  }

  mutating func radioIsReady(at now: Instant) { host.start(at: now) }
  mutating func radioIsLost(_ error: RadioError, at now: Instant) { host.radioLost() }
  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    while host.application.nextEvent() != nil {}
  }
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }
  var deadline: Instant? { host.deadline }
  mutating func advance(to now: Instant) { host.advance(to: now) }
  mutating func turnEnded() {}
  mutating func shutDown(at now: Instant) { host.shutDown() }
  var isFinished: Bool { host.isShutDown }
}
