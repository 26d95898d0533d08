import BluetoothHost

/// A stream to print to, such as standard output, that never makes the loop wait.
///
/// Other programs, such as the shell, may share the stream, so its flags stay unchanged.
package struct PortOutput: ~Copyable {
  /// The result of `print`.
  package enum Result: Equatable {
    /// This many bytes were taken. If not all were, the queue wakes when there is room.
    case taken(Int)
    /// The stream has no reader any more.
    case closed
  }

  /// How bytes are written without waiting.
  private enum Way {
    /// A regular file or a device, which takes everything at once.
    case plain
    /// A socket: MSG_DONTWAIT in each call.
    case socket
    /// A pipe or terminal, opened a second time.
    case reopened
    /// A pipe or terminal that cannot be opened again: a check for room precedes each small write.
    case polled
  }

  /// What surely fits when a pipe or a terminal reports room.
  private static var portion: Int { 256 }

  private let token: PollToken
  private let original: Int32
  private let way: Way
  private let reopened: PortDescriptor?
  /// Whether it is in the queue, waiting for room or not.
  private var isInQueue = false
  /// Whether the last write did not fit. The queue reports the token when there is room.
  package private(set) var isBlocked = false
  /// Why bytes were lost that the stream could not take; `nil` if none were.
  package private(set) var failure: ErrorNumber?

  /// The stream that the descriptor `number` is open on.
  ///
  /// - Parameter second: The descriptor of a second, non-blocking description, which is closed with
  ///   this; negative without one. Only a pipe or a terminal has one.
  package init(_ number: Int32, _ token: PollToken, second: Int32) {
    original = number
    self.token = token
    let kind = FileKind(rawValue: clinux_kind(number))
    var descriptor: PortDescriptor?
    if kind == .socket {
      way = .socket
    } else if kind == .pipe || kind == .terminal {
      way = second >= 0 ? .reopened : .polled
      if second >= 0 { descriptor = PortDescriptor(owning: second) }
    } else {
      way = .plain
    }
    reopened = descriptor
  }

  /// The stream that the descriptor `number` is open on, opened a second time if it is a pipe or a
  /// terminal.
  package init(_ number: Int32, _ token: PollToken) {
    let kind = FileKind(rawValue: clinux_kind(number))
    let canWait = kind == .pipe || kind == .terminal
    self.init(number, token, second: canWait ? clinux_reopen(number) : -1)
  }

  /// The descriptor that is written to.
  private var number: Int32 {
    switch reopened {
    case nil: original
    case let reopened?: reopened.number
    }
  }

  /// Writes what is taken without waiting.
  ///
  /// Bytes that cannot be written, such as to a full disk, are lost and count as taken: `failure` says
  /// why.
  package mutating func print(_ bytes: Span<UInt8>, _ queue: borrowing PollQueue) -> Result {
    isBlocked = false
    var written = 0
    while written < bytes.count {
      switch write(bytes.extracting(droppingFirst: written)) {
      case .bytes(let count): written &+= count
      case .failed(.brokenPipe), .failed(.connectionReset): return .closed
      case .failed(let code):
        failure = code
        return .taken(bytes.count)
      case .wouldBlock:
        awaitRoom(queue)
        return .taken(written)
      }
    }
    return .taken(written)
  }

  /// There is room, or the reader is gone: the next `print` shows which.
  package mutating func handle() { isBlocked = false }

  /// Leaves the queue.
  package mutating func close(_ queue: borrowing PollQueue) {
    if isInQueue { queue.remove(number) }
    isInQueue = false
  }

  private func write(_ bytes: Span<UInt8>) -> Transfer {
    let number = self.number
    switch way {
    case .plain, .reopened:
      return unsafe bytes.withUnsafeBufferPointer {
        unsafe Transfer(clinux_write(number, $0.baseAddress, $0.count))
      }
    case .socket:
      return unsafe bytes.withUnsafeBufferPointer {
        unsafe Transfer(clinux_send(number, $0.baseAddress, $0.count))
      }
    case .polled:
      guard clinux_has_room(number) != 0 else { return .wouldBlock }
      return unsafe bytes.extracting(first: min(bytes.count, Self.portion))
        .withUnsafeBufferPointer {
          unsafe Transfer(clinux_write(number, $0.baseAddress, $0.count))
        }
    }
  }

  private mutating func awaitRoom(_ queue: borrowing PollQueue) {
    let events = Readiness.writableOnce
    isBlocked = true
    if isInQueue {
      queue.change(number, token, to: events)
    } else {
      isInQueue = queue.add(number, token, for: events)
    }
  }
}
