import BluetoothHost
import Expectations

/// A copy of a packet.
private enum PacketCopy: Equatable {
  case command(HCIOpcode, [UInt8])
  case acl(UInt16, UInt8, [UInt8])
  case event(HCIEventCode, [UInt8])
}

private func packet(_ bytes: [UInt8]) -> PacketCopy? {
  switch HCIPacket(bytes.span) {
  case .command(let opcode, let parameters): .command(opcode, Array(parameters))
  case .acl(let header, let data):
    .acl(header.handle.rawValue, header.boundary.rawValue, Array(data))
  case .event(let code, let parameters): .event(code, Array(parameters))
  case nil: nil
  }
}

private let packets: [(bytes: [UInt8], kept: PacketCopy)] = [
  ([0x01, 0x03, 0x0C, 0], .command(.reset, [])),
  ([0x01, 0x0A, 0x20, 1, 0x01], .command(.leSetAdvertisingEnable, [0x01])),
  ([0x02, 0xFF, 0x2E, 3, 0, 7, 8, 9], .acl(0x0EFF, 0b10, [7, 8, 9])),
  ([0x02, 0x40, 0x10, 0, 0], .acl(0x0040, 0b01, [])),
  // Broadcast flag 0b11 and boundary 0b00.
  ([0x02, 0x40, 0xC0, 1, 0, 5], .acl(0x0040, 0b00, [5])),
  (
    [0x02, 0x40, 0x00, 0x2C, 0x01] + [UInt8](repeating: 6, count: 300),
    .acl(0x0040, 0b00, [UInt8](repeating: 6, count: 300))
  ),
  ([0x04, 0x10, 1, 0x42], .event(.hardwareError, [0x42])),
  ([0x04, 0xFF, 0], .event(HCIEventCode(rawValue: 0xFF), [])),
]

@Suite("HCI packets")
struct HCIPacketTests {
  @Test("A packet is read, and refused at every other length", arguments: packets.indices)
  func forms(index: Int) {
    let (bytes, kept) = packets[index]
    expect(packet(bytes), is: kept)
    for cut in truncations(of: bytes) { expect(packet(cut), is: nil, "\(cut.count) bytes") }
    expect(packet(bytes + [0x00]), is: nil)
  }

  @Test("Other packet types are refused", arguments: [0x00, 0x03, 0x05, 0x06, 0xFF])
  func otherTypes(type: UInt8) {
    expect(packet([type, 0x40, 0x00, 0]), is: nil)
    expect(packet([type, 0x40, 0x00, 0, 0]), is: nil)
  }

  @Test("An ACL packet is written as it is read", arguments: [0b00, 0b01, 0b10, 0b11] as [UInt8])
  func acl(boundary: UInt8) {
    let data: [UInt8] = [1, 2, 3]
    let header = ACLHeader(
      handle: ConnectionHandle(rawValue: 0x0ABC), boundary: ACLHeader.Boundary(rawValue: boundary))
    let bytes = written { header.writePacket(data.span, to: &$0) }
    expect(bytes, is: [0x02, 0xBC, 0x0A | boundary << 4, 3, 0, 1, 2, 3])
    expect(packet(bytes), is: .acl(0x0ABC, boundary, data))
  }
}
