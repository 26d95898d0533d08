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

/// Opens one end of a TCP connection: directly if the host is an address, and on a separate thread
/// if it is a name, since a lookup may take long.
package struct TCPOpening<Value: ~Copyable & Sendable>: ~Copyable {
  /// Opens the end for a host and a port. May block.
  package typealias Work = @Sendable (String, UInt16) throws(SystemError) -> Value

  /// How long it may take, in milliseconds.
  package static var timeout: UInt32 { 10_000 }

  /// When `result` must be called next; `nil` if no call is pending or it has timed out.
  package private(set) var deadline: Instant?

  private var call: BackgroundCall<Value>?

  /// No call.
  package init() {}

  /// The result of `work`; `nil` while it is pending: its end wakes `loop`.
  ///
  /// A call that times out is not repeated: a later result is still taken.
  ///
  /// - Throws: What `work` throws; `timedOut` from the deadline on.
  package mutating func result(
    of host: String, _ port: UInt16, loop: EventLoop, at now: Instant, _ work: @escaping Work
  ) throws(SystemError) -> Value? {
    guard mustBeLookedUp(host: host) else { return try work(host, port) }
    let current: BackgroundCall<Value>
    if let call {
      current = call
    } else {
      current = try BackgroundCall(loop: loop) { () throws(SystemError) in try work(host, port) }
      call = current
      deadline = now.advanced(by: Self.timeout)
    }
    switch current.take() {
    case nil: break
    case let outcome?:
      abandon()
      return try outcome.get()
    }
    if let deadline, now < deadline { return nil }
    deadline = nil
    throw SystemError(
      .timedOut, "reach", tcpName(host: host, port: port),
      explanation: "no answer within \(Self.timeout / 1000) s")
  }

  /// The result of `work`. Runs `loop` meanwhile; `nil` if a signal comes first.
  ///
  /// - Throws: As `result`.
  package static func wait(
    for host: String, _ port: UInt16, in loop: EventLoop, endedBy signals: TerminationSignals,
    _ work: @escaping Work
  ) throws(SystemError) -> Value? {
    var call = TCPOpening()
    while signals.count == 0 {
      let now = MonotonicClock.now
      switch try call.result(of: host, port, loop: loop, at: now, work) {
      case nil: try loop.wait(until: call.deadline, now: now)
      case let value?: return value
      }
    }
    return nil
  }

  /// Drops the pending call. Its thread ends with the call.
  package mutating func abandon() {
    call = nil
    deadline = nil
  }
}
