import Foundation

/// Makes one-shot timers: calls a function once on a queue after this many seconds. The result cancels
/// that.
typealias BallTimers =
  @Sendable (
    _ seconds: TimeInterval, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> BallTimer

/// Cancels a scheduled call.
typealias BallTimer = @Sendable () -> Void

/// Makes a timer of Dispatch.
@Sendable func dispatchTimer(
  after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
) -> BallTimer {
  let isCancelled = Locked(false)
  queue.asyncAfter(deadline: .now() + seconds) {
    if !isCancelled.withLock(\.self) { body() }
  }
  return { isCancelled.withLock { $0 = true } }
}
