import Expectations

@testable import BluetoothHost

/// A device whose channel 0 is open, CID 0x0040 here and 0x0041 at the peer.
private func openDevice() throws -> ChannelDevice<ChannelOwner> {
  let device = try ChannelDevice.listening()
  device.receive(0x14, 7, words(0x0080, 0x0041, 200, 100, 9))
  expect(device.frames().count, is: 1)
  device.role.application.events = []
  return device
}

private let scenarios: [ChannelScenario] = [
  Scenario(
    "A channel that the peer closes gets a response",
    .receive(0x06, 9, words(0x0040, 0x0041)), .events(.closed(0, .closedByPeer)),
    .frames(signal(0x07, 9, words(0x0040, 0x0041))),
    // The channel is unknown now.
    .receive(0x06, 10, words(0x0040, 0x0041)), .frames(signal(0x01, 10, words(2, 0x0040, 0x0041))),
    .receive(kFrame: [1, 0, 5], to: 0x0040), .incoming([:])),
  Scenario(
    "A channel that its owner closes sends no data and no credits",
    .outgoing([[1]]), .repeat(2, .disconnect()), .resume(),
    .frames(signal(0x06, 2, words(0x0041, 0x0040))), .disconnect(), .resume(),
    .receive(0x16, 9, words(0x0041, 5)), .frames(), .events(),
    .receive(0x07, 2, words(0x0041, 0x0040)), .events(.closed(0, .closed))),
  Scenario(
    "Both ends can close at once; late responses are ignored",
    .disconnect(), .frames(signal(0x06, 2, words(0x0041, 0x0040))),
    .receive(0x06, 9, words(0x0040, 0x0041)), .frames(signal(0x07, 9, words(0x0040, 0x0041))),
    .receive(0x01, 2, words(2, 0x0041, 0x0040)), .receive(0x07, 2, words(0x0041, 0x0040)),
    .events(.closed(0, .closed)), .frames()),
  Scenario(
    "A Command Reject closes a channel that is being closed",
    .disconnect(), .drop(), .receive(0x01, 2, words(2, 0x0041, 0x0040)),
    .events(.closed(0, .closed))),
  Scenario(
    "A channel that is closed before its request sends none",
    on: { try ChannelDevice(ChannelOwner()) },
    .open(), .disconnect(), .events(.closed(0, .closed)), .frames()),
  Scenario(
    "A channel closed while it is being opened is disconnected when it opens",
    on: { try ChannelDevice.requesting() },
    .disconnect(), .frames(), .receive(0x15, 2, words(0x0051, 100, 50, 3, 0)),
    .frames(signal(0x06, 3, words(0x0051, 0x0040))), .receive(0x07, 3, words(0x0051, 0x0040)),
    .events(.closed(0, .closed))),
  Scenario(
    "A channel closed while it is being opened ends with a refusal of the peer",
    on: { try ChannelDevice.requesting() },
    .disconnect(), .receive(0x15, 2, words(0, 0, 0, 0, 4)), .events(.closed(0, .closed)),
    .count(0)),
  Scenario(
    "Each request waits 30 s for its response", on: { try ChannelDevice(ChannelOwner()) },
    .open(), .deadline(nil), .drop(), .wait(10_000), .open(at: 1), .drop(on: 1), .deadline(30_000),
    .wait(19_999), .events(), .wait(1), .events(.closed(0, .timedOut)), .deadline(40_000),
    // A late response.
    .receive(0x15, 2, words(0x0051, 100, 50, 3, 0)), .receive(kFrame: [1, 0, 5], to: 0x0040),
    .wait(10_000), .events(.closed(0, .timedOut), .closed(1, .timedOut)), .incoming([:]),
    .deadline(nil), .count(0)),
  Scenario(
    "A channel without a Disconnection Response closes after 30 s",
    .receive(kFrame: [9], to: 0x0040), .frameCount(1), .wait(30_000),
    .events(.closed(0, .frameTooShort)), .deadline(nil)),
  Scenario(
    "A frame whose channel the peer closes keeps its length, filled with zeros",
    .outgoing([[UInt8](repeating: 7, count: 60)]), .resume(), .packet(27, count: 27),
    .receive(0x06, 9, words(0x0040, 0x0041)), .events(.closed(0, .closedByPeer)),
    // The channel's number is reused during the frame.
    .receive(0x14, 10, words(0x0080, 0x0042, 200, 100, 9)),
    .outgoing([[UInt8](repeating: 8, count: 10)]), .resume(),
    // 4 + 2 + 60 = 66 bytes. 27 have gone: 27 and 12 are left.
    .packet(27, [UInt8](repeating: 0, count: 27)), .packet(27, [UInt8](repeating: 0, count: 12)),
    .frames(
      signal(0x07, 9, words(0x0040, 0x0041)), signal(0x15, 10, words(0x0048, 23, 100, 10, 0)),
      l2cap(0x0042, [10, 0] + [UInt8](repeating: 8, count: 10)))),
  Scenario(
    "A lost link keeps the channels of the other link",
    .receive(0x14, 7, words(0x0080, 0x0041, 200, 100, 9), on: 1), .frameCount(1, on: 1),
    .lose(0, reason: .remoteUserTerminatedConnection),
    .lastEvent(.closed(0, .linkLost(.remoteUserTerminatedConnection))),
    .receive(kFrame: [1, 0, 5], to: 0x0041, on: 1), .incoming([1: [[5]]])),
]

