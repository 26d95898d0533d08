#if Tools
import Dispatch
import Logging

/// Runs `body` on other threads, and waits on this one for its end. `eightball run` has one thread,
/// for good reason, so the commands are not asynchronous themselves.
func waiting<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
  // What CoreBluetooth has to say of the radio, the commands say in their own words.
  LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
  let outcome = Outcome<Value>()
  Task.detached {
    do {
      outcome.set(.success(try await body()))
    } catch {
      outcome.set(.failure(error))
    }
  }
  return try outcome.wait().get()
}

/// What becomes of something on another thread.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the semaphore lets nobody read it before it has been written.
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
#endif
