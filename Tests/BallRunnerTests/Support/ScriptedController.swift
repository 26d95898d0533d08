/// A controller that carries out every command at once, and sends every packet.
enum ScriptedController {
  /// The response to a packet. After Disconnect: Command Status, Vol 4, Part E, 7.7.15, and
  /// Disconnection Complete, by the local host.
  static func replies(to packet: [UInt8]) -> [[UInt8]] {
    guard packet.prefix(3) == [0x01, 0x06, 0x04] else { return [reply(to: packet)] }
    return [
      [0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04],
      [0x04, 0x05, 0x04, 0x00, packet[4], packet[5], 0x16],
    ]
  }

  /// Number Of Completed Packets, or Command Complete: Core Specification, Vol 4, Part E, 7.7.19 and
  /// 7.7.14.
  private static func reply(to packet: [UInt8]) -> [UInt8] {
    guard packet[0] == 0x01 else { return [0x04, 0x13, 5, 1, packet[1], 0, 1, 0] }
    let result: [UInt8] =
      switch (packet[2], packet[1]) {
      // Read BD_ADDR; LE Read Buffer Size; LE Read Local Supported Features.
      case (0x10, 0x09): [0, 0x0A, 0, 0, 0, 0, 0xF0]
      case (0x20, 0x02): [0, 0x00, 0x04, 8]
      case (0x20, 0x03): [UInt8](repeating: 0, count: 9)
      default: [0]
      }
    return [0x04, 0x0E, UInt8(3 + result.count), 1, packet[1], packet[2]] + result
  }

  /// A central whose address ends in the handle connects. LE Connection Complete, Vol 4, Part E,
  /// 7.7.65.1: an interval of 30 ms, a time-out of 720 ms.
  static func connection(_ handle: UInt8) -> [UInt8] {
    [
      0x04, 0x3E, 0x13, 0x01, 0x00, handle, 0x00, 0x01, 0x01, handle, 0, 0, 0, 0, 0xC0,
      0x18, 0x00, 0x00, 0x00, 0x48, 0x00, 0x00,
    ]
  }

  /// Disconnection Complete, Vol 4, Part E, 7.7.5.
  static func disconnection(_ handle: UInt8) -> [UInt8] {
    [0x04, 0x05, 0x04, 0x00, handle, 0x00, 0x13]
  }

  /// An ATT PDU of the central at a handle, in one packet.
  static func pdu(_ pdu: [UInt8], on handle: UInt8) -> [UInt8] {
    let count = UInt8(pdu.count)
    return [0x02, handle, 0x20, count + 4, 0, count, 0, 0x04, 0] + pdu
  }

  /// A Write Command to Question, which has no response.
  static func statement(_ text: String, on handle: UInt8) -> [UInt8] {
    pdu([0x52, 0x1D, 0x00] + Array(text.utf8), on: handle)
  }

  /// A Write Request to Question.
  static func question(_ text: String, on handle: UInt8) -> [UInt8] {
    pdu([0x12, 0x1D, 0x00] + Array(text.utf8), on: handle)
  }

  /// A Write Request to the CCCD of Answer.
  static func subscription(_ isOn: Bool, on handle: UInt8) -> [UInt8] {
    pdu([0x12, 0x20, 0x00, isOn ? 1 : 0, 0], on: handle)
  }
}
