import BluetoothHost
import Expectations

@testable import LinuxRadio

@Suite("The simulated time of an air, as a program on it sees it")
struct AirTimeTests {
  private let time = AirTime()
  /// The packets that the program has written.
  private let written = Written()

  private final class Written { var packets: [[UInt8]] = [] }

  init() { time.radioIsOpen(at: Instant(rawValue: 5_000)) }

  /// The air sends its time.
  private func receive(_ air: UInt64, number: UInt32) {
    time.note(AirTimePacket.event(Instant(rawValue: air), number: number).span)
  }

  /// A turn of the loop at the program's time. Returns until when it may wait.
  private func turn(until deadline: UInt64?, hasOutput: Bool = false) -> Instant? {
    time.beginTurn(at: time.now)
    return wait(until: deadline, hasOutput: hasOutput)
  }

  private func wait(until deadline: UInt64?, hasOutput: Bool = false) -> Instant? {
    time.wait(until: deadline.map { Instant(rawValue: $0) }, hasOutput: hasOutput) { bytes in
      written.packets.append(bytes.indices.map { bytes[$0] })
      return .taken(bytes.count)
    }
  }

  @Test("By the monotonic clock a program waits for its deadline, and states nothing")
  func realTime() {
    expect(turn(until: 7_000), is: Instant(rawValue: 7_000))
    expect(written.packets.isEmpty)
  }

  @Test("It goes on from the moment at which the radio was opened, and states each deadline once")
  func statements() {
    receive(100, number: 1)
    expect(time.now, is: Instant(rawValue: 5_000))
    for _ in 0..<2 { expect(turn(until: 5_040), is: nil) }
    receive(140, number: 2)
    expect(time.now, is: Instant(rawValue: 5_040))
    expect(turn(until: 5_040), is: Instant(rawValue: 5_040))
    expect(turn(until: nil, hasOutput: true), is: nil)
    expect(turn(until: nil), is: nil)
    expect(
      written.packets,
      is: [
        AirTimePacket.idle(until: Instant(rawValue: 140), number: 1),
        AirTimePacket.idle(until: nil, number: 2),
      ])
  }

  @Test("A turn in which the time has moved is followed by another one at that time")
  func newTime() {
    receive(100, number: 1)
    _ = turn(until: 5_040)
    time.beginTurn(at: time.now)
    receive(140, number: 2)
    expect(wait(until: 5_040), is: Instant(rawValue: 5_000))
    expect(time.now, is: Instant(rawValue: 5_040))
  }

  @Test("What a key or a signal began while the air moved on is not overdue")
  func input() {
    receive(100, number: 1)
    _ = turn(until: nil)
    // The program sends a command with a limit of 2 s; the air, which does not know, is an hour on.
    _ = turn(until: 7_000)
    receive(3_600_100, number: 2)
    expect(time.now, is: Instant(rawValue: 5_000))
    expect(turn(until: 7_000), is: nil)
    expect(
      written.packets.last, is: AirTimePacket.idle(until: Instant(rawValue: 3_602_100), number: 2))
    // The same, with the time and the key in one turn.
    time.beginTurn(at: time.now)
    receive(3_602_100, number: 3)
    expect(wait(until: 6_000), is: Instant(rawValue: 5_000))
    expect(time.now, is: Instant(rawValue: 5_000))
  }

  @Test("Random numbers and a new address come from the seeds, on simulated time only")
  func randomNumbers() {
    func numbers(seed: UInt64?, _ choice: AddressChoice) -> AirRandom {
      AirRandom(of: time, seed: seed, choice)
    }
    let (ball, same, other) = (
      numbers(seed: 8, .random), numbers(seed: 8, .random), numbers(seed: nil, .automatic)
    )
    expect(ball.identity?.address, is: nil)
    // Two random numbers of 64 bits are equal once in 2⁶⁴ times.
    expect(ball.next() != same.next())

    time.note(AirTimePacket.event(Instant(rawValue: 100), number: 1, seed: 5).span)
    let address = ball.identity?.address
    expect(address?.kind, is: .random)
    expect(same.identity?.address, is: address)
    expect(ball.next(), is: same.next())
    expect(ball.identity?.address, is: address)
    expect(other.identity?.address, is: nil)
    var own = SplitMix64(seed: 5)
    expect([other.next(), other.next()], is: [own.next(), own.next()])

    time.radioIsClosed()
    expect(ball.identity?.address, is: nil)
    expect(ball.next() != same.next())
  }
}
