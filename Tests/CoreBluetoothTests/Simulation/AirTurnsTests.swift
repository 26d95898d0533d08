import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth
@testable import LinuxRadio

@Suite("A radio's thread on the simulated time of its air")
struct AirTurnsTests {
  private let time = AirTime()
  private let calls = DelegateCalls()
  private var turns: AirTurns
  /// The queue of a delegate.
  private let queue = DispatchQueue(label: "delegate")
  private let woken = Inbox<Void>()
  private let lines = Inbox<String>()

  init() {
    turns = AirTurns(time, calls)
    time.radioIsOpen(at: Instant(rawValue: 5_000))
  }

  /// The air sends its time.
  private func receive(_ air: UInt64, number: UInt32) {
    time.note(AirTimePacket.event(Instant(rawValue: air), number: number).span)
  }

  /// What the thread writes to the air at the end of a turn: that it is idle, or nothing.
  private func statement(until deadline: UInt64? = nil) -> [UInt8]? {
    var packet: [UInt8]?
    _ = turns.wait(
      until: deadline.map { Instant(rawValue: $0) }, wake: { [woken] in woken.put(()) },
      rest: { deadline in
        time.wait(until: deadline, hasOutput: false) { bytes in
          packet = [UInt8](bytes)
          return .taken(bytes.count)
        }
      })
    return packet
  }

  /// Joins an air at 100 ms.
  private mutating func join() {
    _ = turns.begin()
    receive(100, number: 1)
    _ = turns.begin()
    expect(statement(), is: AirTimePacket.idle(until: nil, number: 1))
  }

  @Test("By the monotonic clock a delegate is called at once, and nothing is held")
  mutating func realTime() throws {
    _ = turns.begin()
    calls.add(on: queue) { [lines] in lines.put("called") }
    try lines.expect("called")
    expect(calls.time == nil)
    expect(!turns.isHeld)
    expect(statement() == nil)
  }

  @Test("The air waits until delegates have returned, who are called one after another")
  mutating func delegatesAreAwaited() throws {
    join()
    receive(3_600_100, number: 2)
    expect(turns.begin(), is: Instant(rawValue: 3_605_000))
    expect(calls.time, is: 3_600.1)
    let other = DispatchQueue(label: "other")
    other.suspend()
    calls.add(on: other) { [lines] in lines.put("first") }
    calls.add(on: queue) { [lines] in lines.put("second") }
    expect(statement() == nil)
    _ = turns.begin()
    expect(turns.isHeld)
    expect(statement() == nil)
    queue.sync {}
    expect(lines.isEmpty)

    other.resume()
    try woken.take()
    try lines.expect("first", "second")
    // What they have asked for is done in this turn.
    _ = turns.begin()
    expect(!turns.isHeld)
    expect(
      statement(until: 3_605_020),
      is: AirTimePacket.idle(until: Instant(rawValue: 3_600_120), number: 2))
  }

  @Test("A program that joins states first that it is idle, though its delegates are still called")
  mutating func aNewProgram() throws {
    _ = turns.begin()
    receive(100, number: 1)
    queue.suspend()
    _ = turns.begin()
    calls.add(on: queue) { [lines] in lines.put("called") }
    expect(statement(), is: AirTimePacket.idle(until: nil, number: 1))
    receive(100, number: 2)
    _ = turns.begin()
    expect(turns.isHeld)
    queue.resume()
    try lines.expect("called")
  }

  @Test("What a task asks for while the air does not wait is stated, though delegates are called")
  mutating func aTask() throws {
    join()
    queue.suspend()
    _ = turns.begin()
    calls.add(on: queue) { [lines] in lines.put("called") }
    _ = turns.begin()
    expect(!turns.isHeld)
    // The air must not pass the deadline of a command.
    expect(
      statement(until: 7_000), is: AirTimePacket.idle(until: Instant(rawValue: 2_100), number: 1))
    queue.resume()
    try lines.expect("called")
  }

  @Test("The end of a radio does not wait for delegates, and all of them are called")
  mutating func leaving() throws {
    join()
    queue.suspend()
    calls.add(on: queue) { [lines] in lines.put("called") }
    _ = turns.begin()
    turns.leave()
    expect(!turns.isHeld)
    receive(200, number: 2)
    _ = turns.begin()
    expect(statement(), is: AirTimePacket.idle(until: nil, number: 2))
    turns.end()
    calls.add(on: queue) { [lines] in lines.put("called too") }
    queue.resume()
    try lines.expect("called", "called too")
  }
}
