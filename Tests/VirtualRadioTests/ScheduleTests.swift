import BluetoothHost
import Testing

@testable import VirtualRadio

@Suite("Members that are due at a time")
struct ScheduleTests {
  private final class Member: Scheduled {
    let number: Int
    var scheduleIndex: Int?

    init(_ number: Int) {
      self.number = number
    }
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
      #expect(schedule.first?.member.number == first)
      #expect(schedule.first?.instant == first.flatMap { times[$0] })
    }
  }
}
