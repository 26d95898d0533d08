import BluetoothHost
import LinuxSystem

/// One end of a TCP connection that is being made: at once if the host is given by its address, and
/// on a thread of its own if it has a name, since a lookup may take long.
package struct HostCall<Value: ~Copyable & Sendable>: ~Copyable {
  /// Makes it, of a host and a port. May wait.
  package typealias Work = @Sendable (String, UInt16) throws(SystemError) -> Value

  /// How long it may take, in milliseconds.
  static var patience: UInt32 { 10_000 }

  /// When `result` must be called next; `nil` if nothing is under way, or it took too long already.
  private(set) var deadline: Instant?

  private var errand: Errand<Value>?

  /// What `work` has made; `nil` while it is under way: its end wakes `loop`.
  ///
  /// One that takes too long is not begun a second time: what comes of it in the end is taken.
  ///
  /// - Throws: What `work` throws; `timedOut` from the deadline on.
  mutating func result(
    of host: String, _ port: UInt16, loop: EventLoop, at now: Instant, _ work: @escaping Work
  ) throws(SystemError) -> Value? {
    guard mustBeLookedUp(host: host) else { return try work(host, port) }
    let current: Errand<Value>
    if let errand {
      current = errand
    } else {
      current = try Errand(loop: loop) { () throws(SystemError) in try work(host, port) }
      errand = current
      deadline = now.advanced(by: Self.patience)
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
      explanation: "no answer within \(Self.patience / 1000) s")
  }

  /// What `work` has made, for which `loop` runs meanwhile; `nil` if a signal has come before.
  ///
  /// - Throws: As `result`.
  package static func wait(
    for host: String, _ port: UInt16, in loop: EventLoop, endedBy signals: TerminationSignals,
    _ work: @escaping Work
  ) throws(SystemError) -> Value? {
    var call = HostCall()
    while signals.count == 0 {
      let now = MonotonicClock.now
      switch try call.result(of: host, port, loop: loop, at: now, work) {
      case nil: try loop.wait(until: call.deadline, now: now)
      case let value?: return value
      }
    }
    return nil
  }

  /// Waits for it no longer. Its thread ends by itself.
  mutating func abandon() {
    errand = nil
    deadline = nil
  }
}
