import Expectations

@testable import BluetoothHost

private let scenarios: [ChannelScenario] = [
  Scenario(
    "A command is sent between the frames of a busy channel",
    .receive(0x14, 7, words(0x0080, 0x0041, 100, 23, 100)),
    .outgoing([[UInt8]](repeating: [1], count: 50)),
    .also { expect($0.nextPacket(length: 27)?.data[4], is: 0x15) },
    .also { expect($0.nextPacket(length: 27)?.data[2], is: 0x41) }, .open(),
    .also { expect($0.nextPacket(length: 27)?.data[4], is: 0x14) },
    .also { expect($0.nextPacket(length: 27)?.data[2], is: 0x41) }),
  Scenario(
    "The rest of a frame is sent first",
    .receive(0x14, 7, words(0x0080, 0x0041, 100, 100, 100)), .drop(),
    .outgoing([[UInt8](counting: 40)]), .resume(),
    .also { expect($0.nextPacket(length: 27)?.starts, is: true) },
    .also { expect($0.isSending() && $0.hasPacket(on: 0)) },
    .receive(0x14, 8, words(0x0080, 0x0041, 100, 100, 100)), .open(),
    .also { expect($0.nextPacket(length: 27)?.starts, is: false) },
    .also { expect(!$0.isSending()) },
    .also { host in expect(host.frames().map { $0[4] }, is: [0x15, 0x14]) }),
]

@Suite("Channels: shares of one link")
struct ChannelShareTests {
  @Test("Channels share a link", arguments: scenarios)
  func scenario(_ scenario: ChannelScenario) throws {
    try scenario.run(on: ChannelDevice.listening())
  }

  @Test("The channels of a link take turns, a K-frame each")
  func turns() throws {
    let device = try ChannelDevice.listening()
    for channel in 0..<3 {
      device.receive(0x14, 7, words(0x0080, 0x0041 + UInt16(channel), 100, 23, 100))
      device.role.application.outgoing[channel] = [[UInt8](repeating: 1, count: 63)]
    }
    // MPS 23: 2 + 21, then 23, then 19 of the 63 bytes.
    let cids = device.frames().filter { $0[2] != 0x05 }.map { $0[2] }
    expect(cids, is: [0x41, 0x42, 0x43, 0x41, 0x42, 0x43, 0x41, 0x42, 0x43])
  }

  @Test("A command waits for a packet that it fits", arguments: [0, 1, 17])
  func noSpace(length: Int) throws {
    let device = try ChannelDevice(ChannelOwner())
    _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0)
    expect(device.nextPacket(length: length) == nil)
    expect(device.hasPacket(on: 0))
    expect(device.nextPacket(length: 18)?.data.count, is: 18)
  }

  @Test("NoChannels refuses every request, and sends nothing")
  func noChannels() {
    var channels = NoChannels()
    let connection = Connection(index: 0)
    expect(!NoChannels.isPresent)
    let request = [UInt8](signal(0x14, 7, words(0x0080, 0x0041, 100, 23, 100)).dropFirst(4))
    var isTaken = true
    let response = written { writer in
      guard let command = SignallingCommand(request.span) else { return }
      isTaken = channels.receive(command, on: connection, protection: .none, response: &writer)
    }
    expect(!isTaken && response == [])
    expect(!channels.hasPacket(for: connection) && channels.deadline == nil)
  }
}
