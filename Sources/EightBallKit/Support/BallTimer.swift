import Foundation

/// One-shot timers.
protocol BallTimers: Sendable {
  /// Calls `body` once on `queue` after this many seconds, unless it is cancelled.
  func schedule(
    after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> any BallTimer
}

/// A scheduled call.
protocol BallTimer: Sendable { func cancel() }

/// Dispatch timers.
struct DispatchTimers: BallTimers {
  func schedule(
    after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> any BallTimer {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + seconds)
    source.setEventHandler(handler: body)
    source.activate()
    return Timer(source: source)
  }

  private final class Timer: BallTimer, @unchecked Sendable {
    private let source: any DispatchSourceTimer

    init(source: any DispatchSourceTimer) { self.source = source }

    func cancel() { source.cancel() }
  }
}
