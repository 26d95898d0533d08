import BluetoothHost
import Testing
import VirtualRadio

@Suite("The link below the questions")
struct LinkTests {
  @Test("Pairing is refused at once, and the link goes on")
  func pairing() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone(mtu: 185)
    let raw = RawLink(phone)
    // Pairing Request: no input or output, bonding, keys of 16 bytes. Answered by Pairing Failed,
    // Pairing Not Supported.
    let request: [UInt8] = [0x01, 0x03, 0x00, 0x01, 0x10, 0x07, 0x07]
    for _ in 0..<40 {
      #expect(raw.ask(request, on: stage, channel: .securityManager) == [0x05, 0x05])
    }
    // Pairing Failed itself is not answered.
    #expect(raw.ask([0x05, 0x05], on: stage, channel: .securityManager) == nil)
    stage.subscribe(phone)
    _ = stage.write("Still friends?", by: phone)
    #expect(phone.answers.count == 1)
    stage.expectHealthy()
  }

  @Test("A central that wants encryption hears that there is no key, and the link goes on")
  func encryption() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone(mtu: 185)
    let handle = try #require(phone.radio.connectionHandles.first)
    let command =
      [0x01, 0x19, 0x20, 28, UInt8(handle.rawValue & 0xFF), UInt8(handle.rawValue >> 8)]
      + [UInt8](repeating: 0x55, count: 26)
    phone.radio.send(command.span)
    stage.settle()
    #expect(stage.commands.last == .leLongTermKeyRequestNegativeReply)
    #expect(stage.readText(Handles.deviceName, by: phone) == "Ball")
    stage.expectHealthy()
  }

  @Test("Channels are refused, what is unknown is rejected, and nothing is met with silence")
  func signalling() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone()
    let raw = RawLink(phone)
    // LE Credit Based Connection Request: SPSM 0x0080, channel 0x0040, MTU 64, MPS 64, 1 credit.
    #expect(
      raw.ask(
        [0x14, 7, 10, 0, 0x80, 0, 0x40, 0, 64, 0, 64, 0, 1, 0], on: stage, channel: .leSignalling)
        == [0x15, 7, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0])
    #expect(
      raw.ask([0x0A, 8, 2, 0, 2, 0], on: stage, channel: .leSignalling) == [0x01, 8, 2, 0, 0, 0])
    stage.expectHealthy()
  }

  /// The phone's interval is 24 × 1.25 ms, and 40 is the longest that the ball likes.
  @Test("An interval to its liking is left as it is")
  func content() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone()
    let before = stage.sent.count
    stage.run(for: 50_000)
    #expect(stage.sent.count == before)
    #expect(phone.isConnected)
  }

  @Test("A slow interval is mended after five seconds, by the central's leave")
  func update() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone {
      $0.connectionParameters.minimumInterval = 400
      $0.connectionParameters.maximumInterval = 800
      $0.connectionParameters.supervisionTimeout = 600
    }
    let before = stage.sent.count
    stage.run(for: 4_999)
    #expect(stage.sent.count == before)
    stage.run(for: 1)
    stage.settle()
    // Connection Parameter Update Request: 24 to 40 × 1.25 ms, latency 0, 400 × 10 ms.
    #expect(
      stage.frames(after: before).map(\.payload) == [[0x12, 1, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 1]])
    #expect(stage.frames(after: before).first?.channel == .leSignalling)
    // The central agrees and has its controller do it: the new supervision time-out holds.
    stage.radio.vanish()
    stage.run(for: 3_999)
    #expect(phone.isConnected)
    stage.run(for: 2)
    #expect(phone.ending == .connectionTimeout)
  }

  @Test("A central that moves the interval by itself is followed")
  func centralUpdates() throws {
    let stage = try Stage<4>()
    let phone = try stage.connectedPhone {
      $0.connectionParameters.minimumInterval = 400
      $0.connectionParameters.maximumInterval = 800
      $0.connectionParameters.supervisionTimeout = 600
    }
    let handle = try #require(phone.radio.connectionHandles.first)
    let update = LEConnectionUpdate(
      handle: handle,
      parameters: ConnectionParameters(
        minimumInterval: 20, maximumInterval: 40, latency: 0,
        supervisionTimeout: 300))
    var packet = [UInt8](repeating: 0, count: 18)
    do {
      var writer = ByteWriter(packet.mutableSpan)
      update.writePacket(to: &writer)
    }
    phone.radio.send(packet.span)
    stage.settle()
    let before = stage.sent.count
    stage.run(for: 20_000)
    #expect(stage.sent.count == before)
    #expect(stage.readText(Handles.deviceName, by: phone) == "Ball")
    stage.expectHealthy()
  }

  @Test("Long packets and the 2M PHY are asked for once a link, where the controller has them")
  func dataLengthAndPHY() throws {
    let stage = try Stage<4>()
    _ = try stage.connectedPhone()
    #expect(stage.commands.filter { $0 == .leSetDataLength }.count == 1)
    #expect(stage.commands.filter { $0 == .leSetPHY }.count == 1)
    let handle = try #require(stage.radio.connectionHandles.first)
    let phone = try #require(stage.guests.first as? Phone)
    let raw = try #require(phone.radio.connectionHandles.first)
    // LE Read PHY, at the central: both ways 2M.
    let read: [UInt8] = [0x01, 0x30, 0x20, 2, UInt8(raw.rawValue & 0xFF), UInt8(raw.rawValue >> 8)]
    phone.radio.send(read.span)
    var answer = [UInt8](repeating: 0, count: 300)
    var count = 0
    do {
      var writer = ByteWriter(answer.mutableSpan)
      if phone.radio.nextPacket(into: &writer) { count = writer.count }
    }
    #expect(answer[..<count].suffix(2) == [2, 2])
    #expect(handle != raw)

    let plain = try Stage<4>(
      controller: ControllerConfiguration(
        supportsDataLengthExtension: false, supports2MPHY: false))
    _ = try plain.connectedPhone()
    #expect(!plain.commands.contains(.leSetDataLength))
    #expect(!plain.commands.contains(.leSetPHY))
  }

  @Test("A controller that says it has them, and refuses, or is silent, is asked no more")
  func refusedFeatures() throws {
    let stage = try Stage<4>()
    stage.radio.faults.refuse(.leSetPHY, with: .unknownCommand)
    stage.radio.faults.leaveUnanswered(.leSetDataLength)
    let phone = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    _ = stage.write("Well?", by: phone)
    #expect(phone.answers.count == 1)
    stage.run(for: 10_000)
    #expect(stage.commands.filter { $0 == .leSetDataLength }.count == 1)
    #expect(stage.commands.filter { $0 == .leSetPHY }.count == 1)
    #expect(phone.isConnected)
    #expect(stage.isInviting)
  }

  @Test("A central out of reach is gone when its supervision time-out has passed")
  func outOfReach() throws {
    let stage = try Stage<1>()
    let phone = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    stage.dismiss(phone)
    #expect(!stage.isInviting)
    stage.run(for: 1_999)
    #expect(stage.host.connectionCount == 1)
    stage.run(for: 2)
    #expect(stage.told.contains(.disconnected(0, .connectionTimeout)))
    stage.expectHealthy()
  }
}
