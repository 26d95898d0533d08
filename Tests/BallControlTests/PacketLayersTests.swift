import BluetoothHost
import Expectations
import LinuxTestSupport

@testable import BallControl

@Suite("The layers of all packets of a visit")
struct VisitLayersTests {
  let packets: [LayeredPacket]

  init() {
    let layers = PacketLayers()
    packets = Visit.asking("Will it rain?").filter(\.isBall).map { entry in
      let packet = layers.layers(of: entry.packet.span, entry.direction)
      expect(packet.isWhole(entry.packet))
      return packet
    }
  }

  @Test("A question and its answer pass each layer")
  func question() throws {
    let link = try #require(packets.lazy.compactMap(\.link).first)
    let lines = packets.map(\.lines)
    let asked = try #require(lines.firstIndex { $0.last == "Ball: Question “Will it rain?”" })
    expect(
      lines[asked],
      is: [
        "HCI: ACL data, link \(link)", "L2CAP: channel 4: ATT", "ATT: Write Request",
        "GATT: Question", "Ball: Question “Will it rain?”",
      ])
    let answered = try #require(lines.firstIndex { $0.last?.hasPrefix("Ball: Answer “") == true })
    expect(lines[answered].dropLast().last, is: "GATT: Answer")
    expect(lines[answered].contains("ATT: Handle Value Notification"))
    expect(answered > asked)
    // H4 type, handle and length; length and channel; opcode and handle; nothing for GATT; the
    // text.
    expect(packets[asked].layers.map(\.bytes.count), is: [5, 4, 3, 0, "Will it rain?".utf8.count])
  }

  @Test("A central connects, subscribes, unsubscribes and disconnects")
  func visit() {
    let meanings = packets.compactMap { $0.text(.ball) }.filter { !$0.hasPrefix("Answer “") }
    expect(
      meanings,
      is: [
        "advertises", "a central connects: F0:00:00:00:00:02", "advertises",
        "subscribes to answers", "Question “Will it rain?”", "unsubscribes",
        "the central disconnects, by the other side",
      ])
  }

  @Test("The discovery of the service has its texts")
  func discovery() {
    let found = packets.compactMap { $0.text(.gatt) }
    expect(found.contains("where in 0x0001 to 0xFFFF is the service Magic 8-Ball?"))
    expect(found.contains("service Magic 8-Ball, 0x001B to 0x0020"))
    expect(found.contains("which characteristics are in 0x001B to 0x0020?"))
    expect(found.contains("declaration of Question; declaration of Answer"))
    expect(found.contains("Answer: Client Characteristic Configuration"))
  }

  @Test("Commands that configure the controller are setup; its buffer credits are credit")
  func kinds() {
    for packet in packets {
      let text = packet.text(.hci) ?? ""
      switch packet.kind {
      case .credit: expect(text.hasPrefix("Number Of Completed Packets"))
      case .setup: expect(packet.layers.count, is: 1)
      case nil: expect(!text.hasPrefix("Number Of Completed Packets"))
      }
      if text.contains("LE Set Advertising Enable") { expect(packet.kind, is: nil) }
      if text.contains("Reset") { expect(packet.kind, is: .setup) }
    }
    expect(packets.contains { $0.kind == .credit })
  }
}

extension LayeredPacket {
  /// The layers without their bytes: "HCI: …", "L2CAP: …".
  var lines: [String] { layers.map { "\($0.name.rawValue): \($0.text)" } }

  /// The text of the layer `name`; `nil` without it.
  func text(_ name: PacketLayer.Name) -> String? { layers.first { $0.name == name }?.text }

  /// Whether the layers' bytes, joined, are the packet, and each layer has a text.
  func isWhole(_ packet: [UInt8]) -> Bool {
    var end = 0
    for layer in layers {
      guard layer.bytes.lowerBound == end, !layer.text.isEmpty else { return false }
      end = layer.bytes.upperBound
    }
    return !layers.isEmpty && end == packet.count
  }

  /// The link in the first layer; `nil` if the packet has no data.
  fileprivate var link: String? {
    guard let text = text(.hci), text.hasPrefix("ACL data, link ") else { return nil }
    return String(text.dropFirst("ACL data, link ".count))
  }
}
