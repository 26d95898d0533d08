import Foundation

/// Sends the same events to any number of readers. Everything happens on one queue, so a reader's
/// first state and the following events are consistent.
final class EventStreams<Event: Sendable>: Sendable {
  /// `nil` after `finish`.
  private let readers = Locked<[UUID: AsyncStream<Event>.Continuation]?>([:])

  /// A new reader's events: first those of `present`, called on `queue`, then the following ones.
  func makeStream(on queue: DispatchQueue, beginningWith present: @escaping @Sendable () -> [Event])
    -> AsyncStream<Event>
  {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    queue.async { [readers] in
      let id = UUID()
      let isOver = readers.withLock { readers in
        readers?[id] = continuation
        return readers == nil
      }
      if isOver { return continuation.finish() }
      for event in present() { continuation.yield(event) }
      continuation.onTermination = { _ in readers.withLock { _ = $0?.removeValue(forKey: id) } }
    }
    return stream
  }

  func send(_ event: Event) {
    for reader in (readers.withLock(\.self) ?? [:]).values { reader.yield(event) }
  }

  /// Ends the sequences of all readers, present and future.
  func finish() {
    let finished = readers.withLock { readers in
      defer { readers = nil }
      return readers
    }
    for reader in (finished ?? [:]).values { reader.finish() }
  }

  deinit { finish() }
}

/// A value that one thread at a time can access.
final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = NSLock()

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
