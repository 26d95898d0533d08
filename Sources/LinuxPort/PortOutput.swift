import BallRunner
import BluetoothHost
import CLinuxPort
import LinuxErrors

/// A stream to print to, such as standard output, that never makes the loop wait.
///
/// Other programs may share the stream, such as the shell, so its own flags stay as they are.
struct PortOutput: ~Copyable {
  /// How bytes are written without waiting.
  private enum Way {
    /// A regular file or a device that takes all at once.
    case plain
    /// A socket: each call says that it does not wait.
    case socket
    /// A pipe or terminal, opened a second time.
    case own
    /// A pipe or terminal that cannot be opened again: a look for room precedes each small write.
    case shared
  }

  /// What has surely room when a pipe or a terminal says that it has some.
  private static var portion: Int { 256 }

  private let token: PollToken
  private let original: Int32
  private let way: Way
  private let reopened: PortDescriptor?
  /// Whether the queue has it, and waits for room or not.
  private var isInQueue = false

  /// The stream that the descriptor `number` is open on.
  init(_ number: Int32, _ token: PollToken) {
    original = number
    self.token = token
    let kind = clinuxport_kind(number)
    var descriptor: PortDescriptor?
    if kind == Self.raw(CLINUXPORT_KIND_SOCKET) {
      way = .socket
    } else if kind == Self.raw(CLINUXPORT_KIND_PIPE) || kind == Self.raw(CLINUXPORT_KIND_TERMINAL) {
      let second = clinuxport_reopen(number)
      way = second >= 0 ? .own : .shared
      if second >= 0 { descriptor = PortDescriptor(owning: second) }
    } else {
      way = .plain
    }
    reopened = descriptor
  }

  private static func raw(_ kind: clinuxport_kind) -> Int32 {
    Int32(truncatingIfNeeded: kind.rawValue)
  }

  /// What is written to.
  private var number: Int32 {
    switch reopened {
    case nil: original
    case let reopened?: reopened.number
    }
  }

  /// Writes what is taken without waiting. If that is not all, the queue wakes when there is room.
  mutating func print(_ bytes: Span<UInt8>, _ queue: borrowing PollQueue) -> PrintResult {
    var written = 0
    while written < bytes.count {
      switch write(bytes.extracting(droppingFirst: written)) {
      case .bytes(let count): written &+= count
      case .failed(.brokenPipe), .failed(.connectionReset): return .closed
      case .failed:
        // Such as a full disk: what cannot be kept is lost, and the ball goes on.
        return .taken(bytes.count)
      case .wouldBlock:
        awaitRoom(queue)
        return .taken(written)
      }
    }
    return .taken(written)
  }

  private func write(_ bytes: Span<UInt8>) -> Transfer {
    let number = self.number
    switch way {
    case .plain, .own:
      return unsafe bytes.withUnsafeBufferPointer {
        unsafe Transfer(clinuxport_write(number, $0.baseAddress, $0.count))
      }
    case .socket:
      return unsafe bytes.withUnsafeBufferPointer {
        unsafe Transfer(clinuxport_send(number, $0.baseAddress, $0.count))
      }
    case .shared:
      guard clinuxport_has_room(number) != 0 else { return .wouldBlock }
      return unsafe bytes.extracting(first: min(bytes.count, Self.portion))
        .withUnsafeBufferPointer {
          unsafe Transfer(clinuxport_write(number, $0.baseAddress, $0.count))
        }
    }
  }

  private mutating func awaitRoom(_ queue: borrowing PollQueue) {
    let events = PollQueue.writable | PollQueue.once
    if isInQueue {
      queue.change(number, token, to: events)
    } else {
      isInQueue = queue.add(number, token, for: events)
    }
  }
}
