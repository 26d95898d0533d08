import BallTestSupport
import BluetoothHost
import Expectations

@testable import BallControl

@Suite("A packet as a line of JSON")
struct PacketLineTests {
  private let line = PacketLine(
    microseconds: 1_790_000_000_123_456, direction: .received,
    packet: acl([0x12, 0x20, 0x00, 0x01, 0x00]))

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("A line without layers becomes one with layers")
  func whole() {
    let start =
      #"{"event":"packet","time":1790000000123456,"direction":"in","bytes":"0240200900050004001220000100""#
    expect(text(line.text()), is: start + "}")
    let layers = PacketLayers().layers(of: line.packet.span, .received)
    let expected =
      start + #","layers":[{"layer":"HCI","bytes":"0240200900","text":"ACL data, link 0x0040"},"#
      + #"{"layer":"L2CAP","bytes":"05000400","text":"channel 4: ATT"},"#
      + #"{"layer":"ATT","bytes":"122000","text":"Write Request"},"#
      + #"{"layer":"GATT","bytes":"0100","text":"Answer: Client Characteristic Configuration"},"#
      + #"{"layer":"Ball","bytes":"","text":"subscribes to answers"}]}"#
    expect(text(line.text(layers)), is: expected)
    expect(text(PacketLayers().addingLayers(to: line.text())), is: expected)
  }

  @Test("A line has its kind and escaped texts")
  func escapes() {
    let reset = PacketLine(microseconds: 0, direction: .sent, packet: [0x01, 0x03, 0x0C, 0x00])
    expect(
      text(PacketLayers().addingLayers(to: reset.text())),
      is: #"{"event":"packet","time":0,"direction":"out","bytes":"01030c00","layers":"#
        + #"[{"layer":"HCI","bytes":"01030c00","text":"Reset"}],"kind":"setup"}"#)
    let question = PacketLine(
      microseconds: 0, direction: .received,
      packet: acl([0x12, 0x1D, 0x00] + Array(#""\?"#.utf8)))
    expect(
      text(PacketLayers().addingLayers(to: question.text()))
        .contains(#""text":"Question “\"\\?”""#))
  }

  @Test("A written line is read back, for any packet")
  func roundTrip() {
    var random = FixedRandom(seed: 8)
    for length in 0..<200 {
      let line = PacketLine(
        microseconds: Int64(random.next() >> 16), direction: length % 2 == 0 ? .sent : .received,
        packet: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
      expect(PacketLine(line.text()), is: line)
    }
  }

  @Test(
    "Any other line stays unchanged",
    arguments: [
      "", "{}", #"{"event":"lights","status":true}"#,
      #"{"event":"packet","time":1,"direction":"in","bytes":"0"}"#,
      #"{"event":"packet","time":1,"direction":"in","bytes":"01"} "#,
      #"{"event":"packet","time":1,"direction":"in","bytes":"01","layers":[]}"#,
      #"{"event":"packet","time":1,"direction":"in","bytes":"0g"}"#,
      #"{"event":"packet","time":-1,"direction":"in","bytes":"01"}"#,
      #"{"event":"packet","time":,"direction":"in","bytes":"01"}"#,
      #"{"event":"packet","time":99999999999999999999,"direction":"in","bytes":"01"}"#,
      #"{"event":"packet","time":1,"direction":"up","bytes":"01"}"#,
      #"{"event":"packet","direction":"in","time":1,"bytes":"01"}"#,
      #"{"event": "packet","time":1,"direction":"in","bytes":"01"}"#,
    ])
  func others(_ line: String) {
    expect(PacketLine(Array(line.utf8)), is: nil)
    expect(PacketLayers().addingLayers(to: Array(line.utf8)), is: Array(line.utf8))
  }

  @Test("A line that is cut anywhere is not read")
  func truncated() {
    let text = line.text()
    for length in text.indices { expect(PacketLine(Array(text.prefix(length))), is: nil) }
  }
}
