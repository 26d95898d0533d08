import BallRunner
import BluetoothHost
import Foundation

@testable import Linux
@testable import LinuxPort

/// A control socket and the queue that watches it.
final class ControlBench {
  var control = PortControl()
  private let queue: PollQueue

  init(_ queue: consuming PollQueue) { self.queue = queue }

  var failure: ErrorNumber? { control.failure?.code }
  var isTaken: Bool { control.isTaken }
  var isInUse: Bool { control.isInUse }
  var hasEvents: Bool { control.hasEvents }
  var hasPacketListeners: Bool { control.hasPacketListeners }
  var deadline: Instant? { control.deadline }

  func open(_ path: String) -> Bool { control.open(Array(path.utf8).span, queue) }

  func handle() { control.handle(queue) }

  func advance(to now: Instant) { control.advance(to: now, queue) }

  /// How many descriptors would wake the loop now.
  var pendingEvents: Int {
    var count = 0
    _ = queue.wait(0) { _, _ in count += 1 }
    return count
  }

  /// The events since the last call.
  func takeEvents() -> [String] {
    handle()
    var all: [String] = []
    var request = ByteBuffer<128>()
    while let event = control.nextEvent(into: &request) {
      switch event {
      case .joined(let number): all.append("joined \(number)")
      case .left(let number): all.append("left \(number)")
      case .request:
        let line = request.span
        all.append(text { $0.writePrefix(of: line) })
      }
    }
    return all
  }
}

/// A start of several threads at once, and what they have at the end.
final class Race: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting: Int
  private var running: Int
  private var winners: [ControlBench] = []

  init(count: Int) {
    waiting = count
    running = count
  }

  /// Waits for all others.
  func begin() {
    condition.lock()
    waiting -= 1
    condition.broadcast()
    while waiting > 0 { condition.wait() }
    condition.unlock()
  }

  func end(_ winner: ControlBench?) {
    condition.lock()
    if let winner { winners.append(winner) }
    running -= 1
    condition.broadcast()
    condition.unlock()
  }

  func wait() -> [ControlBench] {
    condition.lock()
    defer { condition.unlock() }
    while running > 0 { condition.wait() }
    return winners
  }
}
