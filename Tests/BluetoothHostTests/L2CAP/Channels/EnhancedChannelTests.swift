import Expectations

@testable import BluetoothHost

/// A request for channels on SPSM 0x0080.
private func request(
  _ cids: UInt16..., spsm: UInt16 = 0x0080, mtu: UInt16 = 100, mps: UInt16 = 64,
  credits: UInt16 = 3
) -> [UInt8] { words(spsm, mtu, mps, credits) + cids.flatMap { Array(little: $0) } }

private func listens(
  _ security: ChannelListener.Security = .none, mtu: UInt16 = 80, hasRoom: Bool = true,
  isEnhancedOnly: Bool = false
) -> ChannelListener {
  ChannelListener(
    mtu: ChannelMTU(mtu) ?? .minimum, security: security, hasRoom: hasRoom,
    isEnhancedOnly: isEnhancedOnly)
}

private func link(key: Bool, encrypted: Bool) -> LinkProtection {
  LinkProtection(hasKey: key, isEncrypted: encrypted, isAuthenticated: false, keySize: 16)
}

/// The listener on SPSM 0x0080, the link's protection, a request, and the response to it.
private typealias Answer = (
  listener: ChannelListener, protection: LinkProtection, request: [UInt8], response: [UInt8]
)

// The device's MPS is 100 bytes, its owner has room for 1,000: 10 credits.
private let answers: [Row<Answer>] = [
  Row("one channel", (listens(), .none, request(0x41), words(80, 100, 10, 0, 0x40))),
  Row(
    "five channels",
    (
      listens(), .none, request(0x41, 0x42, 0x43, 0x44, 0x45),
      words(80, 100, 10, 0, 0x40, 0x41, 0x42, 0x43, 0x44)
    )),
  Row(
    "a CID out of range: the others open",
    (
      listens(), .none, request(0x41, 0x3F, 0x43), words(80, 100, 10, 9, 0x40, 0, 0x41)
    )),
  Row(
    "a CID twice: the first opens",
    (listens(), .none, request(0x41, 0x41, 0x42), words(80, 100, 10, 10, 0x40, 0, 0x41))),
  Row("another SPSM", (listens(), .none, request(0x41, 0x42, spsm: 0x81), words(0, 0, 0, 2, 0, 0))),
  Row("SPSM 0x0180", (listens(), .none, request(0x41, spsm: 0x180), words(0, 0, 0, 2, 0))),
  Row("no key", (listens(.encryption), .none, request(0x41), words(0, 0, 0, 5, 0))),
  Row(
    "a key, but no encryption",
    (
      listens(.encryption), link(key: true, encrypted: false), request(0x41, 0x42),
      words(0, 0, 0, 8, 0, 0)
    )),
  Row(
    "encryption",
    (
      listens(.encryption), link(key: true, encrypted: true), request(0x41),
      words(80, 100, 10, 0, 0x40)
    )),
  Row("no room", (listens(hasRoom: false), .none, request(0x41), words(0, 0, 0, 4, 0))),
  Row("MTU 63", (listens(), .none, request(0x41, mtu: 63), words(0, 0, 0, 11, 0))),
  Row("MTU 64", (listens(), .none, request(0x41, mtu: 64), words(80, 100, 10, 0, 0x40))),
  Row("MPS 63", (listens(), .none, request(0x41, mps: 63), words(0, 0, 0, 11, 0))),
  Row("MPS 65,534", (listens(), .none, request(0x41, mps: 65_534), words(0, 0, 0, 11, 0))),
  Row("no credits", (listens(), .none, request(0x41, credits: 0), words(0, 0, 0, 11, 0))),
  Row(
    "a listener with a short MTU",
    (listens(mtu: 63), .none, request(0x41), words(0, 0, 0, 2, 0))),
]

/// A device with enhanced channels 0 and 1, CIDs 0x0041 and 0x0042 at the peer, and one of the other
/// kind, 0x0043. The peer's MTU is 100 and its MPS 80.
private func deviceWithThree() throws -> ChannelDevice<ChannelOwner> {
  let device = try ChannelDevice.listening(listens())
  device.receive(0x17, 7, request(0x41, 0x42, mps: 80))
  device.receive(0x14, 8, words(0x0080, 0x43, 100, 80, 3))
  expect(device.frames().count, is: 2)
  device.role.application.events = []
  return device
}

