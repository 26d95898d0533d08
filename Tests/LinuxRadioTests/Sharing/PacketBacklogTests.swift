import BluetoothHost
import Testing

@testable import LinuxRadio

/// The packets that wait for room in a shared controller.
struct PacketBacklogTests {
  @Test func whatIsNeverEmptyTakesNoMoreRoom() {
    var backlog = PacketBacklog()
    backlog.append(Self.packet(0).span)
    backlog.append(Self.packet(1).span)
    let room = backlog.bytes.capacity
    // A half that had all the buffers before the other came has always one more to send: the
    // room for what had gone was kept until nothing waited, 12 MB for 400,000 packets.
    for number in 2..<2_000 {
      #expect(Self.first(of: &backlog) == Self.packet(number - 2))
      backlog.append(Self.packet(number).span)
      #expect(backlog.count == 2)
    }
    #expect(backlog.bytes.capacity == room)
  }

  @Test func packetsOfAllLengthsKeepTheirOrder() {
    var backlog = PacketBacklog()
    for length in 0..<40 { backlog.append(Self.packet(7, length: length).span) }
    for length in 0..<40 {
      #expect(Self.first(of: &backlog) == Self.packet(7, length: length))
    }
    #expect(backlog.count == 0)
    #expect(Self.first(of: &backlog) == nil)
  }

  @Test func thePacketsOfOneLinkGoAndTheOthersStay() {
    var backlog = PacketBacklog()
    for number in 0..<6 { backlog.append(Self.packet(number, link: number % 2 == 0 ? 1 : 2).span) }
    backlog.removeAll(on: ConnectionHandle(rawValue: 1))
    #expect(backlog.count == 3)
    for number in [1, 3, 5] {
      #expect(Self.first(of: &backlog) == Self.packet(number, link: 2))
    }
    #expect(backlog.count == 0)
  }

  @Test func onePacketThatDoesNotFitStays() {
    var backlog = PacketBacklog()
    backlog.append(Self.packet(9, length: 8).span)
    #expect(Self.first(of: &backlog, room: 12) == nil)
    #expect(backlog.count == 1)
    // 5 bytes of header and 8 of data.
    #expect(Self.first(of: &backlog, room: 13) == Self.packet(9, length: 8))
  }

  /// An ACL packet that holds `length` times the lowest byte of `number`.
  private static func packet(_ number: Int, link: UInt8 = 1, length: Int = 27) -> [UInt8] {
    [2, link, 0, UInt8(length), 0]
      + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
  }

  private static func first(of backlog: inout PacketBacklog, room: Int = 64) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: room)
    var writer = ByteWriter(storage.mutableSpan)
    guard backlog.moveFirst(to: &writer) != nil else { return nil }
    let count = writer.count
    return Array(storage[..<count])
  }
}
