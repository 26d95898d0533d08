import BallTestSupport
import BluetoothHost
import Expectations
import LinuxTestSupport

@testable import BallControl

@Suite("The layers of commands, events and other channels")
struct OtherLayersTests {
  private let layers = PacketLayers()

  static let packets = table(
    """
    01 03 0C 00 | HCI: Reset | kind setup
    01 0A 20 01 01 | HCI: LE Set Advertising Enable, 1 byte | Ball: advertises
    01 0A 20 01 00 | HCI: LE Set Advertising Enable, 1 byte | Ball: stops advertising
    01 06 04 03 40 00 13 | HCI: Disconnect, 3 bytes | Ball: disconnects the central
    04 0E 04 01 03 0C 00 | HCI: Command Complete: Reset, success | kind setup
    04 0E 04 01 0A 20 0C | HCI: Command Complete: LE Set Advertising Enable, error 0x0C
    04 0F 04 00 01 32 20 | HCI: Command Status: LE Set PHY, success | kind setup
    04 0E 01 01 | HCI: event 0x0E, too short, 1 byte
    04 13 05 01 40 00 01 00 | HCI: Number Of Completed Packets 0x0040: 1 | kind credit
    04 05 04 00 40 00 08 | HCI: Disconnection Complete 0x0040, reason 0x08 | \
    Ball: the central disconnects, because no packets came from the other side
    04 05 04 0C 40 00 13 | HCI: Disconnection Complete 0x0040, reason 0x13
    04 08 04 00 40 00 01 | HCI: Encryption Change 0x0040, on | Ball: the link is encrypted
    04 10 01 00 | HCI: Hardware Error | Ball: the radio has failed
    04 3E 13 01 00 40 00 01 01 02 00 00 00 00 F0 06 00 00 00 0A 00 00 | \
    HCI: LE Connection Complete 0x0040 | Ball: a central connects: F0:00:00:00:00:02
    04 3E 04 01 00 40 00 | HCI: LE Connection Complete 0x0040
    04 EE 00 | HCI: event 0xEE
    03 40 00 00 | HCI: SCO data, 4 bytes
    05 40 | HCI: ISO data, 2 bytes
    07 | HCI: no HCI packet: unknown type 0x07, 1 byte
    02 40 | HCI: ACL data of another length than it states, 2 bytes
     | HCI: no bytes
    """)

  @Test("Each HCI packet without ACL data has its text, and perhaps a kind", arguments: packets)
  func hci(row: [String]) {
    let packet = hex(row[0])
    let lines = row.dropFirst().filter { !$0.hasPrefix("kind ") }
    let kind: LayeredPacket.Kind? =
      switch row.last {
      case "kind setup": .setup
      case "kind credit": .credit
      default: nil
      }
    let found = layers.layers(of: packet.span, .received)
    expect(found.lines, is: Array(lines))
    expect(found.kind, is: kind)
    expect(found.isWhole(packet))
    for length in packet.indices {
      let cut = Array(packet.prefix(length))
      expect(layers.layers(of: cut.span, .received).isWhole(cut))
    }
  }

  @Test(
    "For pairing, the layers show the command and not its content",
    arguments: [
      ([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], "Pairing Request, 6 bytes"),
      ([0x06] + key, "Encryption Information, 16 bytes"),
      ([0x08] + key, "Identity Information, 16 bytes"),
      ([0x05, 0x04], "Pairing Failed, reason 0x04"), ([0x05], "Pairing Failed"),
      ([0x99], "command 0x99"), ([], "no command: the frame is empty"),
    ] as [([UInt8], String)])
  func pairing(pdu: [UInt8], text: String) {
    let found = PacketLayers().layers(of: acl(pdu, channel: 0x06).span, .received)
    expect(
      found.lines, is: ["HCI: ACL data, link 0x0040", "L2CAP: channel 6: SMP", "SMP: \(text)"])
    expect(found.layers.last?.bytes.count, is: pdu.count)
  }

  private static let key = [UInt8](repeating: 0x5A, count: 16)

  @Test("Signalling commands and the SDUs of a channel have their texts")
  func channels() {
    // Channels and payloads, in this order; the other direction (>) has its own SDUs.
    let frames = table(
      """
      05 | | channel 5: signalling, cut short
      05 | 12 01 08 00 | channel 5: signalling, Connection Parameter Update Request, cut short
      05 | 16 01 04 00 40 00 0A 00 | channel 5: signalling, Flow Control Credit Indication, 10 for channel 0x0040
      40 | 02 00 41 42 | channel 0x0040, an SDU, 2 bytes
      40 | 05 00 41 42 | channel 0x0040, 2 of 5 bytes of an SDU
      40 | > 00 00 | channel 0x0040, an SDU
      40 | 43 44 45 | channel 0x0040, the last 3 of 5 bytes of an SDU
      40 | 01 00 41 42 | channel 0x0040, more than an SDU of 1 bytes
      40 | 01 | channel 0x0040, cut short, 1 byte
      09 | 41 | channel 0x0009, unknown
      """)
    for row in frames {
      let isSent = row[1].hasPrefix(">")
      let packet = acl(hex(row[1].drop { $0 == ">" }), channel: hex(row[0])[0])
      let found = layers.layers(of: packet.span, isSent ? .sent : .received)
      expect(found.isWhole(packet) && found.layers.count == 2)
      expect(found.text(.l2cap), is: row[2])
    }
  }

  @Test("For any bytes, the layers' bytes joined are the packet")
  func random() {
    var random = FixedRandom(seed: 2_026)
    var opcodes = Set<String>()
    for round in 0..<20_000 {
      let length = Int.random(in: 0...40, using: &random)
      var packet = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Most random bytes are no packet, so most rounds wrap them in one.
      switch round % 4 {
      case 0: break
      case 1: packet = data(packet, [0x00, 0x10, 0x20].randomElement(using: &random) ?? 0)
      case 2: packet = acl(packet, channel: UInt8.random(in: 4...6, using: &random))
      default: packet = [0x04, UInt8.random(in: 0...0x3F, using: &random), UInt8(length)] + packet
      }
      let direction: PacketDirection = Bool.random(using: &random) ? .sent : .received
      let found = layers.layers(of: packet.span, direction)
      expect(found.isWhole(packet), "\(packet) \(found.lines)")
      if let text = found.text(.att) { opcodes.insert(text) }
    }
    // Enough opcodes were recognised.
    expect(opcodes.count > 40)
  }
}
