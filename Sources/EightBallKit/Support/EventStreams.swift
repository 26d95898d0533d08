import Foundation

/// Gives the same events to any number of readers. All of it happens on one queue, so that what a
/// reader is told first and what it is told next fit together.
final class EventStreams<Event: Sendable>: Sendable {
  private let readers = Guarded<[UUID: AsyncStream<Event>.Continuation]>([:])

  /// A new reader's events: first those that `present` gives, on `queue`, then what happens.
  func makeStream(
    on queue: DispatchQueue, beginningWith present: @escaping @Sendable () -> [Event]
  ) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    queue.async { [readers] in
      let id = UUID()
      for event in present() { continuation.yield(event) }
      readers { $0[id] = continuation }
      continuation.onTermination = { _ in
        readers { _ = $0.removeValue(forKey: id) }
      }
    }
    return stream
  }

  func send(_ event: Event) {
    for reader in readers.current.values { reader.yield(event) }
  }

  func finish() {
    for reader in readers.current.values { reader.finish() }
  }

  deinit { finish() }
}
