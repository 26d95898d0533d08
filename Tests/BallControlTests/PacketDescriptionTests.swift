import BluetoothHost
import Expectations
import LinuxTestSupport

@testable import BallControl

@Suite("The text of a packet")
struct PacketDescriptionTests {
  static let packets = table(
    """
    01 03 0C 00 | HCI Reset
    01 0A 20 01 01 | HCI LE Set Advertising Enable, 1 byte
    01 FF FC 00 | HCI command 0xFCFF
    04 0E 04 01 03 0C 00 | HCI Command Complete: Reset, success
    04 0E 04 01 06 20 0C | HCI Command Complete: LE Set Advertising Parameters, error 0x0C
    04 0F 04 00 01 06 04 | HCI Command Status: Disconnect, success
    04 05 04 00 40 00 13 | HCI Disconnection Complete 0x0040, reason 0x13
    04 13 05 01 40 00 02 00 | HCI Number Of Completed Packets 0x0040: 2
    04 3E 04 01 00 40 00 | HCI LE Connection Complete 0x0040
    04 3E 04 0A 3E 00 00 | HCI LE Enhanced Connection Complete, error 0x3E
    04 3E 01 02 | HCI LE Advertising Report
    04 3E 00 | HCI event 0x3E, too short
    04 0E 01 01 | HCI event 0x0E, too short, 1 byte
    04 EE 02 01 02 | HCI event 0xEE, 2 bytes
    02 40 20 07 00 03 00 04 00 02 05 02 | 0x0040 ATT Exchange MTU Request 517
    02 40 20 0A 00 06 00 04 00 12 12 00 41 42 3F | 0x0040 ATT Write Request handle 0x0012, 3 bytes
    02 40 20 0A 00 0A 02 04 00 12 12 00 41 42 3F | 0x0040 ATT Write Request handle 0x0012, 519 bytes
    02 40 10 03 00 41 42 43 | 0x0040 L2CAP continuation, 3 bytes
    02 40 00 05 00 01 00 04 00 13 | 0x0040 ATT Write Response
    02 40 00 09 00 05 00 04 00 01 0A 05 00 0A | 0x0040 ATT Error Response 0x0A to Read Request handle 0x0005
    02 40 00 0B 00 07 00 04 00 10 01 00 FF FF 00 28 | 0x0040 ATT Read By Group Type Request handles 0x0001 to 0xFFFF
    02 40 20 09 00 05 00 04 00 0C 05 00 16 00 | 0x0040 ATT Read Blob Request handle 0x0005 offset 22
    02 40 00 08 00 04 00 04 00 1B 05 00 59 | 0x0040 ATT Handle Value Notification handle 0x0005, 1 byte
    02 40 20 05 00 01 00 04 00 77 | 0x0040 ATT opcode 0x77
    02 40 20 05 00 01 00 06 00 01 | 0x0040 SMP Pairing Request
    02 40 20 05 00 41 00 06 00 0C | 0x0040 SMP Pairing Public Key
    01 19 20 00 | HCI LE Enable Encryption
    04 0F 04 02 01 25 20 | HCI Command Status: LE Read Local P-256 Public Key, error 0x02
    04 08 04 00 40 00 01 | HCI Encryption Change 0x0040, on
    04 08 04 06 40 00 00 | HCI Encryption Change 0x0040, error 0x06
    04 08 03 06 40 00 | HCI event 0x08, too short, 3 bytes
    04 30 03 00 40 00 | HCI Encryption Key Refresh Complete 0x0040, success
    04 30 02 00 40 | HCI event 0x30, too short, 2 bytes
    04 3E 03 05 40 00 | HCI LE Long Term Key Request 0x0040
    02 40 20 05 00 01 00 05 00 12 | 0x0040 L2CAP Connection Parameter Update Request
    02 40 20 05 00 01 00 40 00 12 | 0x0040 L2CAP channel 0x0040, 1 byte
    02 40 20 02 00 01 00 | 0x0040 L2CAP start, 2 bytes
    07 | no HCI packet, 1 byte
    """)

  @Test("Each packet has a text, and so has its beginning", arguments: packets)
  func text(row: [String]) {
    let packet = hex(row[0])
    expect(PacketDescription.text(of: packet.span), is: row[1])
    for length in packet.indices {
      expect(!PacketDescription.text(of: packet.span.extracting(first: length)).isEmpty)
    }
  }

  @Test("A code without a name is shown as a number")
  func unnamed() {
    expect(PacketDescription.name(of: SMPCode(rawValue: 0x0F)), is: "command 0x0F")
    expect(
      PacketDescription.name(of: SignallingCode(rawValue: 0x1B)), is: "signalling command 0x1B")
    expect(PacketDescription.name(of: ATTErrorCode(rawValue: 0x80)), is: "error 0x80")
    expect(PacketDescription.name(of: HCIOpcode.none), is: "no command")
  }

  @Test("A line of the trace begins with the arrow of its direction")
  func trace() {
    var lines: [String] = []
    let trace = PacketTrace { lines.append($0) }
    trace.note(reset, .sent)
    trace.note(resetComplete, .received)
    expect(lines, is: ["→ HCI Reset", "← HCI Command Complete: Reset, success"])
  }
}
