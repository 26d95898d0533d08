import Foundation

/// The calls of delegates on a simulated clock, and its timers: each call is made on its queue, when
/// the one before it has returned, so that the order is the same in each run.
final class SimulatedCalls: Sendable {
  private struct Call {
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private struct Timer {
    let number: Int
    let due: UInt64
    let call: Call
  }

  private struct Contents {
    var calls: [Call] = []
    /// The queues of all managers, without repetition.
    var queues: [DispatchQueue] = []
    /// In the order of their times; of two at one time, the older is first.
    var timers: [Timer] = []
    var timerTotal = 0
    var milliseconds: UInt64 = 0
  }

  private let contents = Locked(Contents())

  /// The clock's time.
  var milliseconds: UInt64 { contents.withLock(\.milliseconds) }

  /// The clock's time as a delegate sees it. It begins at 0.
  var time: CFAbsoluteTime { Double(milliseconds) / 1_000 }

  /// A manager calls its delegate on `queue`.
  func note(_ queue: DispatchQueue) {
    contents.withLock { contents in
      if !contents.queues.contains(where: { $0 === queue }) { contents.queues.append(queue) }
    }
  }

  /// Calls `body` on `queue`, after the calls that were added before.
  func add(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    contents.withLock { $0.calls.append(Call(queue: queue, body: body)) }
  }

  /// Makes all calls, also those that they cause. `false` if there was none.
  func makeAll() async -> Bool {
    var hasCalled = false
    while let call = next() {
      hasCalled = true
      await withCheckedContinuation { continuation in
        call.queue.async {
          call.body()
          // After what `body` has put on the queue.
          call.queue.async(flags: .barrier) { continuation.resume() }
        }
      }
    }
    return hasCalled
  }

  private func next() -> Call? {
    contents.withLock { $0.calls.isEmpty ? nil : $0.calls.removeFirst() }
  }

  /// Waits until the queues of all managers have done what was put on them before.
  func waitForQueues() async {
    for queue in contents.withLock(\.queues) {
      await withCheckedContinuation { continuation in
        queue.async(flags: .barrier) { continuation.resume() }
      }
    }
  }

  // MARK: Timers

  /// Adds a timer. Returns a function that cancels it.
  func schedule(
    after milliseconds: UInt64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    note(queue)
    let number = contents.withLock { contents in
      contents.timerTotal += 1
      let timer = Timer(
        number: contents.timerTotal, due: contents.milliseconds &+ milliseconds,
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
