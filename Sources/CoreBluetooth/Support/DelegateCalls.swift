import BluetoothHost
import Foundation

/// The calls of the delegates of one device. By real time each is made at once. On simulated time, of a
/// `CBSimulatedClock` or of the air, each is made on its queue when the one before it has returned, and
/// time waits for all of them, so that the order is the same in each run. The timers of a clock are
/// calls too.
final class DelegateCalls: Sendable {
  private struct Call {
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private struct Timer {
    let number: Int
    let due: UInt64
    let call: Call
  }

  private struct WeakQueue { weak var queue: DispatchQueue? }

  private struct Contents {
    /// The simulated time; `nil` by real time.
    var milliseconds: UInt64?
    var calls: [Call] = []
    /// Whether the calls are being made.
    var isMaking = false
    /// The queues of all managers, without repetition.
    var queues: [WeakQueue] = []
    /// In the order of their times; of two at one time, the older is first.
    var timers: [Timer] = []
    var timerTotal = 0

    /// Whether a call has not returned, or has not been made.
    var areWaiting: Bool { isMaking || !calls.isEmpty }
  }

  private let contents: Locked<Contents>

  /// - Parameter milliseconds: The simulated time; `nil` by real time.
  init(milliseconds: UInt64? = nil) {
    contents = Locked(Contents(milliseconds: milliseconds))
  }

  /// The simulated time; 0 by real time.
  var milliseconds: UInt64 { contents.withLock(\.milliseconds) ?? 0 }

  /// The simulated time as a delegate sees it, which begins at 0; `nil` by real time.
  var time: CFAbsoluteTime? { contents.withLock(\.milliseconds).map { Double($0) / 1_000 } }

  /// Whether a call has not returned, or has not been made.
  var areWaiting: Bool { contents.withLock(\.areWaiting) }

  /// A manager calls its delegate on `queue`.
  func note(_ queue: DispatchQueue) {
    contents.withLock { contents in
      contents.queues.removeAll { $0.queue == nil || $0.queue === queue }
      contents.queues.append(WeakQueue(queue: queue))
    }
  }

  /// Calls `body` on `queue`, after the calls that were added before.
  func add(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let mustWait = contents.withLock { contents in
      guard contents.milliseconds != nil || contents.areWaiting else { return false }
      contents.calls.append(Call(queue: queue, body: body))
      return true
    }
    if !mustWait { queue.async(execute: body) }
  }

  /// Makes all calls, also those that they cause, and waits for what they have put on the queues of
  /// managers. `false` if there was none. One at a time: it would not return during another one.
  func makeAll() async -> Bool {
    await withCheckedContinuation { continuation in
      makeAll { continuation.resume(returning: $0) }
    }
  }

  /// The same. Calls `done` on a queue of the program, or at once if there is none to be made; never if
  /// the calls are being made already.
  func makeAll(_ done: @escaping @Sendable (Bool) -> Void) {
    let isFirst = contents.withLock { contents in
      defer { contents.isMaking = true }
      return !contents.isMaking
    }
    if isFirst { makeNext(mustWait: false, hasCalled: false, done) }
  }

  /// - Parameters:
  ///   - mustWait: Whether calls have been made since the queues were waited for.
  ///   - hasCalled: Whether calls have been made.
  private func makeNext(
    mustWait: Bool, hasCalled: Bool, _ done: @escaping @Sendable (Bool) -> Void
  ) {
    let call = contents.withLock { contents in
      if contents.calls.isEmpty, !mustWait { contents.isMaking = false }
      return contents.calls.isEmpty ? nil : contents.calls.removeFirst()
    }
    if let call {
      call.queue.async { [self] in
        call.body()
        // After what `body` has put on the queue.
        call.queue.async(flags: .barrier) { [self] in
          makeNext(mustWait: true, hasCalled: true, done)
        }
      }
    } else if mustWait {
      wait(for: queues[...]) { [self] in makeNext(mustWait: false, hasCalled: true, done) }
    } else {
      done(hasCalled)
    }
  }

  /// Waits until the queues of all managers have done what was put on them before.
  func waitForQueues() async {
    await withCheckedContinuation { continuation in
      wait(for: queues[...]) { continuation.resume() }
    }
  }

  private var queues: [DispatchQueue] { contents.withLock { $0.queues.compactMap(\.queue) } }

  private func wait(for queues: ArraySlice<DispatchQueue>, _ done: @escaping @Sendable () -> Void) {
    guard let queue = queues.first else { return done() }
    queue.async(flags: .barrier) { [self] in wait(for: queues.dropFirst(), done) }
  }

  // MARK: On the time of an air

  /// The time of the air, at which the next calls are made; `nil` by real time.
  func follow(_ time: Instant?) { contents.withLock { $0.milliseconds = time?.rawValue } }

  // MARK: Timers

  /// Adds a timer. Returns a function that cancels it.
  func schedule(
    after milliseconds: UInt64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    note(queue)
    let number = contents.withLock { contents in
      contents.timerTotal += 1
      let timer = Timer(
        number: contents.timerTotal, due: (contents.milliseconds ?? 0) &+ milliseconds,
        call: Call(queue: queue, body: body))
      let index = contents.timers.firstIndex { $0.due > timer.due } ?? contents.timers.count
      contents.timers.insert(timer, at: index)
      return timer.number
    }
    return { [weak self] in
      self?.contents.withLock { $0.timers.removeAll { $0.number == number } }
    }
  }

  /// When the next timer is due.
  var nextTimer: UInt64? { contents.withLock { $0.timers.first?.due } }

  /// Sets the time, and adds the calls of the timers that are due. `false` if there are none.
  func advance(to milliseconds: UInt64) -> Bool {
    contents.withLock { contents in
      contents.milliseconds = milliseconds
      let due = contents.timers.prefix { $0.due <= milliseconds }
      contents.calls += due.map(\.call)
      contents.timers.removeFirst(due.count)
      return !due.isEmpty
    }
  }
}
