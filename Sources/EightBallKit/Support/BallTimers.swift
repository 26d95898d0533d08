import Foundation

/// What an SDK waits with: one-shot timers.
protocol BallTimers: Sendable {
  /// Calls `body` on `queue`, once, after so many seconds, unless it is called off.
  func schedule(
    after seconds: TimeInterval, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> any BallTimer
}

/// Something that will happen, unless it is called off.
protocol BallTimer: Sendable {
  func cancel()
}

/// Timers by Dispatch.
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

    init(source: any DispatchSourceTimer) {
      self.source = source
    }

    func cancel() {
      source.cancel()
    }
  }
}
