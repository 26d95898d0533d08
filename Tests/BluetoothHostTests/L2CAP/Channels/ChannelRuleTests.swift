import Expectations

@testable import BluetoothHost

/// Payloads of K-frames that a peer sends on an open channel, the owner's room, and why the channel
/// ends; `nil` if it goes on.
private typealias Rule = (frames: [[UInt8]], room: Int, end: ChannelEnd?)

/// The first K-frame of an SDU of `length` bytes, with `count` of them.
private func first(_ length: UInt16, _ count: Int) -> [UInt8] {
  Array(little: length) + [UInt8](counting: count)
}

// The device accepts SDUs of up to 200 bytes in K-frames of up to 100.
private let rules: [Row<Rule>] = [
  Row("as long as the MPS: 2 + 98 = 100", ([first(98, 98)], 1000, nil)),
  Row("longer than the MPS, 3.4.3: 2 + 99 = 101", ([first(99, 99)], 1000, .frameTooLong)),
  Row(
    "a later frame longer than the MPS, 3.4.3",
    ([first(200, 98), [UInt8](counting: 101)], 1000, .frameTooLong)),
  Row("an SDU as long as the MTU", ([first(200, 98), [UInt8](counting: 100), [1, 2]], 1000, nil)),
  Row("an SDU longer than the MTU, 3.4.3", ([first(201, 10)], 1000, .sduTooLong)),
  Row("an SDU of 64 kB", ([first(65_535, 10)], 1000, .sduTooLong)),
  Row("more bytes than the SDU has, 3.4.3", ([first(10, 11)], 1000, .sduOverrun)),
  Row("more bytes in a later frame, 3.4.3", ([first(10, 9), [1, 2]], 1000, .sduOverrun)),
  Row("no length of the SDU, 3.4.2", ([[]], 1000, .frameTooShort)),
  Row("half a length of the SDU, 3.4.2", ([[5]], 1000, .frameTooShort)),
  Row("as many frames as credits", ([first(9, 1), [1], [2]], 399, nil)),
  Row(
    "one frame more than credits, 10.1", ([first(9, 1), [1], [2], [3]], 399, .frameWithoutCredit)),
  Row("a frame though there were never credits, 10.1", ([first(1, 1)], 0, .frameWithoutCredit)),
  Row("empty frames within an SDU", ([first(2, 0), [], [1], [], [2]], 1000, nil)),
  Row("an empty SDU", ([[0, 0]], 1000, nil)),
]

