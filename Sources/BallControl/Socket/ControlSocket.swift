import BallRunner
import BluetoothHost
import LinuxSystem

/// The control socket of a ball: programs of this user connect to it, read lines and send requests.
///
/// Nothing here waits for a listener. One that reads more slowly than the ball writes is dropped.
package final class ControlSocket: EventHandler {
  /// How many programs may listen at once.
  package static let maximumListeners = 16

  /// The only line for a program that is too many.
  private static let refusal =
    #"{"event":"error","request":"","detail":"\#(ControlError.full.description)"}"# + "\n"

  /// How long to pause after a failure to accept a program, in milliseconds.
  private static let retryDelay: UInt32 = 1_000

  private let loop: EventLoop
  private let listener: StreamListener
  private var registration: EventLoop.Registration?
  private var listeners: [ControlListener] = []
  /// The number of the next listener. No number is used twice.
  private var nextNumber = 1
  private var events: [ControlEvent] = []
  /// When to accept programs again; `nil` while they are accepted.
  package private(set) var deadline: Instant?
  /// The lines of the requests in `events`, in order.
  private var requests: [[UInt8]] = []

  /// Listens at `path`, for this user alone.
  ///
  /// - Throws: `addressInUse` if another ball is there.
  package init(path: String, loop: EventLoop) throws(SystemError) {
    self.loop = loop
    // eightballd does not record its socket in the lock.
    listener = try StreamListener(path: path, replacesAll: true)
    registration = try loop.add(listener.descriptor, for: .readable, handler: self)
  }

  /// Accepts no more programs, and drops the listeners. The socket is removed with the last
  /// reference.
  package func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    for listener in listeners { listener.close() }
    listeners = []
  }

  // MARK: For the ball

  /// Whether a program listens.
  package var hasListeners: Bool { !listeners.isEmpty }

  /// Whether an event waits.
  package var hasEvents: Bool { !events.isEmpty }

  /// Whether a program wants packets.
  package private(set) var hasPacketListeners = false

  /// Takes the oldest event.
  package func nextEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    guard !events.isEmpty else { return nil }
    let oldest = events.removeFirst()
    if case .request = oldest {
      let line = requests.removeFirst()
      _ = request.assign(line.span)
    }
    return oldest
  }

  /// Sends whole lines to one listener, or to all. A listener gets lines for all only after its
  /// first line of its own, with which the ball's state begins.
  package func send(_ lines: Span<UInt8>, to number: Int?) {
    for listener in listeners where number.map({ $0 == listener.number }) ?? listener.isCurrent {
      listener.isCurrent = true
      if !listener.send(lines) { drop(listener) }
    }
  }

  /// Starts or stops sending packets to a listener.
  package func sendPackets(_ isWanted: Bool, to number: Int) {
    for listener in listeners where listener.number == number { listener.wantsPackets = isWanted }
    packetListenersChanged()
  }

  /// Sends a packet's line to the listeners that want packets.
  package func send(packet line: Span<UInt8>) {
    for listener in listeners where listener.wantsPackets {
      if !listener.send(line) { drop(listener) }
    }
  }

  // MARK: For the loop

  /// A program connects.
  package func handle(_ readiness: Readiness, token: Int) {
    while let connection = nextConnection() {
      guard listeners.count < Self.maximumListeners else {
        // The line fits the empty buffer of a new connection.
        _ = try? connection.write(Array(Self.refusal.utf8).span)
        continue
      }
      let listener = ControlListener(connection, number: nextNumber, socket: self)
      guard listener.open(in: loop) else { continue }
      nextNumber += 1
      listeners.append(listener)
      events.append(.joined(listener.number))
    }
  }

  /// Accepts programs again if the pause is over.
  package func advance(to now: Instant) {
    guard let deadline, deadline <= now, let registration else { return }
    self.deadline = nil
    // Fails only for a descriptor that is not in the loop.
    try? loop.change(registration, to: .readable)
  }

  /// The next connection of this user or of root. Others are refused.
  private func nextConnection() -> FileDescriptor? {
    do throws(SystemError) {
      while let connection = try listener.accept() {
        if let user = try? connection.peerUser(), user == CurrentProcess.userNumber || user == 0 {
          return connection
        }
      }
    } catch {
      // For example too many open files: a waiting program would wake the loop repeatedly.
      deadline = MonotonicClock.now.advanced(by: Self.retryDelay)
      if let registration { try? loop.change(registration, to: .none) }
    }
    return nil
  }

  /// A listener has sent a line.
  func received(_ line: [UInt8], from listener: ControlListener) {
    events.append(.request(listener.number))
    requests.append(line)
  }

  /// Removes a listener that has gone or is too slow.
  func drop(_ listener: ControlListener) {
    guard let index = listeners.firstIndex(where: { $0 === listener }) else { return }
    listeners.remove(at: index)
    listener.close()
    events.append(.left(listener.number))
    packetListenersChanged()
  }

  private func packetListenersChanged() {
    hasPacketListeners = listeners.contains { $0.wantsPackets }
  }
}
