import BluetoothHost

/// ACL packets in the order in which they came.
///
/// Each tells its own length, so they lie one after another, the first at the front: nothing is
/// allocated once there is room for as many as wait at once.
struct PacketBacklog {
  private(set) var bytes: [UInt8] = []
  /// How many packets there are.
  private(set) var count = 0

  private var first: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<firstLength) }
  }

  private var firstLength: Int {
    guard count > 0 else { return 0 }
    var reader = ByteReader(bytes.span)
    guard reader.readUInt8() != nil, ACLHeader(&reader) != nil, let length = reader.readUInt16()
    else { return 0 }
    return ACLHeader.packetHeaderLength + Int(length)
  }

  /// Adds a whole ACL packet.
  mutating func append(_ packet: Span<UInt8>) {
    for index in packet.indices { bytes.append(packet[index]) }
    count += 1
  }

  /// Moves the first packet to `writer`, and gives its link; `nil` if there is none, or no room.
  mutating func moveFirst(to writer: inout ByteWriter) -> ConnectionHandle? {
    guard case .acl(let header, _)? = HCIPacket(first), first.count <= writer.freeCapacity else {
      return nil
    }
    writer.write(first)
    removeFirst()
    return header.handle
  }

  private mutating func removeFirst() {
    guard count > 0 else { return }
    // The others move up: a half is not asked for more when one more waits than there are buffers.
    bytes.removeFirst(firstLength)
    count -= 1
  }

  /// Takes the packets of a link away.
  mutating func removeAll(on handle: ConnectionHandle) {
    guard count > 0 else { return }
    var kept = PacketBacklog()
    while count > 0 {
      if case .acl(let header, _)? = HCIPacket(first), header.handle != handle {
        kept.append(first)
      }
      removeFirst()
    }
    self = kept
  }
}
