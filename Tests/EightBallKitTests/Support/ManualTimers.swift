import Foundation
import Synchronization

@testable import EightBallKit

/// Timers that a test fires.
final class ManualTimers: Sendable {
  private struct Entry: @unchecked Sendable {
    let id = UUID()
    let seconds: TimeInterval
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private let entries = Locked<[Entry]>([])

  /// A timer that waits until `fire`.
  @Sendable func add(
    _ seconds: TimeInterval, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> BallTimer {
    let entry = Entry(seconds: seconds, queue: queue, body: body)
    entries.withLock { $0.append(entry) }
    return { self.entries.withLock { $0.removeAll { $0.id == entry.id } } }
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
}
