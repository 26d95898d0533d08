import BluetoothHost
import Expectations
import LinuxTestSupport

@Suite("docs/design/data-path.md")
struct DataPathTests {
  /// Commands and events have an order, and data has another one: where both may be sent, the page may
  /// show either first.
  @Test("The sides send the packets that the page shows, in its order")
  func packets() throws {
    let visits = ["": Visit.asking("Will it rain?"), "statement": Visit.asking("It will rain.")]
    var rest: [String: ArraySlice<Visit.Entry>] = [:]
    var count = 0

    for block in try Document("docs/design/data-path.md").blocks where block.tag.hasPrefix("hex ") {
      let parts = block.tag.dropFirst(4).split(separator: ",").map { trim($0) }
      let story = parts.count > 1 ? parts[1] : ""
      let location = "docs/design/data-path.md:\(block.line)"
      let way = try #require(Way(parts[0]), "\(location) has no sender and receiver")
      let shown = try #require(bytes(of: block.lines), "\(location) is not hexadecimal")
      let visit = try #require(visits[story], "\(location): there is no story “\(story)”")
      let isData = shown.first == HCIPacketType.acl.rawValue
      let kind = isData ? story + " data" : story
      let entries =
        rest[kind]
        ?? visit.filter { ($0.packet.first == HCIPacketType.acl.rawValue) == isData }[...]
      count += 1
      guard let index = entries.firstIndex(where: { way.isThat(of: $0) && $0.packet == shown })
      else {
        let similar = entries.filter {
          way.isThat(of: $0) && $0.packet.prefix(2) == shown.prefix(2)
        }
        Issue.record(
          """
          \(location) shows \(parts[0]):
            \(hexadecimal(shown))
          From there on these are sent:
            \(similar.map { hexadecimal($0.packet) }.joined(separator: "\n  "))
          """)
        continue
      }
      rest[kind] = entries[(index + 1)...]
    }
    expect(count >= 40)
  }
}

/// The side that a packet belongs to, and its direction.
private struct Way {
  let isBall: Bool
  let direction: PacketDirection

  init?(_ text: String) {
    switch text {
    case "ball to controller": (isBall, direction) = (true, .sent)
    case "controller to ball": (isBall, direction) = (true, .received)
    case "central to controller": (isBall, direction) = (false, .sent)
    case "controller to central": (isBall, direction) = (false, .received)
    default: return nil
    }
  }

  func isThat(of entry: Visit.Entry) -> Bool {
    entry.isBall == isBall && entry.direction == direction
  }
}
