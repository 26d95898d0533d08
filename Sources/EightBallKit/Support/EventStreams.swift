import Foundation

/// Gives the same events to any number of readers. All of it happens on one queue, so that what a
/// reader is told first and what it is told next fit together.
final class EventStreams<Event: Sendable>: Sendable {
  /// `nil` once all is over.
  private let readers = Guarded<[UUID: AsyncStream<Event>.Continuation]?>([:])

  /// A new reader's events: first those that `present` gives, on `queue`, then what happens.
  func makeStream(
    on queue: DispatchQueue, beginningWith present: @escaping @Sendable () -> [Event]
  ) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    queue.async { [readers] in
      let id = UUID()
      let isOver = readers { readers in
        readers?[id] = continuation
        return readers == nil
      }
      if isOver { return continuation.finish() }
      for event in present() { continuation.yield(event) }
      continuation.onTermination = { _ in
        readers { _ = $0?.removeValue(forKey: id) }
      }
    }
    return stream
  }

  func send(_ event: Event) {
    for reader in (readers.current ?? [:]).values { reader.yield(event) }
  }

  /// Ends what every reader is given, now and from now on.
  func finish() {
    let finished = readers { readers in
      defer { readers = nil }
      return readers
    }
    for reader in (finished ?? [:]).values { reader.finish() }
  }

  deinit { finish() }
}
