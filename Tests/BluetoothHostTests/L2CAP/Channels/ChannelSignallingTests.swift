import Expectations

@testable import BluetoothHost

/// A command, and the responses of a device with an open channel, 0x0040 here and 0x0041 at the
/// peer. Another channel, 0x0041 here, waits for its response with the identifier 2.
private typealias Command = (frame: [UInt8], responses: [[UInt8]])

private func notUnderstood(_ identifier: UInt8) -> [UInt8] { signal(0x01, identifier, [0, 0]) }

private func invalid(_ identifier: UInt8, _ own: UInt16, _ other: UInt16) -> [UInt8] {
  signal(0x01, identifier, words(2, own, other))
}

private let request = words(0x0080, 0x0050, 100, 50, 3)
private let response = words(0x0050, 100, 50, 3, 0)

private let commands: [Row<Command>] = [
  Row("request cut short", (signal(0x14, 9, request.dropLast()), [notUnderstood(9)])),
  Row("request too long", (signal(0x14, 9, request + [0]), [notUnderstood(9)])),
  Row(
    "request with less than it states",
    (l2cap(5, [0x14, 9, 10, 0] + request.dropLast()), [notUnderstood(9)])),
  Row("request without a length", (l2cap(5, [0x14, 9]), [notUnderstood(9)])),
  Row("request with identifier 0", (signal(0x14, 0, request), [])),
  Row("one byte", (l2cap(5, [0x14]), [])),
  Row("response cut short", (signal(0x15, 2, response.dropLast()), [])),
  Row("response too long", (signal(0x15, 2, response + [0]), [])),
  Row("response with another identifier", (signal(0x15, 3, response), [])),
  Row("response with identifier 0", (signal(0x15, 0, response), [])),
  Row("credits cut short", (signal(0x16, 9, [0x41, 0, 1]), [])),
  Row("credits too long", (signal(0x16, 9, [0x41, 0, 1, 0, 0]), [])),
  Row("credits for no channel", (signal(0x16, 9, words(0x0042, 65_535)), [])),
  Row("credits for a channel that is not open", (signal(0x16, 9, words(0, 65_535)), [])),
  Row("disconnection cut short", (signal(0x06, 9, [0x40, 0, 0x41]), [notUnderstood(9)])),
  Row("disconnection too long", (signal(0x06, 9, [0x40, 0, 0x41, 0, 0]), [notUnderstood(9)])),
  Row(
    "disconnection of no channel",
    (signal(0x06, 9, words(0x0077, 0x0041)), [invalid(9, 0x0077, 0x0041)])),
  Row(
    "disconnection of a fixed channel",
    (signal(0x06, 9, words(0x0004, 0x0004)), [invalid(9, 0x0004, 0x0004)])),
  Row(
    "disconnection of a channel that is not open",
    (signal(0x06, 9, words(0x0041, 0)), [invalid(9, 0x0041, 0)])),
  Row("disconnection with another source CID: 4.6", (signal(0x06, 9, words(0x0040, 0x0042)), [])),
  Row("disconnection response without a request", (signal(0x07, 9, words(0x0041, 0x0040)), [])),
  Row(
    "disconnection response with a request's identifier",
    (signal(0x07, 2, words(0x0041, 0x0040)), [])),
  Row("reject of an unknown request", (notUnderstood(9), [])),
  Row(
    "enhanced request",
    (signal(0x17, 9, words(0x0080, 100, 64, 1, 0x0050)), [signal(0x18, 9, words(0, 0, 0, 2, 0))])),
  Row("unknown command", (signal(0x40, 9, []), [notUnderstood(9)])),
]

