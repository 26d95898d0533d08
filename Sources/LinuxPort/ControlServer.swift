import BallRunner
import BluetoothHost
import Linux

/// A control socket of a program whose loop is another one, such as a swarm's. That loop waits for
/// `descriptor`.
package struct ControlServer: ~Copyable {
  private let queue: PollQueue
  private var control = ControlSocket()

  /// A socket that does not listen; `nil` if the kernel refuses to create an epoll instance.
  package init?() {
    guard let queue = PollQueue() else { return nil }
    self.queue = queue
  }

  /// Listens at a path; `false`, with `failure`, if that fails.
  package mutating func open(_ path: Span<UInt8>) -> Bool { control.open(path, queue) }

  /// Why it cannot listen.
  package var failure: SystemCallError? { control.failure }

  /// Readable when `handle` has something to do.
  package var descriptor: Int32 { queue.number }

  /// When `advance(to:)` must be called; `nil` without a failure to accept a program.
  package var deadline: Instant? { control.deadline }

  /// Accepts programs again after a pause.
  package mutating func advance(to now: Instant) { control.advance(to: now, queue) }

  /// Accepts programs, and reads what they have sent.
  package mutating func handle() {
    if queue.wait(0, { _, _ in }) { control.handle(queue) }
  }

  /// Takes the oldest event of the socket; `nil` without one.
  ///
  /// - Parameter request: Receives the line of a request, without its end.
  package mutating func nextEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    control.nextEvent(into: &request)
  }

  /// Sends whole lines to a listener. One that does not take them is dropped.
  package mutating func send(_ lines: Span<UInt8>, to listener: Int) {
    control.send(lines, to: listener)
  }
}
