import BluetoothHost
import Expectations

/// A Connection Parameter Update Request with the identifier 9.
private func request(
  _ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16
) -> [UInt8] { [0x12, 9, 8, 0] + words(minimum, maximum, latency, timeout) }

/// LE Remote Connection Parameter Request: Vol 4, Part E, 7.7.65.6.
private func event(latency: UInt16) -> [UInt8] {
  [0x04, 0x3E, 11, 0x06, 0x40, 0x00] + words(24, 40, latency, 400)
}

private let scenarios: [HostScenario] = [
  Scenario(
    "acceptable parameters are accepted, and sent to the controller",
    .send(request(24, 40, 0, 400), channel: 0x0005), .frames([0x13, 9, 2, 0, 0, 0]),
    .sent(.leConnectionUpdate, [0x40, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01, 0, 0, 0, 0])),
  Scenario(
    "others are refused",
    .send(request(41, 40, 0, 400), channel: 0x0005), .frames([0x13, 9, 2, 0, 1, 0]),
    .sent(.leConnectionUpdate)),
  Scenario(
    "parameters requested by the peer's controller are answered, too",
    .receive(event(latency: 0)), .lastCommands(.leRemoteConnectionParameterRequestReply),
    .receive(event(latency: 500)),
    .lastCommands(.leRemoteConnectionParameterRequestNegativeReply)),
]

@Suite("Connection parameters that a peripheral requests")
struct CentralSignallingTests {
  @Test("A central accepts or refuses them", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.connected())
  }

  @Test("a request of a wrong length is rejected; without an identifier it is ignored")
  func truncated() {
    let whole = request(24, 40, 0, 400)
    for length in Array(0..<whole.count) + [whole.count + 1] {
      let central = ScriptedCentral<1>.connected()
      central.send(Array((whole + [0]).prefix(length)), channel: 0x0005)
      // Command Reject, reason 0x0000: not understood.
      expect(central.frames.map(\.payload), is: length < 2 ? [] : [[0x01, 9, 2, 0, 0x00, 0x00]])
      expect(!central.commands.contains(.leConnectionUpdate))
    }
  }
}
