import BluetoothHost
import Glibc

/// What a descriptor is ready for: a set of flags.
public struct Readiness: RawRepresentable, Equatable, Sendable {
  /// The flags of epoll.
  public var rawValue: UInt32

  /// Any flags, known or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No flag. The end of the connection is always reported.
  public static let none = Readiness(rawValue: 0)
  /// There is something to read, or the other side has closed.
  public static let readable = Readiness(rawValue: Epoll.in)
  /// As `readable`, but edge-triggered: reported once, and again only when more arrives.
  public static let readableEdge = Readiness(rawValue: Epoll.in | Epoll.edgeTriggered)
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

  /// Whether the other side is gone or the descriptor has failed; a read shows which.
  public var isHangUp: Bool { rawValue & (Epoll.hangUp | Epoll.error) != 0 }
}

/// Is called by a loop when a descriptor is ready.
public protocol EventHandler: AnyObject {
  /// The descriptor that was added with `token` is ready. The loop calls again while it stays ready
  /// and of interest.
  func handle(_ readiness: Readiness, token: Int)
}

/// Waits for many descriptors and one deadline at once, on the thread that calls it: epoll.
///
/// It sleeps when idle. A turn of the loop does not allocate; adding a descriptor may.
public final class EventLoop {
  /// Identifies an added descriptor, to change or remove it.
  public struct Registration: Equatable, Sendable {
    fileprivate var index: Int
    fileprivate var generation: UInt32
  }

  private struct Slot {
    var handler: (any EventHandler)?
    var descriptor: CInt = -1
    var token = 0
    /// Distinguishes this use of the slot from earlier ones, which may still have pending events.
    var generation: UInt32 = 0
  }

  private let epoll: FileDescriptor
  private var slots: [Slot] = []
  /// The ready descriptors, as numbered by `control`, and what each is ready for.
  private var readyNumbers = [UInt64](repeating: 0, count: 16)
  private var readyFlags = [UInt32](repeating: 0, count: 16)

  /// An empty loop. From now on, the process ignores SIGPIPE: a write to a socket without a reader
  /// returns an error.
  public init() throws(SystemError) {
    ignoreBrokenPipes()
    let number = try SystemCall.run("create", "an event queue") {
      clinuxsystem_create_queue()
    }
    epoll = FileDescriptor(owning: number, name: "the event queue")
  }

  /// The queue's own descriptor: readable while a descriptor in it is ready. Another queue can wait
  /// for it.
  package var descriptor: CInt { epoll.rawValue }

  /// Calls `handler` whenever `descriptor` is ready for `interest`. The loop retains the handler.
  /// Remove the registration before the descriptor is closed.
  public func add(
    _ descriptor: borrowing FileDescriptor, for interest: Readiness,
    handler: any EventHandler, token: Int = 0
  ) throws(SystemError) -> Registration {
    try add(number: descriptor.rawValue, for: interest, handler: handler, token: token)
  }

  /// As `add`, for the descriptor with this number.
  package func add(
    number: CInt, for interest: Readiness, handler: any EventHandler, token: Int = 0
  ) throws(SystemError) -> Registration {
    let index = freeSlot()
    let registration = Registration(index: index, generation: slots[index].generation)
    try control(Epoll.add, number, interest, registration)
    slots[index].handler = handler
    slots[index].descriptor = number
    slots[index].token = token
    return registration
  }

  /// Changes the interest. Does nothing if the registration has been removed.
  public func change(
    _ registration: Registration, to interest: Readiness
  ) throws(SystemError) {
    guard isCurrent(registration) else { return }
    try control(Epoll.modify, slots[registration.index].descriptor, interest, registration)
  }

  /// Stops calling the handler, also for pending events. Does nothing if the registration has been
  /// removed before.
  public func remove(_ registration: Registration) {
    guard isCurrent(registration) else { return }
    let index = registration.index
    // Fails only if the descriptor has been closed, which also removes it.
    try? control(Epoll.delete, slots[index].descriptor, .none, registration)
    slots[index].handler = nil
    slots[index].descriptor = -1
    slots[index].generation &+= 1
  }

  /// Sleeps until a descriptor is ready or `deadline` has come, and calls the handlers of those
  /// that are ready.
  ///
  /// - Parameter deadline: By the monotonic clock; `nil` waits without limit. A deadline in the
  ///   past only polls.
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
        clinuxsystem_wait(descriptor, &readyNumbers, &readyFlags, capacity, timeout))
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
      clinuxsystem_control(queue, operation, descriptor, interest.rawValue, data)
    }
  }
}

/// Makes a write to a pipe or socket without a reader an error (EPIPE), not the end of the
/// process.
func ignoreBrokenPipes() {
  _ = signal(SIGPIPE, SIG_IGN)
}
