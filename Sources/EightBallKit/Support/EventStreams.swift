import Foundation

/// Gives the same events to any number of readers, each from when it began to read.
final class EventStreams<Event: Sendable>: Sendable {
  private let readers = Guarded<[UUID: AsyncStream<Event>.Continuation]>([:])

  func makeStream() -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    let id = UUID()
    readers { $0[id] = continuation }
    continuation.onTermination = { [readers] _ in
      readers { _ = $0.removeValue(forKey: id) }
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
