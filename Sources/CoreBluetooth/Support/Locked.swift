import Synchronization

/// A value that one thread at a time can access.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
  private var value: Value
  private let mutex = Mutex(())

  init(_ value: consuming Value) {
    self.value = value
  }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try mutex.withLock { _ in try body(&value) }
  }
}
