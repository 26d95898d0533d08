import BluetoothHost
import Expectations

/// An advertising device in both roles, with a capacity of four connections.
private func device(peripheralLinks: Int? = nil) -> ScriptedDevice {
  let device = ScriptedDevice(number: 1, peripheralLinks: peripheralLinks)
  device.start()
  return device
}

extension Step where Subject == ScriptedController {
  /// A central connects; its handle ends in `number`.
  fileprivate static func central(_ number: UInt8) -> Step {
    receive(Events.connected(0x40 + UInt16(number), peer: [0, number, 0, 0, 0, 0, 0xF0], role: 1))
  }

  /// Whether the device advertises; if not, the advertising is held back.
  fileprivate static func advertises(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { device in
      expect(device.radio, is: isSo ? .advertising : .silent, sourceLocation: line)
      expect(device.isAdvertisingHeldBack != isSo, sourceLocation: line)
    }
  }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "The last connection is reserved for a peer while the device connects to it",
    .advertises(true), .central(2), .central(3), .central(4), .advertises(true),
    .set(\.completesConnections, false), .connect(to: .numbered(5)), .advertises(false),
    .cancelConnection, .advertises(true), .central(5), .advertises(false)),
  Scenario(
    "Links to peripherals do not count towards the limit for centrals",
    on: { device(peripheralLinks: 2) },
    .advertises(true), .central(2), .connect(to: .numbered(3)), .advertises(true), .central(4),
    .advertises(false), .disconnect(), .advertises(false), .disconnect(0x42), .advertises(true)),
]

@Suite("Host: capacity for centrals beside links to peripherals")
struct AdvertisingCapacityTests {
  @Test("Advertising continues while a connection is free", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: device()) }
}
