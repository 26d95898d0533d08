import BluetoothHost
import EightBall
import Expectations
import LinuxRadio
import LinuxTestSupport

@testable import BallControl

/// The packet of a whole frame on link 0x0040, and its fragments.
func acl(_ payload: [UInt8], channel: UInt8 = 0x04, boundary: UInt8 = 0x20) -> [UInt8] {
  data([UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), channel, 0x00] + payload, boundary)
}

func data(_ fragment: [UInt8], _ boundary: UInt8 = 0x20) -> [UInt8] {
  [0x02, 0x40, boundary, UInt8(fragment.count & 0xFF), UInt8(fragment.count >> 8)] + fragment
}

/// One PDU of the Attribute Protocol, as the central of a ball sends or receives it.
struct PDUCase: Sendable, CustomTestStringConvertible {
  var pdu: [UInt8]
  /// The texts of ATT, GATT and the ball in this order, each with its number of bytes.
  var layers: [String]
  /// The central's last request.
  var request: [UInt8]?

  /// A row: the PDU, after the central's last request, and its layers.
  init(_ row: [String]) {
    let pdus = row[0].split(separator: ">", omittingEmptySubsequences: false).map { hex($0) }
    pdu = pdus[pdus.count - 1]
    layers = Array(row.dropFirst())
    request = pdus.count > 1 ? pdus[0] : nil
  }

  var testDescription: String { layers.joined(separator: " | ") }

  /// Opcodes and layouts: Core Specification, Vol 3, Part F, 3.4. Handles: docs/gatt-profile.md.
  static let all = table(
    """
    02 05 02 | ATT 3 Exchange MTU Request, 517 bytes
    03 17 00 | ATT 3 Exchange MTU Response, 23 bytes
    04 20 00 20 00 | ATT 5 Find Information Request | GATT 0 what is in 0x0020 to 0x0020?
    05 01 20 00 02 29 | ATT 2 Find Information Response | GATT 4 0x0020 Client Characteristic Configuration
    06 01 00 FF FF 00 28 0A 18 | ATT 5 Find By Type Value Request | \
    GATT 4 where in 0x0001 to 0xFFFF is the service Device Information?
    06 01 00 FF FF 00 2A 41 | ATT 5 Find By Type Value Request | \
    GATT 3 where in 0x0001 to 0xFFFF is a Device Name of this value?
    07 12 00 1A 00 | ATT 1 Find By Type Value Response | GATT 4 service Device Information, 0x0012 to 0x001A
    08 01 00 FF FF 03 28 | ATT 5 Read By Type Request | GATT 2 which characteristics are in 0x0001 to 0xFFFF?
    08 01 00 FF FF 2A 2B | ATT 5 Read By Type Request | \
    GATT 2 what is the value of Database Hash in 0x0001 to 0xFFFF?
    09 07 02 00 02 03 00 00 2A | ATT 2 Read By Type Response | GATT 7 declaration of Device Name
    09 04 03 00 4F 4B | ATT 2 Read By Type Response | GATT 4 Device Name: “OK”
    0A 03 00 | ATT 3 Read Request | GATT 0 Device Name
    0A 44 00 | ATT 3 Read Request | GATT 0 handle 0x0044
    0A 03 00 > 0B 42 | ATT 1 Read Response | GATT 1 Device Name: “B”
    0A 1F 00 > 0B 59 65 73 | ATT 1 Read Response | GATT 0 Answer | Ball 3 Answer “Yes”
    0A 1F 00 > 0B | ATT 1 Read Response | GATT 0 Answer | Ball 0 no answer yet
    0B 42 | ATT 1 Read Response | GATT 1 the value of an attribute whose request was not seen
    0C 1F 00 16 00 | ATT 5 Read Blob Request | GATT 0 Answer, from byte 22 on
    0C 1F 00 16 00 > 0D 73 | ATT 1 Read Blob Response | GATT 0 Answer, from byte 22 on | Ball 1 Answer “s”
    0E 03 00 1F 00 | ATT 5 Read Multiple Request | GATT 0 Device Name, Answer
    0F 41 42 | ATT 3 Read Multiple Response, 2 bytes
    10 01 00 FF FF 00 28 | ATT 5 Read By Group Type Request | GATT 2 which services are in 0x0001 to 0xFFFF?
    11 06 01 00 07 00 00 18 08 00 11 00 01 18 | ATT 2 Read By Group Type Response | \
    GATT 12 service Generic Access, 0x0001 to 0x0007; service Generic Attribute, 0x0008 to 0x0011
    12 20 00 01 00 | ATT 3 Write Request | GATT 2 Answer: Client Characteristic Configuration | \
    Ball 0 subscribes to answers
    12 20 00 00 00 | ATT 3 Write Request | GATT 2 Answer: Client Characteristic Configuration | Ball 0 unsubscribes
    12 0B 00 02 00 | ATT 3 Write Request | GATT 2 Service Changed: Client Characteristic Configuration
    12 1D 00 41 3F | ATT 3 Write Request | GATT 0 Question | Ball 2 Question “A?”
    52 1D 00 41 0A 1B 3F | ATT 3 Write Command | GATT 0 Question | Ball 4 Question “A\u{FFFD}\u{FFFD}?”
    12 1D 00 41 2E | ATT 3 Write Request | GATT 0 Question | Ball 2 not a question (it must end in “?”): “A.”
    13 | ATT 1 Write Response
    16 1D 00 00 00 41 42 | ATT 5 Prepare Write Request | GATT 2 Question
    17 1D 00 02 00 43 | ATT 5 Prepare Write Response | GATT 1 Question, from byte 2 on
    16 1D 00 00 00 41 62 3F > 18 01 | ATT 2 Execute Write Request | Ball 0 Question “Ab?”
    16 1D 00 00 00 41 62 3F > 18 00 | ATT 2 Execute Write Request | Ball 0 cancels the question
    18 01 | ATT 2 Execute Write Request
    19 | ATT 1 Execute Write Response
    1B 1F 00 4E 6F | ATT 3 Handle Value Notification | GATT 0 Answer | Ball 2 Answer “No”
    1D 0A 00 01 00 FF FF | ATT 3 Handle Value Indication | GATT 4 Service Changed
    1E | ATT 1 Handle Value Confirmation
    20 03 00 1F 00 | ATT 5 Read Multiple Variable Request | GATT 0 Device Name, Answer
    21 41 | ATT 2 Read Multiple Variable Response, 1 byte
    23 1F | ATT 2 Multiple Handle Value Notification, 1 byte
    D2 03 00 41 | ATT 3 Signed Write Command | GATT 1 Device Name: “A”
    01 10 21 00 0A | ATT 5 Error Response: Attribute Not Found | GATT 0 nothing more from 0x0021 on
    01 12 1D 00 0E | ATT 5 Error Response: Unlikely Error | GATT 0 Question | \
    Ball 0 refused: not a question (it must end in “?”)
    01 12 1D 00 80 | ATT 5 Error Response: error 0x80 | GATT 0 Question | Ball 0 refused: not UTF-8
    01 18 1D 00 0D | ATT 5 Error Response: Invalid Attribute Value Length | GATT 0 Question | \
    Ball 0 refused: longer than 512 bytes
    01 0A 1D 00 02 | ATT 5 Error Response: Read Not Permitted | GATT 0 Question
    01 99 00 00 06 | ATT 5 Error Response: Request Not Supported
    77 01 | ATT 2 opcode 0x77, 1 byte
     | ATT 0 no opcode: the frame is empty
    """
  ).map { PDUCase($0) }
}

