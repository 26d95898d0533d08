import BallTestSupport
import BluetoothHost
import Testing

@testable import BallControl

@Suite("The layers of commands, events and other channels")
struct OtherLayersTests {
  @Test(
    "Each HCI packet without ACL data has its text",
    arguments: [
      ([0x01, 0x03, 0x0C, 0x00], ["HCI: Reset"], .setup),
      (
        [0x01, 0x0A, 0x20, 0x01, 0x01],
        ["HCI: LE Set Advertising Enable, 1 byte", "Ball: advertises"], nil
      ),
      (
        [0x01, 0x0A, 0x20, 0x01, 0x00],
        ["HCI: LE Set Advertising Enable, 1 byte", "Ball: stops advertising"], nil
      ),
      (
        [0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13],
        ["HCI: Disconnect, 3 bytes", "Ball: disconnects the central"], nil
      ),
      (
        [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], ["HCI: Command Complete: Reset, success"],
        .setup
      ),
      (
        [0x04, 0x0E, 0x04, 0x01, 0x0A, 0x20, 0x0C],
        ["HCI: Command Complete: LE Set Advertising Enable, error 0x0C"], nil
      ),
      (
        [0x04, 0x0F, 0x04, 0x00, 0x01, 0x32, 0x20], ["HCI: Command Status: LE Set PHY, success"],
        .setup
      ),
      ([0x04, 0x0E, 0x01, 0x01], ["HCI: event 0x0E, too short, 1 byte"], nil),
      (
        [0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0x01, 0x00],
        ["HCI: Number Of Completed Packets 0x0040: 1"], .credit
      ),
      (
        [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x08],
        [
          "HCI: Disconnection Complete 0x0040, reason 0x08",
          "Ball: the central disconnects, because no packets came from the other side",
        ], nil
      ),
      (
        [0x04, 0x05, 0x04, 0x0C, 0x40, 0x00, 0x13],
        ["HCI: Disconnection Complete 0x0040, reason 0x13"], nil
      ),
      (
        [0x04, 0x08, 0x04, 0x00, 0x40, 0x00, 0x01],
        ["HCI: Encryption Change 0x0040, on", "Ball: the link is encrypted"], nil
      ),
      ([0x04, 0x10, 0x01, 0x00], ["HCI: Hardware Error", "Ball: the radio has failed"], nil),
      (
        [
          0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x01, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0xF0,
          0x06, 0x00,
          0x00, 0x00, 0x0A, 0x00, 0x00,
        ],
        ["HCI: LE Connection Complete 0x0040", "Ball: a central connects: F0:00:00:00:00:02"], nil
      ),
      ([0x04, 0x3E, 0x04, 0x01, 0x00, 0x40, 0x00], ["HCI: LE Connection Complete 0x0040"], nil),
      ([0x04, 0xEE, 0x00], ["HCI: event 0xEE"], nil),
      ([0x03, 0x40, 0x00, 0x00], ["HCI: SCO data, 4 bytes"], nil),
      ([0x05, 0x40], ["HCI: ISO data, 2 bytes"], nil),
      ([0x07], ["HCI: no HCI packet: unknown type 0x07, 1 byte"], nil),
      ([0x02, 0x40], ["HCI: ACL data of another length than it states, 2 bytes"], nil),
      ([], ["HCI: no bytes"], nil),
    ] as [([UInt8], [String], LayeredPacket.Kind?)])
  func hci(packet: [UInt8], lines: [String], kind: LayeredPacket.Kind?) {
    let layers = PacketLayers()
    let found = layers.layers(of: packet.span, .received)
    #expect(found.lines == lines)
    #expect(found.kind == kind)
    #expect(found.isWhole(packet))
    for length in packet.indices {
      let cut = Array(packet.prefix(length))
      #expect(layers.layers(of: cut.span, .received).isWhole(cut))
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
    #expect(
      found.lines == ["HCI: ACL data, link 0x0040", "L2CAP: channel 6: SMP", "SMP: \(text)"])
    #expect(found.layers.last?.bytes.count == pdu.count)
  }

  private static let key = [UInt8](repeating: 0x5A, count: 16)

  @Test("Signalling commands and the SDUs of a channel have their texts")
  func channels() {
    let layers = PacketLayers()
    func text(_ payload: [UInt8], _ channel: UInt8, _ direction: PacketDirection = .received)
      -> String?
    {
      let packet = acl(payload, channel: channel)
      let found = layers.layers(of: packet.span, direction)
      #expect(found.isWhole(packet) && found.layers.count == 2)
      return found.text(.l2cap)
    }
    #expect(text([], 0x05) == "channel 5: signalling, cut short")
    #expect(
      text([0x12, 0x01, 0x08, 0x00], 0x05)
        == "channel 5: signalling, Connection Parameter Update Request, cut short")
    #expect(
      text([0x16, 0x01, 0x04, 0x00, 0x40, 0x00, 0x0A, 0x00], 0x05)
        == "channel 5: signalling, Flow Control Credit Indication, 10 for channel 0x0040")
    #expect(text([0x02, 0x00, 0x41, 0x42], 0x40) == "channel 0x0040, an SDU, 2 bytes")
    #expect(text([0x05, 0x00, 0x41, 0x42], 0x40) == "channel 0x0040, 2 of 5 bytes of an SDU")
    // The other direction has its own SDUs.
    #expect(text([0x00, 0x00], 0x40, .sent) == "channel 0x0040, an SDU")
    #expect(
      text([0x43, 0x44, 0x45], 0x40) == "channel 0x0040, the last 3 of 5 bytes of an SDU")
    #expect(text([0x01, 0x00, 0x41, 0x42], 0x40) == "channel 0x0040, more than an SDU of 1 bytes")
    #expect(text([0x01], 0x40) == "channel 0x0040, cut short, 1 byte")
    // After a channel closes and opens again, its unfinished SDU is dropped.
    #expect(text([0x05, 0x00, 0x41], 0x40) == "channel 0x0040, 1 of 5 bytes of an SDU")
    _ = text([0x06, 0x02, 0x04, 0x00, 0x40, 0x00, 0x41, 0x00], 0x05)
    #expect(text([0x01, 0x00, 0x41], 0x40) == "channel 0x0040, an SDU, 1 byte")
    #expect(text([0x41], 0x09) == "channel 0x0009, unknown")
  }

  @Test("A fragment that is longer than its frame is described as such")
  func overlong() {
    let packet = data([0x01, 0x00, 0x04, 0x00, 0x13, 0x00])
    #expect(
      PacketLayers().layers(of: packet.span, .sent).text(.l2cap)
        == "channel 4: ATT, 1 byte too many")
  }

  @Test("For any bytes, the layers' bytes joined are the packet")
  func random() {
    var random = FixedRandom(seed: 2_026)
    let layers = PacketLayers()
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
      #expect(found.isWhole(packet), "\(packet) \(found.lines)")
      if let text = found.text(.att) { opcodes.insert(text) }
    }
    // Enough opcodes were recognised.
    #expect(opcodes.count > 40)
  }
}