@Suite("Channels: their end")
struct ChannelEndingTests {
  @Test("Channels end", arguments: scenarios)
  func scenario(_ scenario: ChannelScenario) throws { try scenario.run(on: openDevice()) }

  @Test("A frame is finished before its channel's Disconnection Request")
  func closedWithinFrame() throws {
    let device = try openDevice()
    device.role.application.outgoing[0] = [[UInt8](counting: 60)]
    device.role.resume(0)
    let start = try #require(device.nextPacket(length: 27))
    expect(device.isSending())
    device.role.disconnect(0)
    var frame = start.data
    while device.isSending(), let packet = device.nextPacket(length: 27) {
      expect(!packet.starts)
      frame += packet.data
    }
    expect(frame, is: l2cap(0x0041, Array(little: 60) + [UInt8](counting: 60)))
    expect(device.frames(), is: [signal(0x06, 2, words(0x0041, 0x0040))])
  }

  /// The steps of two channels, one requested by this device and one by the peer.
  private static let life: [@Sendable (ChannelDevice<ChannelOwner>) -> Void] = [
    { _ = $0.role.open(.firstDynamic, mtu: .minimum, at: 0) },
    { _ = $0.frames() },
    { $0.receive(0x14, 7, words(0x0080, 0x0051, 200, 100, 9)) },
    { $0.receive(0x15, 2, words(0x0041, 200, 100, 9, 0)) },
    { _ = $0.frames() },
    { $0.receive(kFrame: [5, 0, 1], to: 0x0040) },
    { $0.role.application.outgoing[0] = [[UInt8](counting: 150)] },
    { $0.role.resume(0) },
    { _ = $0.nextPacket(length: 27) },
    { _ = $0.frames() },
    { $0.role.disconnect(0) },
    { $0.receive(kFrame: [9], to: 0x0041) },
    { _ = $0.nextPacket(length: 27) },
    { _ = $0.nextPacket(length: 27) },
    { $0.receive(0x07, 3, words(0x0041, 0x0040)) },
  ]

  @Test("A lost link leaves no channel state", arguments: 0...15)
  func linkLost(steps: Int) throws {
    let device = try ChannelDevice.listening()
    for step in Self.life.prefix(steps) { step(device) }
    let opened = Set(
      device.role.application.events.compactMap {
        if case .opened(let channel, _, _, _) = $0 { channel } else { nil }
      })
    device.lose(0)
    let closed = device.role.application.events.compactMap {
      if case .closed(let channel, _) = $0 { channel } else { nil }
    }
    expect(closed.count, is: Set(closed).count, "each channel once")
    expect(opened.isSubset(of: closed))
    expect(steps == 0 || closed.contains(0))
    expect(device.role.count, is: 0)
    expect(device.role.deadline, is: nil)
    expect(device.role.pendingConnections, is: .none)
    // The next link starts without state.
    device.connect(0)
    expect(device.frames(), is: [])
    expect(device.role.open(.firstDynamic, mtu: .minimum, at: 0), is: 0)
    expect(device.frames().first?[4...5], is: [0x14, 0x02])
  }

  @Test("Unknown channel numbers are ignored", arguments: [-1, 1, 8, Int.max])
  func noChannel(channel: Int) throws {
    let device = try openDevice()
    device.role.disconnect(channel)
    device.role.resume(channel)
    expect(device.frames(), is: [])
    expect(device.role.count, is: 1)
  }
}
