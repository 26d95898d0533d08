import BluetoothHost
import Expectations
import VirtualRadio

/// A host that sends commands and has one deadline.
private struct Scripted: HostSide {
  /// How many commands it sends.
  var commandCount = 0
  /// How many packets it has received.
  var receivedCount = 0
  var deadline: Instant?
  /// Whether `advance` clears the deadline.
  var clearsDeadline = true
  /// The times that `advance` was called with.
  var times: [UInt64] = []

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) { receivedCount += 1 }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    guard commandCount > 0 else { return false }
    commandCount -= 1
    let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    writer.write(reset.span)
    return true
  }

  mutating func advance(to now: Instant) {
    times.append(now.rawValue)
    if clearsDeadline, let deadline, deadline <= now { self.deadline = nil }
  }
}

@Suite("A bench carries packets and lets time pass")
struct AirBenchTests {
  private let bench = AirBench()

  @Test("Packets settle at one moment, and each command has its event")
  func settle() throws {
    let device = bench.add(Scripted(commandCount: 3))
    var directions: [PacketDirection] = []
    device.onPacket = { _, direction in directions.append(direction) }
    try bench.settle()
    expect(device.host.receivedCount, is: 3)
    expect(directions, is: [.sent, .received, .sent, .received, .sent, .received])
    expect(bench.now, is: milliseconds(0))
  }

  @Test("Each device has its turn")
  func turns() {
    let devices = (0..<3).map { _ in bench.add(Scripted(commandCount: 9)) }
    for _ in 0..<6 { expect(bench.carryOne()) }
    expect(devices.map(\.host.receivedCount), is: [1, 1, 1])
  }

  @Test("Packets without end are an error that names the moment")
  func endless() {
    _ = bench.add(Scripted(commandCount: .max))
    bench.stepLimit = 100
    #expect(throws: AirBenchError.packetsWithoutEnd(milliseconds(0))) { try bench.settle() }
    #expect(throws: AirBenchError.packetsWithoutEnd(milliseconds(0))) { try bench.run(for: 5) }
    expect(
      "\(AirBenchError.packetsWithoutEnd(milliseconds(7)))",
      is: "Packets go back and forth without end at 7 ms. Use onPacket to see them.")
  }

  @Test("A moment may have as many packets as its limit, and not one more")
  func stepLimit() throws {
    // Each command has one answer.
    for (limit, isRight) in [(6, true), (5, false)] {
      let bench = AirBench()
      let device = bench.add(Scripted(commandCount: 3, deadline: milliseconds(20)))
      bench.stepLimit = limit
      if isRight {
        expect(try bench.run(for: 50), is: false)
        expect(device.host.receivedCount, is: 3)
      } else {
        #expect(throws: AirBenchError.packetsWithoutEnd(milliseconds(0))) {
          try bench.run(for: 50)
        }
      }
    }
  }

  @Test("A deadline that stays due is an error")
  func deadlineStays() {
    bench.deadlineLimit = 100
    _ = bench.add(Scripted(deadline: milliseconds(20), clearsDeadline: false))
    #expect(throws: AirBenchError.deadlineStays(milliseconds(20))) { try bench.run(for: 50) }
    expect(bench.now, is: milliseconds(20))
  }

  @Test("Time moves to each deadline in order, and to the end of the run")
  func deadlines() throws {
    let late = bench.add(Scripted(deadline: milliseconds(30)))
    let early = bench.add(Scripted(deadline: milliseconds(20)))
    expect(bench.deadline, is: milliseconds(20))
    expect(try bench.run(for: 50), is: false)
    expect(late.host.times, is: [20, 30, 50])
    expect(early.host.times, is: [20, 30, 50])
    expect(bench.now, is: milliseconds(50))
  }

  @Test("A run ends early when its condition is true")
  func until() throws {
    let device = bench.add(Scripted(deadline: milliseconds(20)))
    expect(try bench.run(for: 50) { device.host.deadline == nil })
    expect(bench.now, is: milliseconds(20))
  }

  @Test("Time does not pass beyond the limit or backwards")
  func limit() {
    let device = bench.add(Scripted(deadline: milliseconds(20)))
    expect(!bench.advance(upTo: milliseconds(10)))
    expect(bench.advance(upTo: milliseconds(20)))
    expect(!bench.advance(upTo: milliseconds(5)))
    expect(device.host.times, is: [10, 20, 20])
  }

  @Test("An unplugged device is silent; plugged in, it has a new controller of its address")
  func plug() throws {
    let device = bench.add(Scripted(commandCount: 1))
    let former = device.controller
    device.unplug()
    expect(!device.isPluggedIn)
    expect(!bench.carryOne())
    device.plugIn()
    expect(device.isPluggedIn)
    expect(device.controller !== former)
    expect(device.controller.address, is: former.address)
    try bench.settle()
    expect(device.host.receivedCount, is: 1)
  }

  @Test("A removed device takes part no more")
  func remove() throws {
    let device = bench.add(Scripted(commandCount: 1, deadline: milliseconds(5)))
    bench.remove(device.controller)
    try bench.run(for: 10)
    expect(device.host.times, is: [])
    expect(device.host.receivedCount, is: 0)
    expect(bench.air.controllers.isEmpty)
  }
}