@Suite("The layers of PDUs")
struct PDULayersTests {
  private let layers = PacketLayers()

  /// The texts of the layers above L2CAP for a PDU.
  private func words(_ test: PDUCase, _ packets: [[UInt8]]) throws -> [String] {
    let layers = PacketLayers()
    // Responses go to the controller, and requests come from it.
    let isResponse = test.request != nil && test.pdu.first != 0x18
    if let request = test.request {
      _ = layers.layers(of: acl(request).span, .received)
    }
    var last = LayeredPacket(layers: [], kind: nil)
    for packet in packets {
      last = layers.layers(of: packet.span, isResponse ? .sent : .received)
      expect(last.isWhole(packet), "\(last.lines)")
    }
    return last.layers.dropFirst(2).map { "\($0.name.rawValue) \($0.bytes.count) \($0.text)" }
  }

  @Test("Each PDU has its texts, and each layer its bytes", arguments: PDUCase.all)
  func whole(_ test: PDUCase) throws {
    expect(try words(test, [acl(test.pdu)]), is: test.layers)
  }

  @Test("A PDU that is cut at any length still has a text", arguments: PDUCase.all)
  func truncated(_ test: PDUCase) throws {
    for length in 0..<test.pdu.count {
      let found = try words(test, [acl(Array(test.pdu.prefix(length)))])
      expect(found.first?.hasPrefix("ATT"), is: true)
    }
    // The packet itself is cut, so it has no layers.
    let packet = acl(test.pdu)
    for length in packet.indices {
      let cut = Array(packet.prefix(length))
      let found = layers.layers(of: cut.span, .received)
      expect(found.isWhole(cut) && found.layers.count == 1, "\(found.lines)")
    }
  }

  @Test("A PDU that is longer than a PDU can be has one text, so that its line stays short")
  func overlong() throws {
    // Read Multiple Request: a name for each handle would make megabytes of text.
    expect(
      try words(PDUCase([""]), [acl([0x0E] + [UInt8](repeating: 0, count: 517))]),
      is: ["ATT 518 longer than a PDU can be"])
  }

