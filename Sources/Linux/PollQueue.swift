import BluetoothHost

/// Names a descriptor in a queue: where an event comes from.
package struct PollToken: RawRepresentable, Equatable, Sendable {
  /// The number that the kernel keeps.
  package var rawValue: UInt32

  /// The token with this number.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The radio.
  package static var radio: PollToken { PollToken(rawValue: 1) }
  /// The socket that the radio's controller connects to.
  package static var listener: PollToken { PollToken(rawValue: 2) }
  /// Signals that end a program.
  package static var signals: PollToken { PollToken(rawValue: 3) }
  /// The lines of the board.
  package static var lines: PollToken { PollToken(rawValue: 4) }
  /// The folder of the GPIO chips.
  package static var chips: PollToken { PollToken(rawValue: 5) }
  /// Standard output.
  package static var output: PollToken { PollToken(rawValue: 6) }
  /// Standard error.
  package static var errors: PollToken { PollToken(rawValue: 7) }
  /// The control socket, and the programs on it.
  package static var control: PollToken { PollToken(rawValue: 8) }
  /// Another queue.
  package static var nested: PollToken { PollToken(rawValue: 9) }
}

/// The descriptors that a loop waits for: epoll(7), level-triggered.
///
/// A queue is a descriptor too, readable while it has events. A part of a program with many
/// descriptors has a queue of its own, and the loop above watches only that.
package struct PollQueue: ~Copyable {
  /// How many events `wait` takes at most.
  package static var capacity: Int { 8 }

  private static var add: Int32 { 1 }
  private static var delete: Int32 { 2 }
  private static var modify: Int32 { 3 }

  private let descriptor: PortDescriptor

  /// The queue's own descriptor, for another queue.
  package var number: Int32 { descriptor.number }

  /// An empty queue; `nil` if the kernel refuses.
  package init?() {
    let number = clinux_create_queue()
    guard number >= 0 else { return nil }
    descriptor = PortDescriptor(owning: number)
  }

  /// Adds a descriptor; `false` if the kernel refuses.
  @discardableResult
  package borrowing func add(_ number: Int32, _ token: PollToken, for events: Readiness) -> Bool {
    clinux_control(descriptor.number, Self.add, number, events.rawValue, token.rawValue) == 0
  }

  /// Changes the events of a descriptor.
  @discardableResult
  package borrowing func change(_ number: Int32, _ token: PollToken, to events: Readiness) -> Bool {
    clinux_control(descriptor.number, Self.modify, number, events.rawValue, token.rawValue) == 0
  }

  /// Removes a descriptor.
  package borrowing func remove(_ number: Int32) {
    _ = clinux_control(descriptor.number, Self.delete, number, 0, 0)
  }

  /// Sleeps until there are events or `timeout` milliseconds have passed, -1 for no limit; `false`
  /// if the kernel refuses.
  package borrowing func wait(
    _ timeout: Int32, _ body: (_ token: PollToken, _ events: Readiness) -> Void
  ) -> Bool {
    var tokens = InlineArray<8, UInt32>(repeating: 0)
    var events = InlineArray<8, UInt32>(repeating: 0)
    let number = descriptor.number
    var tokenSpace = tokens.mutableSpan
    var eventSpace = events.mutableSpan
    let count = unsafe tokenSpace.withUnsafeMutableBufferPointer { tokens in
      unsafe eventSpace.withUnsafeMutableBufferPointer { events in
        unsafe clinux_wait(number, tokens.baseAddress, events.baseAddress, 8, timeout)
      }
    }
    guard count >= 0 else { return false }
    for index in 0..<min(Int(truncatingIfNeeded: count), Self.capacity) {
      body(PollToken(rawValue: tokens[index]), Readiness(rawValue: events[index]))
    }
    return true
  }
}

/// What a descriptor is ready for, or what to wait for: the flags of <sys/epoll.h>.
///
/// Not an `OptionSet`, whose array literals need a heap.
public struct Readiness: RawRepresentable, Equatable, Sendable {
  /// The kernel's flags.
  public var rawValue: UInt32

  /// Any flags, known or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// There is something to read, or the other side has closed.
  public static var readable: Readiness { Readiness(rawValue: 0x001) }
  /// Some bytes can be written.
  public static var writable: Readiness { Readiness(rawValue: 0x004) }
  /// As `writable`, but reported once, and then nothing until the descriptor is changed.
  package static var writableOnce: Readiness { Readiness(rawValue: 0x004 | 1 &<< 30) }
  /// As `readable`, but reported once, and again only when more arrives.
  public static var readableEdge: Readiness { Readiness(rawValue: 0x001 | 1 &<< 31) }

  /// No flag. The end of the connection is always reported.
  public static var none: Readiness { Readiness(rawValue: 0) }
  /// Both.
  public static var readableOrWritable: Readiness { Readiness(rawValue: 0x001 | 0x004) }

  /// Adds flags.
  public mutating func add(_ other: Readiness) { rawValue |= other.rawValue }

  /// Whether a read would find bytes, the end, or the error.
  public var isReadable: Bool { rawValue & (0x001 | 0x008 | 0x010) != 0 }

  /// Whether a write would be taken, or would find the error.
  public var isWritable: Bool { rawValue & (0x004 | 0x008 | 0x010) != 0 }

  /// Whether the other side is gone or the descriptor has failed; a read shows which.
  public var isHangUp: Bool { rawValue & (0x008 | 0x010) != 0 }
}

/// The clock for deadlines: it never goes back and is never set.
public enum MonotonicClock {
  /// Milliseconds since the machine started, without the time that it slept.
  public static var now: Instant { Instant(rawValue: clinux_now()) }
}
