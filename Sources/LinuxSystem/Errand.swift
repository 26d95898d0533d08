import Glibc
import Synchronization

/// A call that may wait for long, on a thread of its own. Its end wakes a loop.
///
/// Made, asked and let go on the loop's thread. The errand's own thread cannot be ended from outside.
/// When the errand has been let go, the thread ends with its call, or with the process; what the call
/// makes goes with it.
package final class Errand<Value: ~Copyable & Sendable> {
  private let outcome = Outcome<Value>()
  private let wakeup: Wakeup

  /// Begins `work`, whose end wakes `loop`.
  ///
  /// - Throws: Why no thread can be had.
  package init(
    loop: EventLoop, _ work: @escaping @Sendable () throws(SystemError) -> Value
  ) throws(SystemError) {
    wakeup = try Wakeup(loop: loop)
    let outcome = self.outcome
    let bell = wakeup.bell
    do throws(SystemError) {
      try startThread {
        do throws(SystemError) {
          outcome.set(.success(try work()))
        } catch {
          outcome.set(.failure(error))
        }
        bell.ring()
      }
    } catch {
      wakeup.stop()
      throw error
    }
  }

  deinit { wakeup.stop() }

  /// What the work made, or why it failed, once; `nil` before its end.
  package func take() -> Result<Value, SystemError>? { outcome.take() }
}

/// Where the thread leaves what it made.
private final class Outcome<Value: ~Copyable & Sendable>: Sendable {
  private let result = Mutex<Result<Value, SystemError>?>(nil)

  func set(_ new: consuming Result<Value, SystemError>) {
    var new: Result<Value, SystemError>? = consume new
    result.withLock { $0 = new.take() }
  }

  func take() -> Result<Value, SystemError>? { result.withLock { $0.take() } }
}

/// What a thread does, in a form that C can pass on.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `body` on a new, detached thread, which takes no signals.
private func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  defer { unsafe pthread_attr_destroy(&attributes) }
  unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
  let context = unsafe Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let code = unsafe pthread_create(
    &thread, &attributes,
    { context in
      SignalMask.blockAll()
      guard let context = unsafe context else { return nil }
      unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }, context.toOpaque())
  guard code == 0 else {
    unsafe context.release()
    throw SystemError(Errno(rawValue: code), "start", "a thread")
  }
}