private let scenarios: [ChannelScenario] = [
  Scenario(
    "A repeated or late response is ignored",
    .repeat(2, .receive(0x15, 2, words(0x0051, 100, 50, 3, 0))),
    .events(.opened(0, spsm: 0x0080, link: 0, peerMTU: 100)), .disconnect(),
    .frames(signal(0x06, 3, words(0x0051, 0x0040))),
    .receive(0x15, 3, words(0x0052, 100, 50, 3, 0)),
    .repeat(2, .receive(0x07, 3, words(0x0051, 0x0040))),
    .receive(0x15, 2, words(0x0051, 100, 50, 3, 0)),
    .also { expect($0.role.application.events.count, is: 2) }, .count(0), .frames()),
  Scenario(
    "A response on another link is ignored",
    .receive(0x15, 2, words(0x0051, 100, 50, 3, 0), on: 1), .receive(0x01, 2, [0, 0], on: 1),
    .events(), .receive(0x15, 2, words(0x0051, 100, 50, 3, 0)),
    .receive(kFrame: [1, 0, 5], to: 0x0040, on: 1), .receive(0x16, 2, words(0x0051, 0xFFFF), on: 1),
    .receive(0x06, 2, words(0x0040, 0x0051), on: 1), .frames(invalid(2, 0x0040, 0x0051), on: 1),
    .incoming([:]), .count(1)),
  Scenario(
    "A disconnection response with another CID is ignored: 4.7",
    on: { try ChannelDevice.listening() },
    .receive(0x14, 7, words(0x0080, 0x0041, 100, 50, 3)), .disconnect(),
    // The connection response is first: until then, the peer knows no channel.
    .frames(signal(0x15, 7, words(0x0040, 23, 100, 10, 0)), signal(0x06, 2, words(0x0041, 0x0040))),
    .receive(0x07, 2, words(0x0042, 0x0040)), .receive(0x07, 2, words(0x0041, 0x0048)),
    .receive(0x07, 3, words(0x0041, 0x0040)), .count(1), .receive(0x07, 2, words(0x0041, 0x0040)),
    .count(0)),
]

@Suite("Channels: malformed and unexpected signalling")
struct ChannelSignallingTests {
  @Test("Late and misdirected responses", arguments: scenarios)
  func scenario(_ scenario: ChannelScenario) throws {
    try scenario.run(on: ChannelDevice.requesting())
  }

  @Test("It changes nothing, and gets the specification's response", arguments: commands)
  fileprivate func nothingChanges(row: Row<Command>) throws {
    let device = try ChannelDevice.listening()
    device.receive(0x14, 7, words(0x0080, 0x0041, 100, 50, 0xFFFF))
    expect(device.role.open(.firstDynamic, mtu: .minimum, at: 0), is: 1)
    expect(device.frames().count, is: 2)
    let events = device.role.application.events

    device.receive(row.value.frame)
    expect(device.frames(), is: row.value.responses)
    expect(device.role.application.events, is: events)
    expect(device.role.count, is: 2)

    // Both channels go on.
    device.receive(0x15, 2, words(0x0051, 100, 50, 3, 0))
    device.receive(kFrame: [1, 0, 5], to: 0x0040)
    device.receive(kFrame: [1, 0, 6], to: 0x0041)
    expect(device.role.application.incoming, is: [0: [[5]], 1: [[6]]])
    expect(device.frames(), is: [])
  }

  @Test("Identifiers are 2 to 255, without those of pending requests")
  func identifiers() throws {
    var owner = ChannelOwner()
    owner.listeners[0x0080] = ChannelListener(mtu: .minimum)
    owner.usualRoom = 100
    let device = try ChannelDevice(owner)
    device.receive(0x14, 7, words(0x0080, 0x0041, 100, 50, 3))
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
    expect(device.frames().count, is: 2)
    // The second channel's request has 2. Each frame on the first, with its one credit, gets
    // another.
    var identifiers: [UInt8] = []
    for _ in 0..<254 {
      device.receive(kFrame: [1, 0, 5], to: 0x0040)
      let frames = device.frames()
      expect(frames.count, is: 1)
      identifiers.append(frames.first.map { $0[5] } ?? 0)
    }
    expect(identifiers, is: Array(3...255) + [3])
  }
}
