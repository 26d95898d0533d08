import BluetoothHost
import Expectations

@testable import VirtualRadio

@Suite("The packets for a host")
struct PacketQueueTests {
  private func first(_ queue: borrowing PacketQueue) -> [UInt8] {
    let span = queue.first
    return span.indices.map { span[$0] }
  }

  @Test("Only advertising reports count as reports")
  func reports() {
    var queue = PacketQueue()
    let handle = ConnectionHandle(rawValue: 0x40)
    queue.append([4, 1].span, isReport: true)
    queue.append([4, 2].span, isReport: false)
    queue.append(ACLHeader(handle: handle, boundary: .continuing), [7].span, completing: nil)
    expect(queue.count, is: 3)
    expect(queue.reportCount, is: 1)
    _ = queue.removeFirst()
    expect(queue.reportCount, is: 0)
    _ = queue.removeFirst()
    // Handle 0x040 with the flags 0b01 of a continuing fragment, one byte.
    expect(first(queue), is: [0x02, 0x40, 0x10, 0x01, 0x00, 0x07])
    expect(queue.reportCount, is: 0)
    _ = queue.removeFirst()
    expect(queue.count, is: 0)
    expect(queue.reportCount, is: 0)
    expect(first(queue), is: [])
    _ = queue.removeFirst()
    expect(queue.count, is: 0)
  }

  // 16,384 bytes are 65 packets of 252; each of 1,000 rounds adds one and removes one.
  @Test("A queue that is never empty keeps its order, and stays small")
  func neverEmpty() {
    var queue = PacketQueue()
    func packet(_ number: Int) -> [UInt8] {
      [UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 9, count: 250)
    }
    for number in 0..<3 { queue.append(packet(number).span, isReport: number == 2) }
    for number in 3..<1_003 {
      expect(first(queue), is: packet(number - 3))
      _ = queue.removeFirst()
      queue.append(packet(number).span, isReport: number % 2 == 0)
      expect(queue.count, is: 3)
      let last = (number - 2)...number
      expect(queue.reportCount, is: last.count { $0 % 2 == 0 && $0 >= 2 })
    }
  }
}

@Suite("Members that are due at a time")
struct ScheduleTests {
  private final class Member: Scheduled {
    let number: Int
    var scheduleIndex: Int?

    init(_ number: Int) { self.number = number }
  }

  @Test("After 20,000 changes of 100 members the first is that of a sorted list")
  func model() throws {
    var random = SplitMix64(seed: 8)
    func next(below bound: UInt64) -> UInt64 { random.next() % bound }
    var schedule = Schedule<Member>()
    let members = (0..<100).map(Member.init)
    var times = [Instant?](repeating: nil, count: 100)
    for _ in 0..<20_000 {
      // A first member that is due leaves, as a loop serves it.
      let leaver = next(below: 4) == 1 ? schedule.first?.member.number : nil
      let number = leaver ?? Int(next(below: 100))
      let isSet = leaver == nil && next(below: 3) > 0
      // Of 1,000 times, so that several members share one.
      times[number] = isSet ? Instant(rawValue: next(below: 1_000)) : nil
      schedule.set(members[number], times[number])
      let first = times.indices.filter { times[$0] != nil }
        .min { (times[$0]?.rawValue ?? 0, $0) < (times[$1]?.rawValue ?? 0, $1) }
      expect(schedule.first?.member.number, is: first)
      expect(schedule.first?.instant, is: first.flatMap { times[$0] })
    }
  }
}
