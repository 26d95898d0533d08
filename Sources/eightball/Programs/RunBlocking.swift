import Dispatch
import Logging

/// Runs `body` on other threads, and blocks this one until it ends. The commands are not
/// asynchronous themselves, because `eightball run` must have one thread.
func runBlocking<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
  // The commands report the radio's problems themselves, so CoreBluetooth's log is off.
  LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
  let outcome = ThreadResult<Value>()
  Task.detached {
    do {
      outcome.set(.success(try await body()))
    } catch {
      outcome.set(.failure(error))
    }
  }
  return try outcome.wait().get()
}

/// A result that another thread sets once.
private final class ThreadResult<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the semaphore orders the write before the read.
  private var result: Result<Value, any Error> = .failure(CancellationError())
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ result: Result<Value, any Error>) {
    self.result = result
    isThere.signal()
  }

  func wait() -> Result<Value, any Error> {
    isThere.wait()
    return result
  }
}
