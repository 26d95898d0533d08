import BluetoothHost

/// Packets of a controller, and of a central behind it, that connects and asks.
enum BenchPacket {
  /// The link of the central that asks.
  private static var link: ConnectionHandle { ConnectionHandle(rawValue: 0x40) }

  /// The central connects: every 30 ms, a supervision timeout of 4 s.
  static func writeConnection(to writer: inout ByteWriter) {
    LEConnectionComplete(
      status: .success, handle: link, role: .peripheral, peer: .zero, interval: 24, latency: 0,
      supervisionTimeout: 400
    ).writePacket(to: &writer)
  }

  /// The central takes PDUs of 517 bytes.
  static func writeMTU(to writer: inout ByteWriter) {
    write(to: &writer) { ExchangeMTURequest(clientReceiveMTU: 517).write(to: &$0) }
  }

  /// The central subscribes to answers. docs/gatt-profile.md has the handles, which never change.
  static func writeSubscription(to writer: inout ByteWriter) {
    let one: InlineArray<2, UInt8> = [1, 0]
    write(to: &writer) {
      WriteRequest(handle: AttributeHandle(rawValue: 0x0020), value: one.span).write(to: &$0)
    }
  }

  /// The central asks a question of 40 bytes.
  static func writeQuestion(to writer: inout ByteWriter) {
    var text = InlineArray<40, UInt8>(repeating: UInt8(ascii: "a"))
    text[39] = UInt8(ascii: "?")
    write(to: &writer) {
      WriteRequest(handle: AttributeHandle(rawValue: 0x001D), value: text.span).write(to: &$0)
    }
  }

  /// The controller has sent one packet: Number Of Completed Packets.
  static func writeCompletion(to writer: inout ByteWriter) {
    let event: InlineArray<8, UInt8> = [0x04, 0x13, 5, 1, 0x40, 0x00, 1, 0]
    writer.write(event.span)
  }

  /// Command Complete of a controller with 128 buffers of 251 bytes.
  static func writeAnswer(to command: Span<UInt8>, to writer: inout ByteWriter) {
    var event: InlineArray<20, UInt8> = [
      0x04, 0x0E, 17, 1, 0, 0, 0, 251, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    event[4] = command[1]
    event[5] = command[2]
    writer.write(event.span)
  }

  /// Writes an ACL packet that carries one ATT PDU.
  private static func write(to writer: inout ByteWriter, _ pdu: (inout ByteWriter) -> Void) {
    var frame = ByteBuffer<64>()
    frame.write(pdu)
    writer.write(HCIPacketType.acl.rawValue)
    writer.write(link.rawValue | 0x2000)
    writer.write(UInt16(truncatingIfNeeded: frame.count + 4))
    writer.write(UInt16(truncatingIfNeeded: frame.count))
    writer.write(L2CAPChannel.att.rawValue)
    writer.write(frame.span)
  }
}
