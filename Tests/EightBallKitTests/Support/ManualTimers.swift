import Foundation
import Synchronization

@testable import EightBallKit

/// Timers that a test fires.
final class ManualTimers: BallTimers {
  private struct Entry: @unchecked Sendable {
    let id: UUID
    let seconds: TimeInterval
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private let entries = Locked<[Entry]>([])

  func schedule(
    after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> any BallTimer {
    let entry = Entry(id: UUID(), seconds: seconds, queue: queue, body: body)
    entries.withLock { $0.append(entry) }
    return Timer(id: entry.id, timers: self)
  }

  /// The time of each running timer, in seconds.
  var running: [TimeInterval] { entries.withLock(\.self).map(\.seconds) }

  func fire() {
    let due = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    for entry in due { entry.queue.async(execute: entry.body) }
  }

  private struct Timer: BallTimer {
    let id: UUID
    let timers: ManualTimers

    func cancel() { timers.entries.withLock { $0.removeAll { $0.id == id } } }
  }
}
