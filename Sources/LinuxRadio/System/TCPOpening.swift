import BluetoothHost
import Linux

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
