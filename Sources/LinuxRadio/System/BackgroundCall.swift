import BluetoothHost
import Glibc
import Linux
import Synchronization

/// A call that may block for long, on a separate thread. Its end wakes a loop.
///
/// Create, read and release it on the loop's thread. The other thread cannot be ended from outside:
/// after a release, it ends with its call or with the process, and the call's result is dropped.
package final class BackgroundCall<Value: ~Copyable & Sendable> {
  private let outcome = CallResult<Value>()
  private let wakeup: Wakeup

  /// Starts `work`. Its end wakes `loop`.
  ///
  /// - Throws: Why no thread can be started.
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

  /// Takes the result of `work`; `nil` before `work` has ended, and after the result was taken.
  package func take() -> Result<Value, SystemError>? { outcome.take() }
}

/// The result that the thread leaves.
private final class CallResult<Value: ~Copyable & Sendable>: Sendable {
  private let result = Mutex<Result<Value, SystemError>?>(nil)

  func set(_ new: consuming Result<Value, SystemError>) {
    var new: Result<Value, SystemError>? = consume new
    result.withLock { $0 = new.take() }
  }

  func take() -> Result<Value, SystemError>? { result.withLock { $0.take() } }
}

/// The body of a thread, as an object that C can pass on.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `body` on a new, detached thread that blocks all signals.
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
    throw SystemError(ErrorNumber(rawValue: code), "start", "a thread")
  }
}
