import Linux

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
