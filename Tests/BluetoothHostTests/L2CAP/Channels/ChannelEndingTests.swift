import Testing

@testable import BluetoothHost

@Suite("Channels: their end")
struct ChannelEndingTests {
  /// A device whose channel 0 is open, CID 0x0040 here and 0x0041 at the peer.
  private func openDevice() throws -> ChannelDevice<ChannelOwner> {
    var owner = ChannelOwner()
    owner.listeners[0x0080] = ChannelListener(mtu: .minimum)
    let device = try ChannelDevice(owner)
    device.receive(0x14, 7, words(0x0080, 0x0041, 200, 100, 9))
    #expect(device.frames().count == 1)
    device.role.application.events = []
    return device
  }

  @Test("The peer closes a channel, and gets a response")
  func closedByPeer() throws {
    let device = try openDevice()
    device.receive(0x06, 9, words(0x0040, 0x0041))
    #expect(device.role.application.events == [.closed(0, .closedByPeer)])
    #expect(device.frames() == [signal(0x07, 9, words(0x0040, 0x0041))])
    // Once more: there is none.
    device.receive(0x06, 10, words(0x0040, 0x0041))
    #expect(device.frames() == [signal(0x01, 10, words(2, 0x0040, 0x0041))])
    device.receive(kFrame: [1, 0, 5], to: 0x0040)
    #expect(device.role.application.incoming == [:])
  }

  @Test("The owner closes a channel; neither data nor credits go out any more")
  func closedByOwner() throws {
    let device = try openDevice()
    device.role.application.outgoing[0] = [[1]]
    for _ in 0..<2 { device.role.disconnect(0) }
    device.role.resume(0)
    #expect(device.frames() == [signal(0x06, 2, words(0x0041, 0x0040))])
    device.role.disconnect(0)
    device.role.resume(0)
    device.receive(0x16, 9, words(0x0041, 5))
    #expect(device.frames() == [])
    #expect(device.role.application.events == [])
    device.receive(0x07, 2, words(0x0041, 0x0040))
    #expect(device.role.application.events == [.closed(0, .closed)])
  }

  @Test("Both ends close at once: each answers the other, and the late answers are ignored")
  func bothClose() throws {
    let device = try openDevice()
    device.role.disconnect(0)
    #expect(device.frames() == [signal(0x06, 2, words(0x0041, 0x0040))])
    device.receive(0x06, 9, words(0x0040, 0x0041))
    #expect(device.frames() == [signal(0x07, 9, words(0x0040, 0x0041))])
    device.receive(0x01, 2, words(2, 0x0041, 0x0040))
    device.receive(0x07, 2, words(0x0041, 0x0040))
    #expect(device.role.application.events == [.closed(0, .closed)])
    #expect(device.frames() == [])
  }

  @Test("A peer that does not know the channel to be closed any more says so, and it is closed")
  func rejected() throws {
    let device = try openDevice()
    device.role.disconnect(0)
    _ = device.frames()
    device.receive(0x01, 2, words(2, 0x0041, 0x0040))
    #expect(device.role.application.events == [.closed(0, .closed)])
  }

  @Test("A request that was not sent yet is not sent when its channel is closed")
  func closedBeforeRequest() throws {
    let device = try ChannelDevice(ChannelOwner())
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
    device.role.disconnect(0)
    #expect(device.role.application.events == [.closed(0, .closed)])
    #expect(device.frames() == [])
  }

  @Test("A channel closed while it is being opened is disconnected when it opens")
  func closedWhileOpening() throws {
    let device = try ChannelDevice(ChannelOwner())
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
    _ = device.frames()
    device.role.disconnect(0)
    #expect(device.frames() == [])
    device.receive(0x15, 2, words(0x0051, 100, 50, 3, 0))
    #expect(device.frames() == [signal(0x06, 3, words(0x0051, 0x0040))])
    device.receive(0x07, 3, words(0x0051, 0x0040))
    #expect(device.role.application.events == [.closed(0, .closed)])
  }

  @Test("A channel closed while it is being opened ends with a refusal, too")
  func closedWhileRefused() throws {
    let device = try ChannelDevice(ChannelOwner())
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
    _ = device.frames()
    device.role.disconnect(0)
    device.receive(0x15, 2, words(0, 0, 0, 0, 4))
    #expect(device.role.application.events == [.closed(0, .closed)])
    #expect(device.role.count == 0)
  }

