import Foundation

/// What an SDK waits with: one-shot timers.
protocol BallTimers: Sendable {
  /// Calls `body` on `queue`, once, after so many seconds; the result calls it off.
  func schedule(
    after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void
}

/// Timers by Dispatch.
struct DispatchTimers: BallTimers {
  func schedule(
    after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + seconds)
    source.setEventHandler(handler: body)
    source.activate()
    return { source.cancel() }
  }
}
