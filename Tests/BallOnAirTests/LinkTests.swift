import BluetoothHost
import Testing
import VirtualRadio

@Suite("The link below the questions")
struct LinkTests {
  @Test("Channels are refused, unknown commands are rejected, and each request has a response")
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

  @Test("A long interval is changed after five seconds, with the central's consent")
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
    // The central accepts and updates its controller: the new supervision timeout applies.
    stage.radio.vanish()
    stage.run(for: 3_999)
    #expect(phone.isConnected)
    stage.run(for: 2)
    #expect(phone.ending == .connectionTimeout)
  }

  @Test("A controller that claims them and refuses, or stays silent, is not asked again")
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

  @Test("A central out of reach is disconnected after its supervision timeout")
  func outOfReach() throws {
    let stage = try Stage<1>()
    let phone = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    stage.dismiss(phone)
    #expect(!stage.isInviting)
    stage.run(for: 1_999)
    #expect(stage.host.connectionCount == 1)
    stage.run(for: 2)
    #expect(stage.events.contains(.disconnected(0, .connectionTimeout)))
    stage.expectHealthy()
  }
}
