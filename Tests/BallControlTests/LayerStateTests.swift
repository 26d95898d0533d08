import BluetoothHost
import Expectations
import LinuxTestSupport

@testable import BallControl

/// What an earlier packet changes about a later one, and what ends that.
@Suite("What layers remember of earlier packets")
struct LayerStateTests {
  /// A packet and its direction.
  private typealias Step = (direction: PacketDirection, packet: [UInt8])

  /// The texts of the last of these packets, without HCI and L2CAP.
  private func last(of steps: [Step]) -> [String] {
    let layers = PacketLayers()
    var lines: [String] = []
    for step in steps {
      let found = layers.layers(of: step.packet.span, step.direction)
      expect(found.isWhole(step.packet))
      lines = found.layers.filter { $0.name != .hci && $0.name != .l2cap }
        .map { "\($0.name.rawValue) \($0.bytes.count) \($0.text)" }
    }
    return lines
  }

  /// The text of L2CAP in the last of these packets.
  private func frame(of packets: [[UInt8]]) -> String? {
    let layers = PacketLayers()
    var text: String?
    for packet in packets { text = layers.layers(of: packet.span, .received).text(.l2cap) }
    return text
  }

  private static let unseen = "GATT 1 the value of an attribute whose request was not seen"
  private static let readName: [UInt8] = [0x0A, 0x03, 0x00]

  @Test("a read's response comes from the other side, after its last request")
  func responses() {
    let response = acl([0x0B, 0x42])
    let name = "GATT 1 Device Name: “B”"
    let read: Step = (.received, acl(Self.readName))
    let elsewhere: Step = (.received, [0x02, 0x41] + acl(Self.readName).dropFirst(2))
    let requests: [(String, [Step], String)] = [
      ("the peer's read", [read], name),
      ("a read of this side", [(.sent, acl(Self.readName))], Self.unseen),
      ("another read before it", [(.received, acl([0x0A, 0x44, 0x00])), read], name),
      ("a read on another link", [elsewhere], Self.unseen), ("no read", [], Self.unseen),
    ]
    for (label, steps, expected) in requests {
      expect(
        last(of: steps + [(.sent, response)]), is: ["ATT 1 Read Response", expected], "\(label)")
    }
    expect(
      last(of: [(.sent, acl(Self.readName)), (.received, response)]),
      is: ["ATT 1 Read Response", name])
    // Requests of any other kind follow the read.
    for opcode in [0x02, 0x04, 0x06, 0x08, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20] as [UInt8] {
      let steps: [Step] = [read, (.received, acl([opcode, 1, 0, 0xFF, 0xFF, 0, 0x28]))]
      expect(last(of: steps + [(.sent, response)]).last, is: Self.unseen, "opcode \(opcode)")
    }
    // What is no request leaves it.
    for pdu in [[0x1E], [0x52, 0x1D, 0x00], [0x1B, 0x1F, 0x00], [0x77]] as [[UInt8]] {
      let steps: [Step] = [read, (.received, acl(pdu))]
      expect(last(of: steps + [(.sent, response)]).last, is: name, "opcode \(pdu[0])")
    }
  }

  @Test("a blob is the value from its offset on")
  func blobs() {
    // The name of a handle that the ball does not have is its number.
    let cases = table(
      """
      0C 03 00 02 01 | 0D 42 | ATT 1 Read Blob Response | GATT 1 Device Name, from byte 258 on: “B”
      0C 1F 00 00 00 | 0D 42 | ATT 1 Read Blob Response | GATT 0 Answer | Ball 1 Answer “B”
      0A 21 00 | 0B 42 | ATT 1 Read Response | GATT 1 handle 0x0021
      """)
    for row in cases {
      expect(
        last(of: [(.received, acl(hex(row[0]))), (.sent, acl(hex(row[1])))]),
        is: Array(row.dropFirst(2)))
    }
    expect(
      last(of: [(.received, acl([0x0A, 0x00, 0x00]))]),
      is: ["ATT 3 Read Request", "GATT 0 handle 0x0000"])
  }