/// The data of a request for changes, and the result.
private let changes: [Row<(request: [UInt8], result: UInt16)>] = [
  Row("a longer MTU", (words(101, 80, 0x41), 0)),
  Row("both channels", (words(101, 90, 0x41, 0x42), 0)),
  Row("a shorter MPS of one channel", (words(100, 64, 0x41), 0)),
  Row("a shorter MTU", (words(99, 80, 0x41), 1)),
  Row("a shorter MPS of two channels", (words(100, 79, 0x41, 0x42), 2)),
  Row("an unknown CID", (words(101, 80, 0x41, 0x50), 3)),
  Row("a CID twice", (words(101, 80, 0x41, 0x41), 3)),
  Row("a channel of the other kind", (words(101, 80, 0x43), 3)),
  Row("CID 0", (words(101, 80, 0), 3)),
  Row("MTU 63", (words(63, 80, 0x41), 4)),
  Row("MPS 63", (words(100, 63, 0x41), 4)),
  Row("MPS 65,534", (words(100, 65_534, 0x41), 4)),
]

/// A device that has requested three channels: 0x0040, 0x0041 and 0x0042.
private func requesting() throws -> ChannelDevice<ChannelOwner> {
  let device = try ChannelDevice(ChannelOwner())
  let opened = device.role.open(3, of: .firstDynamic, mtu: try #require(ChannelMTU(90)), at: 0)
  expect(opened?.rawValue, is: 0b111)
  // SPSM 0x0080, MTU 90, MPS 100, 10 credits.
  expect(
    device.frames(), is: [signal(0x17, 2, words(0x80, 90, 100, 10, 0x40, 0x41, 0x42))])
  return device
}

private let scenarios: [ChannelScenario] = [
  Scenario(
    "Three channels open at once", on: requesting,
    .receive(0x18, 2, words(200, 64, 4, 0, 0x50, 0x51, 0x52)),
    .events(
      .opened(0, spsm: 0x80, link: 0, peerMTU: 200), .opened(1, spsm: 0x80, link: 0, peerMTU: 200),
      .opened(2, spsm: 0x80, link: 0, peerMTU: 200)),
    .deadline(nil), .outgoing([[1, 2]], on: 1), .resume(1), .frames(l2cap(0x51, [2, 0, 1, 2]))),
  Scenario(
    "Those with a CID open if some are refused", on: requesting,
    .receive(0x18, 2, words(200, 64, 4, 4, 0x50, 0, 0x52)),
    .events(
      .opened(0, spsm: 0x80, link: 0, peerMTU: 200), .closed(1, .refused(.noResourcesAvailable)),
      .opened(2, spsm: 0x80, link: 0, peerMTU: 200)),
    .deadline(nil)),
  Scenario(
    "A response that refuses all has no CIDs", on: requesting,
    .receive(0x18, 2, words(0, 0, 0, 5)),
    .events(
      .closed(0, .refused(.insufficientAuthentication)),
      .closed(1, .refused(.insufficientAuthentication)),
      .closed(2, .refused(.insufficientAuthentication))),
    .count(0), .deadline(nil)),
  Scenario(
    "The CIDs of a response that refuses all mean nothing", on: requesting,
    .receive(0x18, 2, words(100, 64, 3, 2, 0x50, 0x51, 0x52)), .count(0)),
  Scenario(
    "Fewer CIDs than channels in a response without a refusal: the rest did not open",
    on: requesting, .receive(0x18, 2, words(200, 64, 4, 0, 0x50)),
    .events(
      .opened(0, spsm: 0x80, link: 0, peerMTU: 200), .closed(1, .invalidResponse),
      .closed(2, .invalidResponse))),
  Scenario(
    "A CID twice in a response ends both channels: 4.26", on: requesting,
    .receive(0x18, 2, words(200, 64, 4, 0, 0x50, 0x51, 0x50)),
    .events(
      .opened(0, spsm: 0x80, link: 0, peerMTU: 200), .opened(1, spsm: 0x80, link: 0, peerMTU: 200),
      .closed(0, .invalidResponse), .closed(2, .invalidResponse)),
    .count(1), .deadline(nil)),
  Scenario(
    "An MTU below 64 in a response closes the channels", on: requesting,
    .receive(0x18, 2, words(63, 64, 4, 0, 0x50, 0x51, 0x52)), .events(), .frameCount(3)),
  Scenario(
    "A response of the other kind, or to another request, changes nothing", on: requesting,
    .receive(0x15, 2, words(0x50, 200, 64, 4, 0)),
    .receive(0x18, 3, words(200, 64, 4, 0, 0x50, 0x51, 0x52)), .events(), .count(3)),
  Scenario(
    "A Command Reject ends all channels of the request", on: requesting,
    .receive(0x01, 2, [0, 0]),
    .events(.closed(0, .rejected), .closed(1, .rejected), .closed(2, .rejected)), .deadline(nil)),
  Scenario(
    "Without a response all channels end after 30 s", on: requesting, .wait(29_999), .count(3),
    .wait(1), .events(.closed(0, .timedOut), .closed(1, .timedOut), .closed(2, .timedOut))),
  Scenario(
    "A response that puts the answer off gives the peer 60 s more, once: 6.2.2", on: requesting,
    .wait(10_000), .receive(0x18, 2, words(0, 0, 0, 0x0E)), .deadline(90_000),
    .receive(0x18, 2, words(0, 0, 0, 0x0D)), .deadline(90_000),
    .receive(0x18, 2, words(200, 64, 4, 0, 0x50, 0x51, 0x52)), .deadline(nil), .count(3)),
  Scenario(
    "A channel that the program closes meanwhile is closed when it opens", on: requesting,
    .disconnect(1), .frames(), .receive(0x18, 2, words(200, 64, 4, 0, 0x50, 0x51, 0x52)),
    .frames(signal(0x06, 3, words(0x51, 0x41))), .receive(0x07, 3, words(0x51, 0x41)),
    .lastEvent(.closed(1, .closed))),
  Scenario(
    "The link's end closes all of them", on: requesting, .lose(0, reason: .connectionTimeout),
    .count(0), .deadline(nil)),
  Scenario(
    "Two requests have a group each", on: { try ChannelDevice(ChannelOwner()) },
    .open(2), .open(1),
    .frames(
      signal(0x17, 2, words(0x80, 64, 100, 10, 0x40, 0x41)),
      signal(0x17, 3, words(0x80, 64, 100, 10, 0x42))),
    .receive(0x18, 3, words(200, 64, 4, 0, 0x50)),
    .receive(0x18, 2, words(200, 64, 4, 0, 0x51, 0x52)),
    .events(
      .opened(2, spsm: 0x80, link: 0, peerMTU: 200), .opened(0, spsm: 0x80, link: 0, peerMTU: 200),
      .opened(1, spsm: 0x80, link: 0, peerMTU: 200))),
  Scenario(
    "A request and a response wait for room, since each channel gets a credit",
    on: { try ChannelDevice.listening(listens()) },
    .set(\.usualRoom, 99), .open(2), .receive(0x17, 7, request(0x41)), .frames(),
    .set(\.usualRoom, 200), .resume(0), .resume(2),
    .frames(
      signal(0x17, 2, words(0x80, 64, 100, 2, 0x40, 0x41)),
      signal(0x18, 7, words(80, 100, 2, 0, 0x42)))),
  Scenario(
    "A repeated request gets one response", on: { try ChannelDevice.listening(listens()) },
    .receive(0x17, 7, request(0x41)), .receive(0x17, 7, request(0x41)),
    .frames(signal(0x18, 7, words(80, 100, 10, 0, 0x40))), .count(1)),
  Scenario(
    "A source CID in use is refused, and the others open",
    on: { try ChannelDevice.listening(listens()) },
    .receive(0x17, 7, request(0x41)), .receive(0x17, 8, request(0x42, 0x41)),
    .frames(
      signal(0x18, 7, words(80, 100, 10, 0, 0x40)), signal(0x18, 8, words(80, 100, 10, 10, 0x41, 0))
    )),
  Scenario(
    "A peer that requests more than there is room for gets some",
    on: { try ChannelDevice.listening(listens()) },
    // Of eight channels one stays for the other link.
    .receive(0x17, 7, request(0x41, 0x42, 0x43, 0x44, 0x45)),
    .receive(0x17, 8, request(0x46, 0x47, 0x48)),
    .frames(
      signal(0x18, 7, words(80, 100, 10, 0, 0x40, 0x41, 0x42, 0x43, 0x44)),
      signal(0x18, 8, words(80, 100, 10, 4, 0x45, 0x46, 0))),
    .receive(0x17, 9, request(0x49)), .frames(signal(0x18, 9, words(0, 0, 0, 4, 0)))),
  Scenario(
    "A listener for enhanced channels alone refuses the other request",
    on: { try ChannelDevice.listening(listens(isEnhancedOnly: true)) },
    .receive(0x14, 7, words(0x80, 0x41, 100, 64, 3)),
    .frames(signal(0x15, 7, words(0, 0, 0, 0, 2))),
    .receive(0x17, 8, request(0x41)), .frames(signal(0x18, 8, words(80, 100, 10, 0, 0x40)))),
  Scenario(
    "Requests with no CID, six or half a one are rejected",
    on: { try ChannelDevice.listening(listens()) },
    .receive(0x17, 7, request()), .receive(0x17, 8, request(0x41, 0x42, 0x43, 0x44, 0x45, 0x46)),
    .receive(0x17, 9, request(0x41) + [0]), .receive(0x19, 10, words(100, 64)), .count(0),
    .frames(
      signal(0x01, 7, [0, 0]), signal(0x01, 8, [0, 0]),
      signal(0x18, 9, words(0, 0, 0, 2, 0)), signal(0x01, 10, [0, 0]))),
  Scenario(
    "Longer SDUs go out after the peer has changed its MTU", on: deviceWithThree,
    .receive(0x19, 9, words(150, 64, 0x42)), .frames(signal(0x1A, 9, [0, 0])),
    .events(.reconfigured(1, peerMTU: 150)),
    .outgoing([[UInt8](repeating: 5, count: 150)], on: 1), .resume(1), .frameCount(3)),
  Scenario(
    "A response to a change that was not requested means nothing", on: deviceWithThree,
    .receive(0x1A, 9, [0, 0]), .frames(), .events()),
]

@Suite("Channels: several at once")
struct EnhancedChannelTests {
  @Test("Enhanced channels open, or not", arguments: scenarios)
  func scenario(_ scenario: ChannelScenario) throws {
    try scenario.run(on: ChannelDevice.listening())
  }

  @Test("A request gets the response of 4.26", arguments: answers)
  fileprivate func answer(row: Row<Answer>) throws {
    let device = try ChannelDevice.listening(row.value.listener)
    device.protection = row.value.protection
    device.receive(0x17, 7, row.value.request)
    expect(device.frames(), is: [signal(0x18, 7, row.value.response)])
    let opened = stride(from: 8, to: row.value.response.count, by: 2).filter {
      row.value.response[$0] != 0
    }
    expect(device.role.count, is: opened.count)
    expect(device.role.application.events.count, is: opened.count)
  }

  @Test("A request for changes gets the result of 4.28, and all change or none", arguments: changes)
  fileprivate func change(row: Row<(request: [UInt8], result: UInt16)>) throws {
    let device = try deviceWithThree()
    device.receive(0x19, 9, row.value.request)
    expect(device.frames(), is: [signal(0x1A, 9, words(row.value.result))])
    expect(device.role.application.events.isEmpty, is: row.value.result != 0)
  }

  @Test("A device opens one to five channels, with an MTU and an MPS of at least 64")
  func limits() throws {
    let device = try ChannelDevice(ChannelOwner())
    let mtu = try #require(ChannelMTU(64))
    expect(device.role.open(0, of: .firstDynamic, mtu: mtu, at: 0), is: nil)
    expect(device.role.open(6, of: .firstDynamic, mtu: mtu, at: 0), is: nil)
    expect(device.role.open(1, of: .firstDynamic, mtu: mtu, at: 2), is: nil)
    expect(
      device.role.open(1, of: .firstDynamic, mtu: try #require(ChannelMTU(63)), at: 0), is: nil)
    expect(device.role.open(5, of: .firstDynamic, mtu: mtu, at: 0)?.rawValue, is: 0b1_1111)
    expect(device.role.open(4, of: .firstDynamic, mtu: mtu, at: 0), is: nil)
    expect(device.role.count, is: 5)
    let short = try ChannelDevice(ChannelOwner(), mps: 63)
    expect(short.role.open(1, of: .firstDynamic, mtu: mtu, at: 0), is: nil)
  }
}
