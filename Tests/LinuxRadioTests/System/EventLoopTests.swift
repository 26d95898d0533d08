import BluetoothHost
import Expectations
import Glibc
import LinuxTestSupport

@testable import LinuxRadio

@Suite("Event loop")
struct EventLoopTests {
  private let past = Instant(rawValue: 0)
  private let loop: EventLoop
  private let recorder = Recorder()

  init() throws { loop = try EventLoop() }

  @Test("Reports a ready descriptor, by token, until it has been read")
  func readiness() throws {
    let first = try Ends()
    let second = try Ends()
    _ = try loop.add(first.near, for: .readable, handler: recorder, token: 1)
    _ = try loop.add(second.near, for: .readable, handler: recorder, token: 2)

    expect(try !loop.wait(until: past))
    expect(try second.far.write([7].span), is: 1)
    expect(try loop.wait(until: past))
    expect(try loop.wait(until: past))
    expect(recorder.tokens, is: [2, 2])
    expect(try second.near.readAll(), is: [7])
    expect(try !loop.wait(until: past))
  }

  @Test("An edge is reported once, and again when more arrives")
  func news() throws {
    let ends = try Ends()
    let registration = try loop.add(ends.near, for: .readableEdge, handler: recorder)
    for count in 1...2 {
      expect(try ends.far.write([7].span), is: 1)
      expect(try loop.wait(until: past))
      expect(try !loop.wait(until: past))
      expect(recorder.tokens.count, is: count)
    }
    // Readiness that was reported before is reported again if it is of interest.
    try loop.change(registration, to: .readable)
    expect(try loop.wait(until: past))
    expect(try loop.wait(until: past))
  }

  @Test("Only readiness of interest is reported, and the interest can be changed")
  func interest() throws {
    let ends = try Ends()
    let registration = try loop.add(ends.near, for: .readable, handler: recorder)
    expect(try !loop.wait(until: past))
    try loop.change(registration, to: .readableOrWritable)
    expect(try loop.wait(until: past))
    expect(recorder.readiness.map(\.isWritable), is: [true])
    expect(recorder.readiness.map(\.isReadable), is: [false])
  }

  @Test("A removed handler is not called, even for pending events")
  func removal() throws {
    let ends = try Ends()
    _ = try ends.far.write([1].span)
    let registration = try loop.add(ends.near, for: .readable, handler: recorder)
    loop.remove(registration)
    expect(try !loop.wait(until: past))
    // The slot is reused: the old registration must not affect the new one.
    let other = try Ends()
    _ = try other.far.write([1].span)
    _ = try loop.add(other.near, for: .readable, handler: recorder, token: 9)
    loop.remove(registration)
    expect(try loop.wait(until: past))
    expect(recorder.tokens, is: [9])
  }

  @Test("A handler may remove another that is ready in the same turn")
  func removalWithinTurn() throws {
    let first = try Ends()
    let second = try Ends()
    let remover = Remover(loop: loop)
    _ = try first.far.write([1].span)
    _ = try second.far.write([1].span)
    remover.registrations.append(try loop.add(first.near, for: .readable, handler: remover))
    remover.registrations.append(try loop.add(second.near, for: .readable, handler: remover))
    expect(try loop.wait(until: past))
    expect(remover.calls, is: 1)
  }

  @Test("The other side's end is reported as readable")
  func hangUp() throws {
    // A pipe whose writer has gone.
    let reader = try Ends.pipe().closeFar()
    _ = try loop.add(reader, for: .readable, handler: recorder)
    expect(try loop.wait(until: nil))
    expect(recorder.readiness.map(\.isReadable), is: [true])
    expect(try reader.readAll(), is: nil)
  }

  @Test(
    "The timeout ends at the deadline, is 0 after it, and has a limit",
    arguments: [
      (nil, 5, -1), (5, 5, 0), (4, 5, 0), (6, 5, 1), (UInt64.max, 0, CInt.max),
    ] as [(UInt64?, UInt64, CInt)])
  func timeout(deadline: UInt64?, now: UInt64, milliseconds: CInt) {
    expect(
      EventLoop.timeout(
        until: deadline.map { Instant(rawValue: $0) }, now: Instant(rawValue: now)),
      is: milliseconds)
  }

  @Test("Sleeps at least until the deadline")
  func sleeps() throws {
    let deadline = MonotonicClock.now.advanced(by: 3)
    expect(try !loop.wait(until: deadline))
    expect(MonotonicClock.now >= deadline)
  }

  @Test("SIGINT and SIGTERM are counted instead of ending the process")
  func signals() throws {
    let signals = try TerminationSignals(loop: loop)
    expect(signals.count, is: 0)
    for number in [SIGINT, SIGTERM] {
      pthread_kill(pthread_self(), number)
      expect(try loop.wait(until: past))
    }
    expect(signals.count, is: 2)
    signals.stop()
  }

  // How SIGHUP counts is in LinuxPortTests.
  @Test("SIGHUP does not count if it is ignored")
  func hangUpSignals() throws {
    try withDisposition(of: SIGHUP, SIG_IGN) {
      let signals = try TerminationSignals(loop: loop)
      pthread_kill(pthread_self(), SIGHUP)
      expect(try !loop.wait(until: past))
      expect(signals.count, is: 0)
      signals.stop()
      // Discards the signal, which is blocked and pending.
      _ = signal(SIGHUP, SIG_IGN)
    }
  }
}

private final class Recorder: EventHandler {
  var tokens: [Int] = []
  var readiness: [Readiness] = []

  func handle(_ readiness: Readiness, token: Int) {
    tokens.append(token)
    self.readiness.append(readiness)
  }
}

private final class Remover: EventHandler {
  let loop: EventLoop
  var registrations: [EventLoop.Registration] = []
  var calls = 0

  init(loop: EventLoop) { self.loop = loop }

  func handle(_ readiness: Readiness, token: Int) {
    calls += 1
    for registration in registrations { loop.remove(registration) }
  }
}