  @Test("A request waits 30 s for its response, each for its own")
  func timeOut() throws {
    let device = try ChannelDevice(ChannelOwner())
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
    #expect(device.role.deadline == nil)
    _ = device.frames()
    device.wait(10_000)
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 1)
    _ = device.frames(on: 1)
    #expect(device.role.deadline == Instant(rawValue: 30_000))
    device.wait(19_999)
    #expect(device.role.application.events == [])
    device.wait(1)
    #expect(device.role.application.events == [.closed(0, .timedOut)])
    #expect(device.role.deadline == Instant(rawValue: 40_000))
    // Too late.
    device.receive(0x15, 2, words(0x0051, 100, 50, 3, 0))
    device.receive(kFrame: [1, 0, 5], to: 0x0040)
    device.wait(10_000)
    #expect(device.role.application.events == [.closed(0, .timedOut), .closed(1, .timedOut)])
    #expect(device.role.application.incoming == [:])
    #expect(device.role.deadline == nil)
    #expect(device.role.count == 0)
  }

  @Test("A channel that the peer does not close in 30 s is closed all the same")
  func disconnectionTimeOut() throws {
    let device = try openDevice()
    device.receive(kFrame: [9], to: 0x0040)
    #expect(device.frames().count == 1)
    device.wait(30_000)
    #expect(device.role.application.events == [.closed(0, .frameTooShort)])
    #expect(device.role.deadline == nil)
  }

  @Test("A frame on its way is finished before its channel's disconnection is asked for")
  func closedWithinFrame() throws {
    let device = try openDevice()
    device.role.application.outgoing[0] = [[UInt8](counting: 60)]
    device.role.resume(0)
    let start = try #require(device.nextPacket(length: 27))
    #expect(device.isSending())
    device.role.disconnect(0)
    var frame = start.data
    while device.isSending(), let packet = device.nextPacket(length: 27) {
      #expect(!packet.starts)
      frame += packet.data
    }
    #expect(frame == l2cap(0x0041, Array(little: 60) + [UInt8](counting: 60)))
    #expect(device.frames() == [signal(0x06, 2, words(0x0041, 0x0040))])
  }

  @Test("The peer closes within a frame: the frame keeps its length, and its owner is not asked")
  func closedByPeerWithinFrame() throws {
    let device = try openDevice()
    device.role.application.outgoing[0] = [[UInt8](repeating: 7, count: 60)]
    device.role.resume(0)
    #expect(device.nextPacket(length: 27)?.data.count == 27)
    device.receive(0x06, 9, words(0x0040, 0x0041))
    #expect(device.role.application.events == [.closed(0, .closedByPeer)])
    // The number is given out again while the frame is on its way.
    device.receive(0x14, 10, words(0x0080, 0x0042, 200, 100, 9))
    device.role.application.outgoing[0] = [[UInt8](repeating: 8, count: 10)]
    device.role.resume(0)
    // 4 + 2 + 60 = 66, of which 27 have gone: 27 and 12 are left.
    #expect(device.nextPacket(length: 27)?.data == [UInt8](repeating: 0, count: 27))
    #expect(device.nextPacket(length: 27)?.data == [UInt8](repeating: 0, count: 12))
    #expect(
      device.frames() == [
        signal(0x07, 9, words(0x0040, 0x0041)), signal(0x15, 10, words(0x0048, 23, 100, 10, 0)),
        l2cap(0x0042, [10, 0] + [UInt8](repeating: 8, count: 10)),
      ])
  }

  /// What happens one after the other to two channels, one that this device asks for and one that the
  /// peer asks for.
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

  @Test("A link that is lost at any point leaves nothing behind", arguments: 0...15)
  func linkLost(steps: Int) throws {
    var owner = ChannelOwner()
    owner.listeners[0x0080] = ChannelListener(mtu: .minimum)
    let device = try ChannelDevice(owner)
    for step in Self.life.prefix(steps) { step(device) }
    let opened = Set(
      device.role.application.events.compactMap {
        if case .opened(let channel, _, _, _) = $0 { channel } else { nil }
      })
    device.lose(0)
    let closed = device.role.application.events.compactMap {
      if case .closed(let channel, _) = $0 { channel } else { nil }
    }
    #expect(closed.count == Set(closed).count, "each channel once")
    #expect(opened.isSubset(of: closed))
    #expect(steps == 0 || closed.contains(0))
    #expect(device.role.count == 0)
    #expect(device.role.deadline == nil)
    #expect(device.role.pendingConnections == .none)
    // The next link begins anew.
    device.connect(0)
    #expect(device.frames() == [])
    #expect(device.role.open(.firstDynamic, mtu: .minimum, at: 0) == 0)
    #expect(device.frames().first?[4...5] == [0x14, 0x02])
  }

  @Test("A lost link leaves the channels of the other link alone")
  func otherLink() throws {
    let device = try openDevice()
    device.receive(0x14, 7, words(0x0080, 0x0041, 200, 100, 9), on: 1)
    #expect(device.frames(on: 1).count == 1)
    device.lose(0, reason: .remoteUserTerminatedConnection)
    #expect(
      device.role.application.events.last
        == .closed(0, .linkLost(.remoteUserTerminatedConnection)))
    device.receive(kFrame: [1, 0, 5], to: 0x0041, on: 1)
    #expect(device.role.application.incoming == [1: [[5]]])
  }

  @Test("Numbers that are no channel are ignored", arguments: [-1, 1, 8, Int.max])
  func noChannel(channel: Int) throws {
    let device = try openDevice()
    device.role.disconnect(channel)
    device.role.resume(channel)
    #expect(device.frames() == [])
    #expect(device.role.count == 1)
  }
}
