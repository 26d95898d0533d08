import BluetoothHost
import Testing

@testable import BluetoothCentral

@Suite("Signalling")
struct SignallingTests {
  private func request(
    _ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16
  ) -> [UInt8] {
    [0x12, 9, 8, 0] + [minimum, maximum, latency, timeout].flatMap { ScriptedRadio.little($0) }
  }

  /// What a frame is answered with.
  private func answer(to frame: [UInt8]) -> [UInt8]? {
    let (_, radio, _) = connectedCentral()
    radio.giveFrame(frame, on: .leSignalling)
    #expect(radio.frames.allSatisfy { $0.channel == .leSignalling })
    return radio.frames.last?.payload
  }

  @Test("accepts connection parameters that make sense, and passes them on")
  func accepted() {
    let (_, radio, _) = connectedCentral()
    var update: [UInt8] = []
    radio.script = { opcode, parameters in
      if opcode == .leConnectionUpdate { update = parameters }
      return nil
    }
    radio.giveFrame(request(24, 40, 0, 400), on: .leSignalling)
    #expect(radio.frames.last?.payload == [0x13, 9, 2, 0, 0, 0])
    #expect(update == [0x40, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01, 0, 0, 0, 0])
  }

  @Test(
    "refuses connection parameters that do not",
    arguments: [
      (5, 40, 0, 400), (41, 40, 0, 400), (6, 3_201, 0, 3_200), (6, 40, 500, 3_200),
      (6, 40, 0, 9), (6, 40, 0, 3_201),
      // 2 × 1.25 ms × 40 × (1 + 99) = 10 s, which is not less than 10 s
      (6, 40, 99, 1_000),
    ] as [(UInt16, UInt16, UInt16, UInt16)])
  func refused(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16) {
    let (_, radio, _) = connectedCentral()
    radio.giveFrame(request(minimum, maximum, latency, timeout), on: .leSignalling)
    #expect(radio.frames.last?.payload == [0x13, 9, 2, 0, 1, 0])
    #expect(!radio.commands.contains(.leConnectionUpdate))
  }

  @Test("parameters at the limit make sense")
  func limit() {
    #expect(answer(to: request(6, 40, 99, 1_001)) == [0x13, 9, 2, 0, 0, 0])
  }

  @Test("a request cut short anywhere is rejected, or ignored without its header")
  func truncated() {
    let whole = request(24, 40, 0, 400)
    for length in 0..<whole.count {
      let expected: [UInt8]? = length < 4 ? nil : [0x01, 9, 2, 0, 0, 0]
      #expect(answer(to: Array(whole.prefix(length))) == expected)
    }
    #expect(answer(to: whole + [0]) == [0x01, 9, 2, 0, 0, 0])
  }

  @Test("what is not known is rejected, with its identifier")
  func unknown() {
    for code in [0x02, 0x0A, 0x16, 0x19, 0x7F, 0xFF] as [UInt8] {
      #expect(answer(to: [code, 5, 0, 0]) == [0x01, 5, 2, 0, 0, 0])
    }
  }

  @Test("channels are refused with a result")
  func channels() {
    #expect(
      answer(to: [0x14, 5, 10, 0, 0x80, 0, 0x40, 0, 0x17, 0, 0x17, 0, 1, 0])
        == [0x15, 5, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0])
    #expect(
      answer(to: [0x17, 5, 10, 0, 0x80, 0, 0x40, 0, 0x40, 0, 1, 0, 0x40, 0])
        == [0x18, 5, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0])
  }

  @Test("answers are not answered, nor is what has no identifier")
  func ignored() {
    for code in [0x01, 0x13, 0x15, 0x18, 0x1A] as [UInt8] {
      #expect(answer(to: [code, 5, 2, 0, 0, 0]) == nil)
    }
    #expect(answer(to: [0x7F, 0, 0, 0]) == nil)
  }

  @Test("parameters asked for by way of the controllers are answered too")
  func remoteRequest() {
    let (_, radio, _) = connectedCentral()
    for (latency, opcode) in [
      (UInt16(0), HCIOpcode.leRemoteConnectionParameterRequestReply),
      (500, .leRemoteConnectionParameterRequestNegativeReply),
    ] {
      let event = LERemoteConnectionParameterRequest(
        handle: ConnectionHandle(rawValue: radio.lastHandle),
        parameters: ConnectionParameters(
          minimumInterval: 24,
          maximumInterval: 40, latency: latency, supervisionTimeout: 400))
      radio.give([UInt8].written(upTo: 40) { event.writePacket(to: &$0) })
      radio.run()
      #expect(radio.commands.last == opcode)
    }
  }
}