  @Test("parts of a question may overlap; parts of other values, and echoes, are none")
  func parts() {
    func part(_ text: String, _ offset: UInt8, handle: UInt8 = 0x1D, opcode: UInt8 = 0x16) -> Step {
      (.received, acl([opcode, handle, 0x00, offset, 0x00] + Array(text.utf8)))
    }
    let execute: Step = (.received, acl([0x18, 0x01]))
    let cancel: Step = (.received, acl([0x18, 0x00]))
    let cases: [(String, [Step], String?)] = [
      ("in order", [part("Su", 0), part("re?", 2)], "Question “Sure?”"),
      ("an overlap", [part("Suxx", 0), part("re?", 2)], "Question “Sure?”"),
      ("from the beginning again", [part("Not", 0), part("Sure?", 0)], "Question “Sure?”"),
      ("with an echo", [part("Sure?", 0), part("Sure?", 0, opcode: 0x17)], "Question “Sure?”"),
      (
        "another value between", [part("Su", 0), part("xx", 0, handle: 0x1F), part("re?", 2)],
        "Question “Sure?”"
      ),
      ("only another value", [part("Sure?", 0, handle: 0x1F)], nil),
      ("only an echo", [part("Sure?", 0, opcode: 0x17)], nil),
      ("cancelled before", [part("Not", 0), cancel], nil),
      ("executed before", [part("Sure?", 0), execute], nil),
    ]
    for (label, steps, expected) in cases {
      expect(
        last(of: steps + [execute]),
        is: ["ATT 2 Execute Write Request"] + (expected.map { ["Ball 0 \($0)"] } ?? []),
        "\(label)")
    }
  }

  @Test("values have a meaning for the ball only in the PDUs that carry it")
  func meanings() {
    let configuration = "Answer: Client Characteristic Configuration"
    let cases = table(
      """
      a notified question | 1B 1D 00 41 | ATT 3 Handle Value Notification | GATT 1 Question
      an indicated answer | 1D 1F 00 41 | ATT 3 Handle Value Indication | GATT 0 Answer | Ball 1 Answer “A”
      a written answer | 12 1F 00 41 | ATT 3 Write Request | GATT 1 Answer
      a signed question | D2 1D 00 41 | ATT 3 Signed Write Command | GATT 1 Question
      a notified configuration | 1B 20 00 01 00 | ATT 3 Handle Value Notification | GATT 2 \(configuration)
      half a configuration | 12 20 00 01 | ATT 3 Write Request | GATT 1 \(configuration)
      an indication asked for | 52 20 00 02 00 | ATT 3 Write Command | GATT 2 \(configuration) | \
      Ball 0 unsubscribes
      both asked for | 12 20 00 03 00 | ATT 3 Write Request | GATT 2 \(configuration) | \
      Ball 0 subscribes to answers
      a refused read of the question | 01 0A 1D 00 80 | ATT 5 Error Response: error 0x80 | GATT 0 Question
      a refused write of the answer | 01 12 1F 00 80 | ATT 5 Error Response: error 0x80 | GATT 0 Answer
      a question refused for another reason | 01 12 1D 00 05 | \
      ATT 5 Error Response: Insufficient Authentication | GATT 0 Question
      no handle, and nothing found | 01 10 00 00 0A | ATT 5 Error Response: Attribute Not Found | \
      GATT 0 nothing more from 0x0000 on
      """)
    for row in cases {
      expect(last(of: [(.received, acl(hex(row[1])))]), is: Array(row.dropFirst(2)), "\(row[0])")
    }
  }