  @Test("Of two fragments, the last has the texts of the whole frame", arguments: PDUCase.all)
  func fragments(_ test: PDUCase) throws {
    let frame = Array(acl(test.pdu).dropFirst(5))
    for cut in 0...frame.count {
      let found = try words(
        test, [data(Array(frame.prefix(cut))), data(Array(frame.dropFirst(cut)), 0x10)])
      // After a whole first fragment there is nothing to continue.
      let expected = cut == frame.count ? [] : test.layers.map(\.withoutCount)
      expect(found.map(\.withoutCount), is: expected, "cut at \(cut)")
    }
  }

  @Test("A fragment shows the progress of its frame, and has only its own bytes")
  func progress() {
    // 4 bytes of header and 23 of PDU: opcode, handle, 19 bytes of text and "?".
    let pdu = [0x12, 0x1D, 0x00] + [UInt8](repeating: 0x61, count: 19) + [0x3F]
    let frame = Array(acl(pdu).dropFirst(5))
    let fragments = [
      data(Array(frame[0..<3])), data(Array(frame[3..<12]), 0x10), data(Array(frame[12...]), 0x10),
    ]
    let found = fragments.map { layers.layers(of: $0.span, .received) }
    expect(found[0].lines.last, is: "L2CAP: the start of a frame, 3 bytes")
    expect(found[1].lines.last, is: "L2CAP: channel 4: ATT, 12 of 27 bytes")
    let text = String(repeating: "a", count: 19) + "?"
    expect(
      found[2].lines,
      is: [
        "HCI: ACL data, link 0x0040", "L2CAP: channel 4: ATT, the last 15 of 27 bytes",
        "ATT: Write Request", "GATT: Question", "Ball: Question “\(text)”",
      ])
    expect(found[2].layers.map(\.bytes.count), is: [5, 0, 0, 0, 15])
  }

  @Test("Fragments of different links and directions do not mix")
  func apart() {
    let frame = Array(acl([0x12, 0x1D, 0x00, 0x41, 0x3F]).dropFirst(5))
    _ = layers.layers(of: data(Array(frame.prefix(6))).span, .received)
    let answer = layers.layers(of: acl([0x13]).span, .sent)
    expect(answer.text(.att), is: "Write Response")
    var other = data(Array(frame.dropFirst(6)), 0x10)
    other[1] = 0x41
    expect(
      layers.layers(of: other.span, .received).text(.l2cap),
      is: "the rest of a frame that was not seen, 3 bytes")
    let rest = layers.layers(of: data(Array(frame.dropFirst(6)), 0x10).span, .received)
    expect(rest.text(.ball), is: "Question “A?”")
  }

  @Test("A new frame discards an unfinished one")
  func newStart() {
    _ = layers.layers(of: data([0x05, 0x00, 0x04, 0x00, 0x12]).span, .received)
    let packet = acl([0x12, 0x1D, 0x00, 0x41, 0x3F])
    let found = layers.layers(of: packet.span, .received)
    expect(found.text(.l2cap), is: "channel 4: ATT")
    expect(found.text(.ball), is: "Question “A?”")
  }

  @Test("After the end of a link no frame continues")
  func ended() {
    _ = layers.layers(of: data([0x05, 0x00, 0x04, 0x00, 0x12]).span, .received)
    let end: [UInt8] = [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x16]
    expect(
      layers.layers(of: end.span, .received).text(.ball),
      is: "the central disconnects, by this side")
    expect(
      layers.layers(of: data([0x1D], 0x10).span, .received).text(.l2cap),
      is: "the rest of a frame that was not seen, 1 byte")
  }

  @Test("A question in many parts is assembled, and a question that is too long is refused")
  func parts() {
    func write(_ length: Int) -> String? {
      for start in stride(from: 0, to: length, by: 100) {
        let part = (start..<min(length, start + 100)).map { $0 == length - 1 ? 0x3F : UInt8(0x61) }
        let offset = [UInt8(start & 0xFF), UInt8(start >> 8)]
        _ = layers.layers(of: acl([0x16, 0x1D, 0x00] + offset + part).span, .received)
      }
      return layers.layers(of: acl([0x18, 0x01]).span, .received).text(.ball)
    }
    expect(write(512), is: "Question “" + String(repeating: "a", count: 511) + "?”")
    expect(write(513)?.hasPrefix("longer than 512 bytes: “"), is: true)
    expect(write(2), is: "Question “a?”")
    // The parts are not written again.
    expect(layers.layers(of: acl([0x18, 0x01]).span, .received).text(.ball), is: nil)
  }
}

extension String {
  /// Without the number of bytes after the layer's name.
  fileprivate var withoutCount: String {
    var words = split(separator: " ")
    words.remove(at: 1)
    return words.joined(separator: " ")
  }
}
