import BluetoothHost
import Glibc

/// What a descriptor is ready for. One of a few flags, or several.
public struct Readiness: RawRepresentable, Equatable, Sendable {
  /// The flags as epoll has them.
  public var rawValue: UInt32

  /// Any flags, known or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Of interest in nothing but the end of the connection, which is always told.
  public static let none = Readiness(rawValue: 0)
  /// There is something to read, or the other side has closed.
  public static let readable = Readiness(rawValue: Epoll.in)
  /// As `readable`, but told once, and not again until there is more to read.
  public static let news = Readiness(rawValue: Epoll.in | Epoll.edgeTriggered)
  /// Some bytes can be written.
  public static let writable = Readiness(rawValue: Epoll.out)
  /// Both.
  public static let readableOrWritable = Readiness(rawValue: readable.rawValue | writable.rawValue)

  /// Whether a read would find bytes, the end, or the error.
  public var isReadable: Bool {
    rawValue & (Epoll.in | Epoll.hangUp | Epoll.error) != 0
  }

  /// Whether a write would be taken, or would find the error.
  public var isWritable: Bool {
    rawValue & (Epoll.out | Epoll.hangUp | Epoll.error) != 0
  }

  /// Whether the other side is gone or the descriptor has failed; a read tells which.
  public var isHangUp: Bool { rawValue & (Epoll.hangUp | Epoll.error) != 0 }
}

/// Whoever a loop tells that a descriptor is ready.
public protocol EventHandler: AnyObject {
  /// The descriptor that was added with `token` is ready. It stays so, and is told again, until
  /// what it is ready for has been used up or is no longer of interest.
  func handle(_ readiness: Readiness, token: Int)
}

/// Waits for many descriptors and one deadline at once, on the thread that calls it: epoll.
///
/// Asleep when idle. A turn of the loop allocates nothing; adding a descriptor may.
public final class EventLoop {
  /// What tells one addition from all others, to change or undo it.
  public struct Registration: Equatable, Sendable {
    fileprivate var index: Int
    fileprivate var generation: UInt32
  }

  private struct Slot {
    var handler: (any EventHandler)?
    var descriptor: CInt = -1
    var token = 0
    /// Tells this use of the slot from the ones before, of which an event may still be under way.
    var generation: UInt32 = 0
  }

  private let epoll: FileDescriptor
  private var slots: [Slot] = []
  /// Which descriptors are ready, as `control` numbered them, and what each is ready for.
  private var readyNumbers = [UInt64](repeating: 0, count: 16)
  private var readyFlags = [UInt32](repeating: 0, count: 16)

  /// A loop with nothing to wait for. From now on, the process ignores SIGPIPE: a write to a
  /// socket whose reader has gone is an error like others.
  public init() throws(SystemError) {
    ignoreBrokenPipes()
    let number = try SystemCall.run("create", "an event queue") {
      clinux_create_queue()
    }
    epoll = FileDescriptor(owning: number, name: "the event queue")
  }

  /// Calls `handler`, which the loop keeps, whenever `descriptor` is ready for what is of
  /// interest. Remove it before the descriptor is closed.
  public func add(
    _ descriptor: borrowing FileDescriptor, for interest: Readiness,
    handler: any EventHandler, token: Int = 0
  ) throws(SystemError) -> Registration {
    let index = freeSlot()
    let registration = Registration(index: index, generation: slots[index].generation)
    try control(Epoll.add, descriptor.rawValue, interest, registration)
    slots[index].handler = handler
    slots[index].descriptor = descriptor.rawValue
    slots[index].token = token
    return registration
  }

  /// Changes what is of interest. Nothing happens if the registration has been removed.
  public func change(
    _ registration: Registration, to interest: Readiness
  ) throws(SystemError) {
    guard isCurrent(registration) else { return }
    try control(Epoll.modify, slots[registration.index].descriptor, interest, registration)
  }

  /// Calls the handler no more, not even for what has happened already. Nothing happens if the
  /// registration has been removed before.
  public func remove(_ registration: Registration) {
    guard isCurrent(registration) else { return }
    let index = registration.index
    // Fails only if the descriptor has been closed, which removes it as well.
    try? control(Epoll.delete, slots[index].descriptor, .none, registration)
    slots[index].handler = nil
    slots[index].descriptor = -1
    slots[index].generation &+= 1
  }

  /// Sleeps until a descriptor is ready or `deadline` has come, and calls the handlers of those
  /// that are ready.
  ///
  /// - Parameter deadline: By the monotonic clock; `nil` to wait for as long as it takes. One in
  ///   the past only looks what is ready.
  /// - Parameter now: The time, by the same clock.
  /// - Returns: Whether any descriptor was ready.
  @discardableResult
  public func wait(
    until deadline: Instant?, now: Instant = MonotonicClock.now
  ) throws(SystemError) -> Bool {
    let timeout = Self.timeout(until: deadline, now: now)
    let descriptor = epoll.rawValue
    let count = try SystemCall.transfer("wait for", epoll.name) {
      let capacity = CInt(readyNumbers.count)
      return unsafe Int(
        clinux_wait(descriptor, &readyNumbers, &readyFlags, capacity, timeout))
    }
    for index in 0..<(count ?? 0) {
      dispatch(readyNumbers[index], Readiness(rawValue: readyFlags[index]))
    }
    return (count ?? 0) > 0
  }

  /// The milliseconds that epoll may sleep; -1 for ever.
  static func timeout(until deadline: Instant?, now: Instant) -> CInt {
    guard let deadline else { return -1 }
    guard deadline > now else { return 0 }
    return CInt(clamping: deadline.rawValue - now.rawValue)
  }

  private func dispatch(_ number: UInt64, _ readiness: Readiness) {
    let registration = Registration(
      index: Int(truncatingIfNeeded: number & 0xFFFF_FFFF),
      generation: UInt32(truncatingIfNeeded: number >> 32))
    guard isCurrent(registration) else { return }
    let slot = slots[registration.index]
    slot.handler?.handle(readiness, token: slot.token)
  }

  private func isCurrent(_ registration: Registration) -> Bool {
    slots.indices.contains(registration.index)
      && slots[registration.index].handler != nil
      && slots[registration.index].generation == registration.generation
  }

  private func freeSlot() -> Int {
    if let index = slots.firstIndex(where: { $0.handler == nil }) { return index }
    slots.append(Slot())
    return slots.count - 1
  }

  private func control(
    _ operation: CInt, _ descriptor: CInt, _ interest: Readiness, _ registration: Registration
  ) throws(SystemError) {
    let data =
      UInt64(registration.generation) << 32 | UInt64(UInt32(truncatingIfNeeded: registration.index))
    let queue = epoll.rawValue
    try SystemCall.run("watch", "descriptor \(descriptor)") {
      clinux_control(queue, operation, descriptor, interest.rawValue, data)
    }
  }
}

/// Makes a write to a pipe or socket without a reader an error (EPIPE), not the end of the
/// process.
func ignoreBrokenPipes() {
  _ = signal(SIGPIPE, SIG_IGN)
}
