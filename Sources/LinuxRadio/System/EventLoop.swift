import BluetoothHost
import Glibc
import Linux

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
    fileprivate var token: PollToken
  }

  private struct Slot {
    var isInUse = false
    var handler: (any EventHandler)?
    var descriptor: Int32 = -1
    /// What the handler calls the descriptor.
    var token = 0
    /// Distinguishes this use of the slot from earlier ones, which may still have pending events.
    var generation: UInt32 = 0
  }

  /// How many bits of a token are the index of its slot; the rest are its generation.
  private static let indexBits: UInt32 = 20

  /// The descriptors that it waits for. The queue is a descriptor too, readable while one in it is
  /// ready: another queue can wait for it.
  package let queue: PollQueue
  private var slots: [Slot] = []
  /// The slots that are not in use.
  private var free: [Int] = []

  /// An empty loop. From now on, the process ignores SIGPIPE: a write to a socket without a reader
  /// returns an error.
  public init() throws(SystemError) {
    ignoreBrokenPipes()
    guard let queue = PollQueue() else { throw SystemError(.current, "create", "an event queue") }
    self.queue = queue
  }

  /// The queue's own descriptor.
  package var descriptor: Int32 { queue.number }

  /// Calls `handler` whenever `descriptor` is ready for `interest`. The loop retains the handler.
  /// Remove the registration before the descriptor is closed.
  public func add(
    _ descriptor: borrowing FileDescriptor, for interest: Readiness,
    handler: any EventHandler, token: Int = 0
  ) throws(SystemError) -> Registration {
    try add(number: descriptor.rawValue, for: interest, handler: handler, token: token)
  }

  /// Calls `handler` whenever a signal of `signals` is pending, as `add` for a descriptor.
  public func add(
    _ signals: borrowing SignalQueue, handler: any EventHandler, token: Int = 0
  ) throws(SystemError) -> Registration {
    try add(number: signals.descriptor.number, for: .readable, handler: handler, token: token)
  }

  /// As `add`, for the descriptor with this number.
  package func add(
    number: CInt, for interest: Readiness, handler: any EventHandler, token: Int = 0
  ) throws(SystemError) -> Registration {
    let reserved = reserve(for: handler)
    guard queue.add(number, reserved, for: interest) else {
      let code = ErrorNumber.current
      release(reserved)
      throw SystemError(code, "watch", "descriptor \(number)")
    }
    slots[index(of: reserved)].descriptor = number
    slots[index(of: reserved)].token = token
    return Registration(token: reserved)
  }

  /// Changes the interest. Does nothing if the registration has been removed.
  public func change(
    _ registration: Registration, to interest: Readiness
  ) throws(SystemError) {
    let token = registration.token
    guard isCurrent(token) else { return }
    let number = slots[index(of: token)].descriptor
    guard queue.change(number, token, to: interest) else {
      throw SystemError(.current, "watch", "descriptor \(number)")
    }
  }

  /// Stops calling the handler, also for pending events. Does nothing if the registration has been
  /// removed before.
  public func remove(_ registration: Registration) {
    let token = registration.token
    guard isCurrent(token) else { return }
    // Does nothing if the descriptor has been closed, which also removes it.
    queue.remove(slots[index(of: token)].descriptor)
    release(token)
  }

  // MARK: Descriptors that their owners add to the queue

  /// A token for a descriptor that its owner adds to `queue`, until `release`.
  ///
  /// - Parameter handler: Is called when the descriptor is ready; `nil` if that only wakes the loop.
  package func reserve(for handler: (any EventHandler)? = nil) -> PollToken {
    let index = freeSlot()
    slots[index].isInUse = true
    slots[index].handler = handler
    return PollToken(
      rawValue: slots[index].generation << Self.indexBits | UInt32(truncatingIfNeeded: index))
  }

  /// Calls `handler` from now on for the token; `nil` to call none.
  package func set(_ token: PollToken, to handler: (any EventHandler)?) {
    if isCurrent(token) { slots[index(of: token)].handler = handler }
  }

  /// The token is free, also of pending events. Its descriptor has been removed or closed.
  package func release(_ token: PollToken) {
    guard isCurrent(token) else { return }
    let generation = slots[index(of: token)].generation
    slots[index(of: token)] = Slot(generation: (generation + 1) % (1 << (32 - Self.indexBits)))
    free.append(index(of: token))
  }

  // MARK: Waiting

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
    var timeout = Self.timeout(until: deadline, now: now)
    var isAnyReady = false
    // The caller has its turn after a few dozen descriptors.
    for _ in 0..<8 {
      var count = 0
      let isRight = queue.wait(timeout) { token, readiness in
        count += 1
        dispatch(token, readiness)
      }
      guard isRight else { throw SystemError(.current, "wait for", "the event queue") }
      if count > 0 { isAnyReady = true }
      guard count == PollQueue.capacity else { break }
      timeout = 0
    }
    return isAnyReady
  }

  /// The milliseconds that epoll may sleep; -1 for ever.
  static func timeout(until deadline: Instant?, now: Instant) -> CInt {
    guard let deadline else { return -1 }
    guard deadline > now else { return 0 }
    return CInt(clamping: deadline.rawValue - now.rawValue)
  }

  private func dispatch(_ token: PollToken, _ readiness: Readiness) {
    guard isCurrent(token) else { return }
    let slot = slots[index(of: token)]
    slot.handler?.handle(readiness, token: slot.token)
  }

  private func index(of token: PollToken) -> Int {
    Int(token.rawValue & (1 << Self.indexBits - 1))
  }

  private func isCurrent(_ token: PollToken) -> Bool {
    let index = index(of: token)
    return index < slots.count && slots[index].isInUse
      && slots[index].generation == token.rawValue >> Self.indexBits
  }

  private func freeSlot() -> Int {
    if let index = free.popLast() { return index }
    slots.append(Slot())
    return slots.count - 1
  }
}

/// Makes a write to a pipe or socket without a reader an error (EPIPE), not the end of the
/// process.
func ignoreBrokenPipes() {
  _ = signal(SIGPIPE, SIG_IGN)
}

/// Wakes a loop that sleeps on another thread: eventfd(2).
///
/// Create and stop it on the loop's thread; ring it on any thread.
public final class Wakeup: EventHandler, @unchecked Sendable {
  // Unchecked: `ring` uses only the bell, which does not change.
  let bell: Bell
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// A wakeup for `loop`.
  public init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    bell = try Bell()
    registration = try loop.add(bell.descriptor, for: .readable, handler: self)
  }

  /// Ends the loop's current or next sleep. Does not block; ringing twice has the effect of once.
  public func ring() { bell.ring() }

  /// Stops waking the loop.
  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Resets the bell.
  public func handle(_ readiness: Readiness, token: Int) {
    var storage = InlineArray<8, UInt8>(repeating: 0)
    var count = storage.mutableSpan
    _ = try? bell.descriptor.read(into: &count)
  }
}

/// The part that another thread rings. It may outlive the loop, and does not retain it.
final class Bell: Sendable {
  let descriptor: FileDescriptor

  init() throws(SystemError) {
    let number = clinux_open_bell()
    guard number >= 0 else {
      throw SystemError(ErrorNumber(number), "make", "a bell for the event loop")
    }
    descriptor = FileDescriptor(owning: number, name: "the event loop's bell")
  }

  func ring() {
    let one: InlineArray<8, UInt8> = [1, 0, 0, 0, 0, 0, 0, 0]
    // Fails only after 2^64 - 2 rings, and then the loop is awake.
    _ = try? descriptor.write(one.span)
  }
}
