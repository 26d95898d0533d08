import BluetoothHost
import Testing

/// A signalling command with the identifier 9, and the response that it gets in each role.
private struct Command: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let command: [UInt8]
  /// `nil` for none.
  let central: [UInt8]?
  let peripheral: [UInt8]?

  init(_ name: String, _ command: [UInt8], central: [UInt8]?, peripheral: [UInt8]?) {
    testDescription = name
    self.command = command
    self.central = central
    self.peripheral = peripheral
  }

  /// Both roles answer alike.
  init(_ name: String, _ command: [UInt8], _ response: [UInt8]?) {
    self.init(name, command, central: response, peripheral: response)
  }
}

/// Command Reject, reason 0x0000: not understood.
private let notUnderstood: [UInt8] = [0x01, 9, 2, 0, 0x00, 0x00]

private let commands = [
  // Vol 3, Part A, 4.1: no response is rejected.
  Command("Disconnection Response: 4.7", [0x07, 9, 4, 0, 0x40, 0, 0x41, 0], nil),
  Command("Credit Based Connection Response: 4.26", [0x18, 9, 2, 0, 0, 0], nil),
  // An indication without a response, for a channel that does not exist.
  Command("Flow Control Credit: 4.24", [0x16, 9, 4, 0, 0x40, 0, 1, 0], nil),
  // Result 0x0002, and a channel of 0 for each of the two that were asked for.
  Command(
    "Credit Based Connection Request: 4.25 and 4.26",
    [0x17, 9, 12, 0, 0x80, 0, 0x40, 0, 0x40, 0, 1, 0, 0x40, 0, 0x41, 0],
    [0x18, 9, 12, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]),
  // Result 0x0003.
  Command(
    "Credit Based Reconfigure Request: 4.27 and 4.28", [0x19, 9, 6, 0, 0x40, 0, 0x40, 0, 0x40, 0],
    [0x1A, 9, 2, 0, 0x03, 0]),
  // Reason 0x0002, with both channels: 4.1.
  Command(
    "Disconnection Request: 4.6", [0x06, 9, 4, 0, 0x40, 0, 0x41, 0],
    [0x01, 9, 6, 0, 0x02, 0, 0x40, 0, 0x41, 0]),
  // Only a peripheral may send it: 4.20.
  Command(
    "Connection Parameter Update Request: 4.20",
    [0x12, 9, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01], central: [0x13, 9, 2, 0, 0, 0],
    peripheral: notUnderstood),
  Command("a code that is not assigned: 4.1", [0x7F, 9, 0, 0], notUnderstood),
]

@Suite("L2CAP signalling in both roles")
struct RoleSignallingTests {
  @Test("a command gets the response of its role", arguments: commands)
  private func responses(of command: Command) {
    let central = ScriptedCentral<1>.connected()
    central.send(command.command, channel: 0x0005)
    #expect(central.frames.map(\.payload) == (command.central.map { [$0] } ?? []))
    #expect(central.frames.allSatisfy { $0.channel == 0x0005 })

    let peripheral = ScriptedController<1>()
    peripheral.connect()
    #expect(
      peripheral.exchange(command.command, channel: 0x0005)
        == (command.peripheral.map { [$0] } ?? []))
  }

  private func request(
    _ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16
  ) -> [UInt8] {
    [0x12, 9, 8, 0] + [minimum, maximum, latency, timeout].flatMap { Array(little: $0) }
  }

  @Test("a central accepts connection parameters within their limits, and passes them on")
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
    "a central refuses other connection parameters",
    arguments: [
      (5, 40, 0, 400), (41, 40, 0, 400), (6, 3_201, 0, 3_200), (6, 40, 500, 3_200),
      (6, 40, 0, 9), (6, 40, 0, 3_201),
      // 2 × 1.25 ms × 32 × (1 + 99) = 8 s, which is not less than 8 s
      (6, 32, 99, 800),
      // 1.25 ms × 33 × (1 + 99) = 4.125 s of silence
      (6, 33, 99, 3_200),
    ] as [(UInt16, UInt16, UInt16, UInt16)])
  func refused(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16) {
    let central = ScriptedCentral<1>.connected()
    central.send(request(minimum, maximum, latency, timeout), channel: 0x0005)
    #expect(central.frames.last?.payload == [0x13, 9, 2, 0, 1, 0])
    #expect(!central.commands.contains(.leConnectionUpdate))
  }

  /// Interval and latency leave the link silent for 1.25 ms × 32 × (1 + 99) = 4 s at most.
  @Test("parameters at the limit are accepted")
  func limit() {
    let central = ScriptedCentral<1>.connected()
    central.send(request(6, 32, 99, 801), channel: 0x0005)
    #expect(central.frames.last?.payload == [0x13, 9, 2, 0, 0, 0])
  }

  @Test("a request cut short anywhere is rejected; without an identifier it is ignored")
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
  @Test("parameters that the peer asks its controller for are answered too")
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