/// A device whose channel 0 is open, CID 0x0040 here and 0x0041 at the peer.
private func openDevice(
  room: Int = 1000, credits: UInt16 = 3, peerMPS: UInt16 = 50
) throws -> ChannelDevice<ChannelOwner> {
  var owner = ChannelOwner()
  owner.listeners[0x0080] = ChannelListener(mtu: try #require(ChannelMTU(200)))
  owner.usualRoom = room
  let device = try ChannelDevice(owner)
  device.receive(0x14, 7, words(0x0080, 0x0041, 120, peerMPS, credits))
  expect(device.frames().count, is: 1)
  device.role.application.events = []
  return device
}

private let scenarios: [ChannelScenario] = [
  Scenario(
    "The owner gets SDUs reassembled, empty ones too",
    .receive(kFrame: [5, 0, 1, 2], to: 0x0040), .receive(kFrame: [3, 4], to: 0x0040),
    .also { expect($0.role.application.incoming[0], is: nil) }, .receive(kFrame: [5], to: 0x0040),
    .receive(kFrame: [0, 0], to: 0x0040), .receive(kFrame: [1, 0, 9], to: 0x0040),
    .also { expect($0.role.application.incoming[0], is: [[1, 2, 3, 4, 5], [], [9]]) }),
  Scenario(
    "A frame that is too long for the host ends the channel: 3.4.3",
    .also { $0.role.receiveOverlong(to: L2CAPChannel(rawValue: 0x0042), on: Connection(index: 0)) },
    .frames(),
    .also { $0.role.receiveOverlong(to: L2CAPChannel(rawValue: 0x0040), on: Connection(index: 0)) },
    .frames(signal(0x06, 2, words(0x0041, 0x0040))), .receive(0x07, 2, words(0x0041, 0x0040)),
    .events(.closed(0, .frameTooLong))),
  Scenario(
    "Credits are returned when the peer has half of them left, for bytes that the owner took",
    // 1000 / 100 = 10 credits.
    .repeat(4, .receive(kFrame: [1, 0, 7], to: 0x0040)), .frames(),
    // The owner has not consumed these bytes: room for 996 / 100 = 9, and the peer has 5 left.
    .set(\.usualRoom, 996), .receive(kFrame: [1, 0, 7], to: 0x0040), .frames(),
    // Room for 1000 / 100 = 10, and the peer has 5 left: 5 more.
    .set(\.usualRoom, 1000), .resume(), .frames(signal(0x16, 2, words(0x0040, 5)))),
  Scenario(
    "The peer has 65,535 credits at most", on: { try openDevice(room: .max) },
    .repeat(40_000, .receive(kFrame: [1, 0, 7], to: 0x0040)),
    // 65,535 − 40,000 = 25,535 are left, less than half.
    .frames(signal(0x16, 2, words(0x0040, 40_000)))),
  Scenario(
    "65,535 credits are accepted; one more ends the channel: 10.1",
    on: { try openDevice(credits: 0xFFFE) },
    .receive(0x16, 1, words(0x0041, 1)), .frames(), .receive(0x16, 2, words(0x0041, 1)),
    .frames(signal(0x06, 2, words(0x0041, 0x0040))), .receive(0x07, 2, words(0x0041, 0x0040)),
    .events(.closed(0, .tooManyCredits))),
  Scenario(
    "A frame has 2,048 bytes at most, which limits the wait for the link",
    on: { try ChannelDevice.listening() },
    .receive(0x14, 7, words(0x0080, 0x0041, 65_535, 65_533, 9)),
    .outgoing([[UInt8](counting: 4000)]),
    // 2,046 with the length of the SDU before them, and 1,954: together 4,000.
    .also { expect($0.frames().dropFirst().map(\.count), is: [4 + 2048, 4 + 1954]) }),
  Scenario(
    "An SDU longer than the peer's MTU closes the channel unsent",
    .outgoing([[UInt8](counting: 121)]), .resume(), .frames(signal(0x06, 2, words(0x0041, 0x0040))),
    .receive(0x07, 2, words(0x0041, 0x0040)), .events(.closed(0, .invalidSDU))),
  Scenario(
    "An owner that writes too few bytes closes the channel before the frame",
    .set(\.shortage, 1), .outgoing([[1, 2, 3]]), .resume(),
    .frames(signal(0x06, 2, words(0x0041, 0x0040))), .receive(0x07, 2, words(0x0041, 0x0040)),
    .events(.closed(0, .invalidSDU))),
]

@Suite("Channels: the rules of K-frames and credits")
struct ChannelRuleTests {
  @Test("Data and credits", arguments: scenarios)
  func scenario(_ scenario: ChannelScenario) throws { try scenario.run(on: openDevice()) }

  @Test("A peer that breaks a rule loses only the channel", arguments: rules)
  fileprivate func rule(row: Row<Rule>) throws {
    let device = try openDevice(room: row.value.room)
    for frame in row.value.frames { device.receive(kFrame: frame, to: 0x0040) }
    if let end = row.value.end {
      // Frames before the response are ignored; the first reason counts.
      device.receive(kFrame: first(1, 1), to: 0x0040)
      device.role.disconnect(0)
      expect(device.role.application.events, is: [])
      expect(device.frames(), is: [signal(0x06, 2, words(0x0041, 0x0040))])
      device.receive(kFrame: first(1, 1), to: 0x0040)
      device.receive(0x07, 2, words(0x0041, 0x0040))
      expect(device.role.application.events, is: [.closed(0, end)])
      expect(device.frames(), is: [])
      expect(device.role.count, is: 0)
      expect(device.role.deadline, is: nil)
    } else {
      expect(device.role.application.events, is: [])
      expect(device.role.count, is: 1)
    }
  }

  @Test(
    "0 credits, and credits for unknown channels, are ignored: 10.1",
    arguments: [0x0041, 0x0040, 0])
  func noCredits(cid: UInt16) throws {
    let device = try openDevice(credits: 0xFFFF)
    device.receive(0x16, 1, words(cid, cid == 0x0041 ? 0 : 1))
    expect(device.frames(), is: [])
    expect(device.role.count, is: 1)
  }

  @Test("An SDU is sent in frames of the peer's MPS, one credit each, and waits for credits")
  func sending() throws {
    let device = try openDevice(credits: 2)
    let sdu = [UInt8](counting: 120)
    device.role.application.outgoing[0] = [sdu, []]
    expect(!device.hasPacket(on: 0))
    device.role.resume(0)
    expect(device.hasPacket(on: 0))
    // MPS 50: 2 + 48, then 50; 120 − 98 = 22 are left.
    expect(
      device.frames(),
      is: [
        l2cap(0x0041, Array(little: 120) + sdu[..<48]), l2cap(0x0041, Array(sdu[48..<98])),
      ])
    expect(!device.hasPacket(on: 0))
    device.role.resume(0)
    expect(device.frames(), is: [])
    device.receive(0x16, 1, words(0x0041, 1))
    expect(device.frames(), is: [l2cap(0x0041, Array(sdu[98...]))])
    expect(device.role.application.events, is: [.sent(0)])
    device.receive(0x16, 2, words(0x0041, 9))
    expect(device.frames(), is: [l2cap(0x0041, [0, 0])])
    expect(device.role.application.events, is: [.sent(0), .sent(0)])
  }

  @Test("An owner that stops in the middle of a frame closes the channel after the frame")
  func shortRest() throws {
    let device = try openDevice()
    device.role.application.outgoing[0] = [[1, 2] + [UInt8](repeating: 3, count: 40)]
    device.role.resume(0)
    // 18 bytes a packet: 4 + 2 + 12, then 18, then 12 of the 42.
    expect(device.nextPacket(length: 18)?.data.count, is: 18)
    device.role.application.shortage = 1
    let rest = try #require(device.nextPacket(length: 18))
    expect(!rest.starts)
    expect(rest.data, is: [UInt8](repeating: 3, count: 17) + [0])
    expect(device.nextPacket(length: 18)?.data.count, is: 12)
    expect(device.frames(), is: [signal(0x06, 2, words(0x0041, 0x0040))])
  }
}