  @Test("searches name declarations, and find several entries")
  func searches() {
    let cases = table(
      """
      08 01 00 20 00 00 28 | which services are in 0x0001 to 0x0020?
      08 01 00 20 00 01 28 | which secondary services are in 0x0001 to 0x0020?
      08 01 00 20 00 02 28 | which services are included in 0x0001 to 0x0020?
      08 01 00 20 00 03 28 | which characteristics are in 0x0001 to 0x0020?
      08 01 00 20 00 04 28 | what is the value of type 0x2804 in 0x0001 to 0x0020?
      10 01 00 20 00 01 28 | which secondary services are in 0x0001 to 0x0020?
      06 01 00 20 00 00 28 0A 18 00 | where in 0x0001 to 0x0020 is a Primary Service of this value?
      06 01 00 20 00 01 28 0A 18 | where in 0x0001 to 0x0020 is a Secondary Service of this value?
      06 01 00 20 00 02 28 | where in 0x0001 to 0x0020 is an Include of this value?
      06 01 00 20 00 03 28 | where in 0x0001 to 0x0020 is a Characteristic of this value?
      05 01 1B 00 00 28 1C 00 03 28 | 0x001B Primary Service; 0x001C Characteristic
      07 01 00 07 00 1B 00 20 00 | \
      service Generic Access, 0x0001 to 0x0007; service Magic 8-Ball, 0x001B to 0x0020
      09 03 03 00 41 1F 00 42 | Device Name: “A”; Answer
      """)
    for row in cases {
      let pdu = hex(row[0])
      let lines = last(of: [(.received, acl(pdu))])
      expect(lines.last?.hasSuffix(" " + row[1]), is: true, "\(lines)")
      // The bytes of both layers are the PDU.
      expect(
        lines.compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +), is: pdu.count,
        "\(lines)")
    }
  }

  // MARK: Links

  /// A connection event of a link with this handle, as a central (0) or a peripheral (1).
  private func connection(_ handle: UInt8 = 0x40, role: UInt8, subevent: UInt8 = 0x01) -> [UInt8] {
    hex("04 3E 13") + [subevent, 0x00, handle, 0x00, role]
      + hex("01 02 00 00 00 00 F0 06 00 00 00 0A 00 00")
  }

  @Test("the other side is a peripheral on a link that this side made")
  func roles() {
    let asks: Step = (.sent, hex("01 06 04 03 40 00 13"))
    let ends: Step = (.received, hex("04 05 04 00 40 00 13"))
    let endFails: Step = (.received, hex("04 05 04 0C 40 00 13"))
    let reset: Step = (.sent, hex("01 03 0C 00"))
    let fault: Step = (.received, hex("04 10 01 00"))
    let (made, other): (Step, Step) = (
      (.received, connection(role: 0)), (.received, connection(0x41, role: 0))
    )
    let cases: [(String, [Step], String)] = [
      ("made by this side", [made], "a link to a peripheral: F0:00:00:00:00:02"),
      ("and ended", [made, asks], "disconnects the peripheral"),
      ("and ended by it", [made, ends], "the peripheral disconnects, by the other side"),
      ("after its end", [made, ends, asks], "disconnects the central"),
      ("after a reset", [made, reset, asks], "disconnects the central"),
      ("after a fault", [made, fault, asks], "disconnects the central"),
      ("made by the other", [(.received, connection(role: 1)), asks], "disconnects the central"),
      ("on another link", [other, asks], "disconnects the central"),
      ("a failed end", [made, endFails, asks], "disconnects the peripheral"),
      ("encryption ends", [(.received, hex("04 08 04 00 40 00 00"))], "the link is not encrypted"),
    ]
    for (label, steps, expected) in cases {
      expect(last(of: steps), is: ["Ball 0 \(expected)"], "\(label)")
    }
    expect(last(of: [(.received, hex("04 08 04 05 40 00 01"))]), is: [])
  }

  @Test("only a connection event begins a link, and a new one forgets the old one's frames")
  func events() {
    for subevent in UInt8(0)...0x30 where subevent != 0x01 {
      expect(
        last(of: [(.received, connection(role: 1, subevent: subevent))]), is: [],
        "subevent \(subevent)")
    }
    let start = data([0x05, 0x00, 0x04, 0x00, 0x12])
    let rest = data([0x1D, 0x00, 0x41, 0x3F], 0x10)
    expect(frame(of: [start, rest]), is: "channel 4: ATT, the last 4 of 9 bytes")
    expect(
      frame(of: [start, connection(role: 1), rest]),
      is: "the rest of a frame that was not seen, 4 bytes")
  }

  @Test("the frames of 65 links are remembered, and those of more are dropped")
  func manyLinks() {
    func packet(_ link: Int, _ fragment: [UInt8], _ boundary: UInt8) -> [UInt8] {
      [0x02, UInt8(link), boundary, UInt8(fragment.count), 0x00] + fragment
    }
    for count in [64, 65] {
      let starts = (0..<count).map { packet($0, [0x05, 0x00, 0x04, 0x00, 0x12], 0x20) }
      let rest = packet(0, [0x1D, 0x00, 0x41, 0x3F], 0x10)
      expect(
        frame(of: starts + [rest]),
        is: count == 64
          ? "channel 4: ATT, the last 4 of 9 bytes"
          : "the rest of a frame that was not seen, 4 bytes")
    }
  }

  @Test("a frame's progress, from its first byte on")
  func assembly() {
    // Fragments, which begin or (+) continue a frame.
    let cases = table(
      """
      no byte | | the start of a frame
      three of four bytes of header | 01 00 04 | the start of a frame, 3 bytes
      the header | 01 00 04 00 | channel 4: ATT, 4 of 5 bytes
      an empty frame | 00 00 05 00 | channel 5: signalling, cut short
      a long frame | 34 12 40 00 | channel 0x0040, 4 of 4664 bytes
      one byte too many | 00 00 04 00 01 | channel 4: ATT, 1 byte too many
      two bytes too many | 00 00 04 00 01 02 | channel 4: ATT, 2 bytes too many
      too many in the second fragment | 02 00 04 00 01 + 02 03 | channel 4: ATT, 1 byte too many
      behind a frame that was too long | 00 00 04 00 01 + 02 | the rest of a frame that was not seen, 1 byte
      behind a whole frame | 00 00 04 00 + 02 | the rest of a frame that was not seen, 1 byte
      a header in two fragments | 01 00 + 04 00 | channel 4: ATT, 4 of 5 bytes
      a channel of two bytes | 01 00 40 01 | channel 0x0140, 4 of 5 bytes
      a fixed channel without a name | 00 00 07 00 | channel 0x0007, unknown
      """)
    for row in cases {
      let fragments = row[1].split(separator: "+", omittingEmptySubsequences: false).map { hex($0) }
      let packets = [data(fragments[0])] + fragments.dropFirst().map { data($0, 0x10) }
      expect(frame(of: packets), is: row[2], "\(row[0])")
    }
    // A flushable start.
    expect(frame(of: [data([1, 0, 4, 0], 0x00)]), is: "channel 4: ATT, 4 of 5 bytes")
  }

  @Test("a channel that opens or closes starts with a new SDU, on the side that has its number")
  func channels() {
    // The credit-based connection request has an SPSM, the source channel, MTU, MPS and credits.
    let request = hex("14 01 0A 00 80 00 40 00 17 00 17 00 01 00")
    // The response has the destination channel, MTU, MPS, credits and a result.
    let response = hex("15 01 0A 00 40 00 17 00 17 00 01 00 00 00")
    // The disconnection request has the destination and then the source channel.
    let disconnection = hex("06 01 04 00 40 00 41 00")
    let other = hex("07 01 04 00 40 00 41 00")
    // Whether the unfinished SDU that the other side has sent on this channel is dropped.
    let cases: [(String, [UInt8], PacketDirection, UInt8, Bool)] = [
      ("a request of this side", request, .sent, 0x40, true),
      ("a request of the other side", request, .received, 0x40, false),
      ("a response of this side", response, .sent, 0x40, true),
      ("a response of the other side", response, .received, 0x40, false),
      ("the other side closes what it sends on", disconnection, .received, 0x40, true),
      ("the other side's own number", disconnection, .received, 0x41, false),
      ("this side closes its own number", disconnection, .sent, 0x41, true),
      ("this side closes the other's number", disconnection, .sent, 0x40, false),
      ("a disconnection response", other, .received, 0x40, false),
    ]
    for (label, command, direction, channel, isDropped) in cases {
      let layers = PacketLayers()
      _ = layers.layers(of: acl([0x05, 0x00, 0x41], channel: channel).span, .received)
      _ = layers.layers(of: acl(command, channel: 0x05).span, direction)
      let text = layers.layers(of: acl([0x01, 0x00, 0x41], channel: channel).span, .received)
        .text(.l2cap)
      expect(
        text,
        is: "channel 0x00\(channel == 0x40 ? "40" : "41"), "
          + (isDropped ? "an SDU, 1 byte" : "4 of 5 bytes of an SDU"), "\(label)")
    }
  }

  @Test("commands that start advertising, end a link or encrypt one are no setup")
  func kinds() {
    for opcode in [0x200A, 0x0406, 0x2019, 0x201A, 0x201B, 0x0C03, 0x2006, 0x0C01, 0x2005] {
      let bytes = [UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
      let isSetup = ![0x200A, 0x0406, 0x2019, 0x201A, 0x201B].contains(opcode)
      for packet in [
        [0x01] + bytes + [0x00], [0x04, 0x0E, 0x04, 0x01] + bytes + [0x00],
        [0x04, 0x0F, 0x04, 0x00, 0x01] + bytes,
      ] as [[UInt8]] {
        expect(
          PacketLayers().layers(of: packet.span, .sent).kind, is: isSetup ? .setup : nil,
          "\(packet)")
      }
    }
  }

  @Test("digits of a packet's line are decimal up to 18 places, and hexadecimal in pairs")
  func digits() {
    func line(time: String = "1", bytes: String) -> PacketLine? {
      PacketLine(
        Array(
          "{\"event\":\"packet\",\"time\":\(time),\"direction\":\"in\",\"bytes\":\"\(bytes)\"}".utf8
        ))
    }
    expect(line(bytes: "")?.packet, is: [])
    expect(
      line(time: String(repeating: "9", count: 18), bytes: "01")?.microseconds,
      is: 999_999_999_999_999_999)
    expect(line(time: String(repeating: "9", count: 19), bytes: "01"), is: nil)
    expect(line(time: "007", bytes: "01")?.microseconds, is: 7)
    for byte in UInt8(0x20)..<0x7F where byte != 0x22 {
      let text = String(decoding: [byte], as: UTF8.self)
      let value = Int(text, radix: 16).map { UInt8($0) }
      expect(line(bytes: "\(text)1")?.packet.first, is: value.map { $0 << 4 | 1 }, "\(text)")
      expect(line(bytes: "1\(text)")?.packet.first, is: value.map { 0x10 | $0 }, "\(text)")
      let digit = Int(text)
      expect(line(time: "1\(text)", bytes: "")?.microseconds, is: digit.map { Int64(10 + $0) })
    }
  }
}
