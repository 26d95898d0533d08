import BluetoothHost
import CLinuxPort

/// The source of an event of the loop.
enum PollToken: UInt32 {
  case radio = 1
  case listener
  case signals
  case lines
  case chips
  case output
  case errors
  case control
  case nested
}

/// The descriptors that the loop waits for: epoll(7), level-triggered.
struct PollQueue: ~Copyable {
  /// The values of <sys/epoll.h>.
  static var readable: UInt32 { 0x001 }
  static var writable: UInt32 { 0x004 }
  static var hangUp: UInt32 { 0x008 | 0x010 }
  /// One event, then none until `change`.
  static var once: UInt32 { 1 &<< 30 }

  private static var add: Int32 { 1 }
  private static var delete: Int32 { 2 }
  private static var modify: Int32 { 3 }

  private let descriptor: PortDescriptor

  /// Its own descriptor: readable while one of its descriptors is ready.
  var number: Int32 { descriptor.number }

  /// An empty queue; `nil` if the kernel refuses.
  init?() {
    let number = clinuxport_create_queue()
    guard number >= 0 else { return nil }
    descriptor = PortDescriptor(owning: number)
  }

  /// Adds a descriptor and its `events`; `false` if the kernel refuses.
  @discardableResult
  borrowing func add(_ number: Int32, _ token: PollToken, for events: UInt32) -> Bool {
    clinuxport_control(descriptor.number, Self.add, number, events, token.rawValue) == 0
  }

  /// Changes the events of a descriptor.
  @discardableResult
  borrowing func change(_ number: Int32, _ token: PollToken, to events: UInt32) -> Bool {
    clinuxport_control(descriptor.number, Self.modify, number, events, token.rawValue) == 0
  }

  /// Removes a descriptor.
  borrowing func remove(_ number: Int32) {
    _ = clinuxport_control(descriptor.number, Self.delete, number, 0, 0)
  }

  /// Sleeps until there are events or `timeout` milliseconds have passed, -1 for no limit; `false`
  /// if the kernel refuses.
  borrowing func wait(
    _ timeout: Int32, _ body: (_ token: PollToken, _ events: UInt32) -> Void
  ) -> Bool {
    var events = InlineArray<8, clinuxport_event>(repeating: clinuxport_event())
    let number = descriptor.number
    var span = events.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer {
      unsafe clinuxport_wait(number, $0.baseAddress, Int32(truncatingIfNeeded: $0.count), timeout)
    }
    guard count >= 0 else { return false }
    for index in 0..<min(Int(truncatingIfNeeded: count), 8) {
      guard let token = PollToken(rawValue: events[index].token) else { continue }
      body(token, events[index].events)
    }
    return true
  }
}
