import Expectations

@testable import BluetoothHost

/// The listener on SPSM 0x0080, the link's protection, a request, and the result that refuses it.
private typealias Refusal = (
  listener: ChannelListener, protection: LinkProtection, request: [UInt8], result: UInt16
)

private func request(
  _ spsm: UInt16 = 0x0080, cid: UInt16 = 0x0041, mtu: UInt16 = 100, mps: UInt16 = 50
) -> [UInt8] { words(spsm, cid, mtu, mps, 3) }

private func link(_ key: Bool, _ encrypted: Bool, _ authenticated: Bool, _ size: Int)
  -> LinkProtection
{
  LinkProtection(hasKey: key, isEncrypted: encrypted, isAuthenticated: authenticated, keySize: size)
}

private func listens(
  _ security: ChannelListener.Security, keySize: Int = 7, isAuthorized: Bool = true
) -> ChannelListener {
  ChannelListener(mtu: .minimum, security: security, keySize: keySize, isAuthorized: isAuthorized)
}

private let refusals: [Row<Refusal>] = [
  Row("another SPSM", (listens(.none), .none, request(0x0081), 0x0002)),
  Row("SPSM 0", (listens(.none), .none, request(0), 0x0002)),
  Row("SPSM 0x0180", (listens(.none), .none, request(0x0180), 0x0002)),
  Row("no key", (listens(.encryption), .none, request(), 0x0005)),
  Row("no key for authentication", (listens(.authentication), .none, request(), 0x0005)),
  Row(
    "a key without protection",
    (listens(.authentication), link(true, true, false, 16), request(), 0x0005)),
  Row("not authorized", (listens(.none, isAuthorized: false), .none, request(), 0x0006)),
  Row(
    "not authorized, though encrypted",
    (listens(.encryption, isAuthorized: false), link(true, true, true, 16), request(), 0x0006)),
  Row(
    "a key of 15 bytes",
    (listens(.encryption, keySize: 16), link(true, true, true, 15), request(), 0x0007)),
  Row(
    "a key, but no encryption",
    (listens(.encryption), link(true, false, true, 16), request(), 0x0008)),
  Row("CID 0x003F", (listens(.none), .none, request(cid: 0x003F), 0x0009)),
  Row("CID 0x0080", (listens(.none), .none, request(cid: 0x0080), 0x0009)),
  Row("CID 0", (listens(.none), .none, request(cid: 0), 0x0009)),
  Row("MTU 22", (listens(.none), .none, request(mtu: 22), 0x000B)),
  Row("MPS 22", (listens(.none), .none, request(mps: 22), 0x000B)),
  Row("MPS 65,534", (listens(.none), .none, request(mps: 65_534), 0x000B)),
]

private let scenarios: [ChannelScenario] = [
  Scenario(
    "A link with enough protection gets a channel",
    on: { try ChannelDevice.listening(listens(.authentication, keySize: 16)) },
    .also { $0.protection = link(true, true, true, 16) },
    .receive(0x14, 7, request()),
    // CID 0x0040, MTU 23, MPS 100, 1000 / 100 = 10 credits, result 0.
    .frames(signal(0x15, 7, words(0x0040, 23, 100, 10, 0))),
    .events(.opened(0, spsm: 0x0080, link: 0, peerMTU: 100))),
  Scenario(
    "A source CID in use on the link is refused with 0x000A",
    .receive(0x14, 7, request()), .frameCount(1),
    .receive(0x14, 8, request()),
    .frames(signal(0x15, 8, words(0, 0, 0, 0, 0x000A))),
    .receive(0x14, 8, request(), on: 1),
    .frames(signal(0x15, 8, words(0x0041, 23, 100, 10, 0)), on: 1)),
  Scenario(
    "A repeated request gets one response",
    .receive(0x14, 7, request()),
    .receive(0x14, 7, request()),
    .frames(signal(0x15, 7, words(0x0040, 23, 100, 10, 0))), .count(1)),
  Scenario(
    "A channel opens with 0 credits if its owner has no room, and gives credits later",
    .set(\.usualRoom, 99), .receive(0x14, 7, request()),
    .frames(signal(0x15, 7, words(0x0040, 23, 100, 0, 0))), .set(\.usualRoom, 300), .frames(),
    .resume(), .hasPacket(true), .frames(signal(0x16, 2, words(0x0040, 3))), .hasPacket(false)),
  Scenario(
    "A request is sent once, and the response opens the channel",
    on: { try ChannelDevice.listening(nil) },
    .also { device in
      let mtu = try #require(ChannelMTU(2000))
      expect(device.role.open(.firstDynamic, mtu: mtu, at: 1), is: 0)
    },
    .also { expect($0.role.pendingConnections, is: ConnectionSet(rawValue: 0b10)) }, .frames(),
    .frames(signal(0x14, 2, words(0x0080, 0x0040, 2000, 100, 10)), on: 1),
    .also { expect($0.role.pendingConnections, is: .none) },
    .receive(0x15, 2, words(0x0055, 500, 64, 4, 0), on: 1),
    .events(.opened(0, spsm: 0x0080, link: 1, peerMTU: 500)), .deadline(nil)),
  Scenario(
    "A Command Reject of the request ends the channel", on: { try ChannelDevice.requesting() },
    .receive(0x01, 2, [0, 0]), .events(.closed(0, .rejected)), .frames()),
  Scenario(
    "A response with the CID of another channel ends both: 4.23",
    on: { try ChannelDevice.requesting(2) },
    .receive(0x15, 2, words(0x0055, 500, 64, 4, 0)),
    .receive(0x15, 3, words(0x0055, 500, 64, 4, 0)),
    .events(
      .opened(0, spsm: 0x0080, link: 0, peerMTU: 500), .closed(0, .invalidResponse),
      .closed(1, .invalidResponse)),
    .count(0)),
]

