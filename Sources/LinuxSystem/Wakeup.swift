import Glibc

/// What wakes a loop that sleeps on another thread: eventfd(2).
///
/// Made and stopped on the loop's thread; rung from any.
public final class Wakeup: EventHandler, @unchecked Sendable {
  // Unchecked: `ring` uses the bell alone, which does not change.
  let bell: Bell
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// A bell for `loop`.
  public init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    bell = try Bell()
    registration = try loop.add(bell.descriptor, for: .readable, handler: self)
  }

  /// Ends the loop's sleep, or its next. Never waits; ringing twice is as ringing once.
  public func ring() { bell.ring() }

  /// Wakes the loop no more.
  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// It has been rung: quiet until it is rung again.
  public func handle(_ readiness: Readiness, token: Int) {
    var storage = InlineArray<8, UInt8>(repeating: 0)
    var count = storage.mutableSpan
    _ = try? bell.descriptor.read(into: &count)
  }
}

/// What a thread rings that may outlive the loop: it keeps nothing of the loop.
final class Bell: Sendable {
  let descriptor: FileDescriptor

  init() throws(SystemError) {
    let number = try SystemCall.run("make", "a bell for the event loop") {
      clinux_open_bell()
    }
    descriptor = FileDescriptor(owning: number, name: "the event loop's bell")
  }

  func ring() {
    let one: InlineArray<8, UInt8> = [1, 0, 0, 0, 0, 0, 0, 0]
    // Refused only when it has been rung 2^64 - 2 times, and then the loop is awake.
    _ = try? descriptor.write(one.span)
  }
}
