import BluetoothHost
import Testing

/// Command Reject, reason 0x0000: not understood.
private let notUnderstood: [UInt8] = [0x01, 9, 2, 0, 0x00, 0x00]

/// Signalling commands with the identifier 9, and a central's responses; `nil` for none.
private let commands: [Row<(command: [UInt8], response: [UInt8]?)>] = [
  // Vol 3, Part A, 4.1: no response is rejected.
  Row("Disconnection Response: 4.7", ([0x07, 9, 4, 0, 0x40, 0, 0x41, 0], nil)),
  Row("Credit Based Connection Response: 4.26", ([0x18, 9, 2, 0, 0, 0], nil)),
  // An indication, which gets no response, for an unknown channel.
  Row("Flow Control Credit: 4.24", ([0x16, 9, 4, 0, 0x40, 0, 1, 0], nil)),
  // Result 0x0002, and CID 0 for each of the two requested channels.
  Row(
    "Credit Based Connection Request: 4.25 and 4.26",
    (
      [0x17, 9, 12, 0, 0x80, 0, 0x40, 0, 0x40, 0, 1, 0, 0x40, 0, 0x41, 0],
      [0x18, 9, 12, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]
    )),
  // Result 0x0003.
  Row(
    "Credit Based Reconfigure Request: 4.27 and 4.28",
    (
      [0x19, 9, 6, 0, 0x40, 0, 0x40, 0, 0x40, 0],
      [0x1A, 9, 2, 0, 0x03, 0]
    )),
  // Reason 0x0002, with both channels: 4.1.
  Row(
    "Disconnection Request: 4.6",
    (
      [0x06, 9, 4, 0, 0x40, 0, 0x41, 0],
      [0x01, 9, 6, 0, 0x02, 0, 0x40, 0, 0x41, 0]
    )),
  // Only a peripheral may send it: 4.20.
  Row(
    "Connection Parameter Update Request: 4.20",
    ([0x12, 9, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01], [0x13, 9, 2, 0, 0, 0])),
  Row("a code that is not assigned: 4.1", ([0x7F, 9, 0, 0], notUnderstood)),
]

@Suite("L2CAP signalling to a central")
struct CentralSignallingTests {
  @Test("a command gets its response", arguments: commands)
  func response(row: Row<(command: [UInt8], response: [UInt8]?)>) {
    let central = ScriptedCentral<1>.connected()
    central.send(row.value.command, channel: 0x0005)
    #expect(central.frames.map(\.payload) == (row.value.response.map { [$0] } ?? []))
    #expect(central.frames.allSatisfy { $0.channel == 0x0005 })
  }

  private func request(
    _ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16
  ) -> [UInt8] {
    [0x12, 9, 8, 0] + [minimum, maximum, latency, timeout].flatMap { Array(little: $0) }
  }

  @Test(
    "a central accepts connection parameters within the limits, and sends them to the controller")
  func accepted() {
    let central = ScriptedCentral<1>.connected()
    central.send(request(24, 40, 0, 400), channel: 0x0005)
    #expect(central.frames.last?.payload == [0x13, 9, 2, 0, 0, 0])
    #expect(
      central.parameters(of: .leConnectionUpdate) == [
        [0x40, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01, 0, 0, 0, 0]
      ])
  }

  @Test(
    "a central refuses connection parameters beyond the limits",
    arguments: [
      (5, 40, 0, 400, false), (41, 40, 0, 400, false), (6, 3_201, 0, 3_200, false),
      (6, 40, 500, 3_200, false), (6, 40, 0, 9, false), (6, 40, 0, 3_201, false),
      // 2 × 1.25 ms × 32 × (1 + 99) = 8 s, which is not less than 8 s
      (6, 32, 99, 800, false),
      // 1.25 ms × 33 × (1 + 99) = 4.125 s of silence
      (6, 33, 99, 3_200, false),
      // The limit: 1.25 ms × 32 × (1 + 99) = 4 s of silence
      (6, 32, 99, 801, true),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
  func limits(
    minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, isAccepted: Bool
  ) {
    let central = ScriptedCentral<1>.connected()
    central.send(request(minimum, maximum, latency, timeout), channel: 0x0005)
    #expect(central.frames.last?.payload == [0x13, 9, 2, 0, isAccepted ? 0 : 1, 0])
    #expect(central.commands.contains(.leConnectionUpdate) == isAccepted)
  }

  @Test("a request of a wrong length is rejected; without an identifier it is ignored")
  func truncated() {
    let whole = request(24, 40, 0, 400)
    for length in Array(0..<whole.count) + [whole.count + 1] {
      let central = ScriptedCentral<1>.connected()
      central.send(Array((whole + [0]).prefix(length)), channel: 0x0005)
      #expect(central.frames.map(\.payload) == (length < 2 ? [] : [notUnderstood]))
      #expect(!central.commands.contains(.leConnectionUpdate))
    }
  }

  /// Core Specification, Vol 4, Part E, 7.7.65.6.
  @Test("parameters requested by the peer's controller are answered, too")
  func remoteRequest() {
    let central = ScriptedCentral<1>.connected()
    for (latency, opcode) in [
      (UInt16(0), HCIOpcode.leRemoteConnectionParameterRequestReply),
      (500, .leRemoteConnectionParameterRequestNegativeReply),
    ] {
      central.receive(
        [0x04, 0x3E, 11, 0x06, 0x40, 0x00]
          + [24, 40, latency, 400].flatMap { Array(little: $0) })
      #expect(central.commands.last == opcode)
    }
  }
}