@Suite("Channels: opening")
struct ChannelOpeningTests {
  @Test("Channels open, or not", arguments: scenarios)
  func scenario(_ scenario: ChannelScenario) throws {
    try scenario.run(on: ChannelDevice.listening())
  }

  @Test("A refused request gets the result with the reason", arguments: refusals)
  fileprivate func refused(row: Row<Refusal>) throws {
    let device = try ChannelDevice.listening(row.value.listener)
    device.protection = row.value.protection
    device.receive(0x14, 7, row.value.request)
    expect(device.frames(), is: [signal(0x15, 7, words(0, 0, 0, 0, row.value.result))])
    expect(device.role.application.events, is: [])
    expect(device.role.count, is: 0)
  }

  @Test("One peer gets seven of eight channels, then 0x0004; the other gets the last one")
  func fullTable() throws {
    let device = try ChannelDevice.listening()
    for number in 0..<8 { device.receive(0x14, 7, request(cid: 0x0041 + UInt16(number))) }
    // One of 8 channels is reserved for the other link: 8 − 1 = 7.
    let responses = device.frames()
    expect(responses.filter { $0.suffix(2) == [0, 0] }.count, is: 7)
    expect(responses.contains(signal(0x15, 7, words(0, 0, 0, 0, 0x0004))))
    device.receive(0x14, 9, request(), on: 1)
    expect(device.frames(on: 1), is: [signal(0x15, 9, words(0x0047, 23, 100, 10, 0))])
    expect(device.role.open(.firstDynamic, mtu: .minimum, at: 0), is: nil)
  }

  // MARK: Requesting

  @Test("No channel opens without a link, or at an invalid index", arguments: [-1, 0, 2])
  func noLink(link: Int) throws {
    let device = try ChannelDevice.listening(nil)
    device.lose(0)
    expect(device.role.open(.firstDynamic, mtu: .minimum, at: link), is: nil)
  }

  @Test(
    "A refusal ends the channel with any result",
    arguments: [2, 4, 5, 6, 7, 8, 9, 10, 11, 0x0001, 0xFFFF])
  func askingInVain(result: UInt16) throws {
    let device = try ChannelDevice.requesting()
    device.receive(0x15, 2, words(0x0055, 500, 64, 4, result))
    expect(
      device.role.application.events,
      is: [.closed(0, .refused(LECreditBasedConnectionResult(rawValue: result)))])
    expect(device.role.count, is: 0)
  }

  @Test("A response with a CID out of range ends the channel", arguments: [0, 0x003F, 0x0080])
  func invalidCID(cid: UInt16) throws {
    let device = try ChannelDevice.requesting(2)
    device.receive(0x15, 2, words(cid, 500, 64, 4, 0))
    expect(device.role.application.events, is: [.closed(0, .invalidResponse)])
    expect(device.frames(), is: [])
    expect(device.role.deadline, is: Instant(rawValue: 30_000))
  }

  @Test(
    "A response with an MTU or an MPS out of range ends the channel at both ends",
    arguments: [words(0x0055, 22, 64, 4, 0), words(0x0055, 500, 22, 4, 0)])
  func invalidSize(response: [UInt8]) throws {
    let device = try ChannelDevice.requesting()
    device.receive(0x15, 2, response)
    expect(device.frames(), is: [signal(0x06, 3, words(0x0055, 0x0040))])
    device.receive(0x07, 3, words(0x0055, 0x0040))
    expect(device.role.application.events, is: [.closed(0, .invalidResponse)])
  }

  @Test("A channel's CID differs from that of the previous channel with its number")
  func nextCID() throws {
    let device = try ChannelDevice.listening(nil)
    var cids: [UInt16] = []
    for identifier in UInt8(2)...10 {
      _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
      let frame = try #require(device.frames().first)
      cids.append(UInt16(frame[10]) | UInt16(frame[11]) << 8)
      device.receive(0x15, identifier, words(0, 0, 0, 0, 4))
    }
    // 64 CIDs for 8 channels: each has 8 in turn.
    expect(cids, is: [0x40, 0x48, 0x50, 0x58, 0x60, 0x68, 0x70, 0x78, 0x40])
  }
}
