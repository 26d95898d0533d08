import BluetoothHost
import Expectations
import Glibc
import LinuxRadio
import VirtualRadio

@testable import LinuxAir

@Suite("The clock of an air with simulated time")
struct SimulatedTimeTests {
  private typealias Fixture = AirServerTests.Fixture

  @Test("The server says once for which program the clock waits")
  func waiting() throws {
    let fixture = try Fixture(simulatingTimeFrom: 1)
    let host = try fixture.connect()
    fixture.notices = []
    for deadline in [100, 200] as [UInt64] {
      try host.state(idleUntil: milliseconds(deadline))
      try fixture.settle()
    }
    // It has been sent the time 200, and does not answer.
    let since = try #require(fixture.server.deadline).rawValue - 5_000
    fixture.server.advance(to: milliseconds(since + 4_999))
    expect(fixture.notices, is: [])
    fixture.server.advance(to: milliseconds(since + 5_000))
    expect(fixture.server.deadline, is: nil)
    fixture.server.advance(to: milliseconds(since + 9_000))
    expect(fixture.notices.count, is: 1)
    let notice = try #require(fixture.notices.first)
    expect(notice.hasPrefix("The clock has waited 5 s for F0:00:00:00:00:01, "), "\(notice)")
    expect(notice.contains("(process \(getpid())): it is busy, or stopped"), "\(notice)")
    expect(fixture.server.clientCount, is: 1)
  }

  @Test("A program that joins while the clock waits for another one gets the time")
  func joiningStoppedAir() throws {
    let fixture = try Fixture(simulatingTimeFrom: 1)
    let first = try fixture.connect()
    try first.state(idleUntil: milliseconds(100))
    try fixture.settle()
    _ = try first.receive()
    // The first program is stopped now, at 100 ms.
    let second = try fixture.connect()
    let packet = try second.receive() ?? []
    let event = AirTimePacket.read(packet.span)
    expect(event?.now, is: milliseconds(100))
    expect(event?.number, is: 0)
    // The clock does not wait for this statement.
    try second.send(AirTimePacket.idle(until: milliseconds(150), number: 0))
    try fixture.settle()
    expect(try second.receive(), is: [])
    expect(fixture.server.air.now, is: milliseconds(100))
  }

  @Test("The server says once that radios are missing, and again after a change")
  func missingRadios() throws {
    let fixture = try Fixture(simulatingTimeFrom: 3)
    let first = try fixture.connect()
    try first.state(idleUntil: milliseconds(100))
    try fixture.settle()
    for expected in ["1 of 3 radios is", "2 of 3 radios are"] {
      fixture.notices = []
      let report = try #require(fixture.server.deadline)
      fixture.server.advance(to: Instant(rawValue: report.rawValue - 1))
      expect(fixture.notices, is: [])
      fixture.server.advance(to: report)
      fixture.server.advance(to: report.advanced(by: 9_000))
      expect(fixture.notices, is: ["The clock has not begun for 5 s: \(expected) on the air"])
      expect(fixture.server.deadline, is: nil)
      let next = try fixture.connect()
      try next.state(idleUntil: nil)
      try fixture.settle()
    }
    // Time has begun with the third one.
    expect(fixture.server.air.now, is: milliseconds(100))
  }
}
