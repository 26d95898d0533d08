import Expectations

@testable import BluetoothHost

private let battery = Advertisement(
  service: .batteryService, name: DeviceName(StaticText("Battery")))

private func silent() -> ScriptedPeripheral<1> {
  let controller = ScriptedPeripheral<1>(service: nil)
  controller.events = []
  return controller
}

/// The parameters of LE Set Advertising Data and LE Set Scan Response Data: length and 31 bytes.
private func padded(_ data: AdvertisingData) -> [UInt8] {
  let bytes = Array(data.span)
  return [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 31 - bytes.count)
}

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
    "Without data to advertise, the controller is set up and does not advertise",
    on: { ScriptedPeripheral<1>(service: nil) },
    .radio(.silent), .events(.radio(.silent)), .sent(.leSetAdvertisingEnable), .pass(60_000),
    .sent(.leSetAdvertisingEnable)),
  Scenario(
    "Advertising begins on request, with data, scan response and enable", on: { silent() },
    .forget, .advertise(battery),
    .commands(.leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable),
    .sent(.leSetAdvertisingData, padded(battery.data)),
    .sent(.leSetScanResponseData, padded(battery.scanResponse)), .events(.radio(.advertising)),
    .connect(), .links(1)),
  Scenario(
    "It ends on request; links stay, and it does not begin again", on: { ScriptedPeripheral<2>() },
    .connect(), .forget, .advertise(nil), .isHeldBack(false),
    .sent(.leSetAdvertisingEnable, [0x00]), .radio(.silent), .links(1), .disconnect(),
    .pass(60_000), .sent(.leSetAdvertisingEnable, [0x00]), .radio(.silent)),
  Scenario(
    "The data change without a pause in advertising",
    .forgetEvents, .forget, .advertise(battery),
    .commands(.leSetAdvertisingData, .leSetScanResponseData),
    .sent(.leSetAdvertisingData, padded(battery.data)), .events(),
    // The same data again change nothing.
    .advertise(battery), .commandCount(2)),
  Scenario(
    "A request at full capacity begins advertising when a link ends",
    .connect(), .forget, .advertise(battery), .commands(), .isHeldBack(true), .disconnect(),
    .isHeldBack(false),
    .commands(.leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable),
    .radio(.advertising)),
  Scenario(
    "A controller gets the data again after a reset", on: { silent() },
    .advertise(battery), .forget, .receive([0x04, 0x10, 1, 0x42]), .pass(0),
    .sent(.leSetAdvertisingData, padded(battery.data)), .radio(.advertising)),
  Scenario(
    "A controller that refuses while it has a link gets the command again when the link ends",
    on: { ScriptedPeripheral<2>(service: nil) },
    .connect(), .refuse(.leSetAdvertisingData, .commandDisallowed), .advertise(battery), .links(1),
    .radio(.silent), .isHeldBack(true), .set(\.refused, nil), .disconnect(), .isHeldBack(false),
    .radio(.advertising), .lastSent(.leSetAdvertisingData, padded(battery.data))),
  Scenario(
    "The last connection is reserved for a peer while the device connects to it",
    on: { device() },
    .advertises(true), .central(2), .central(3), .central(4), .advertises(true),
    .set(\.completesConnections, false), .connect(to: .numbered(5)), .advertises(false),
    .cancelConnection, .advertises(true), .central(5), .advertises(false)),
  Scenario(
    "Links to peripherals do not count towards the limit for centrals",
    on: { device(peripheralLinks: 2) },
    .advertises(true), .central(2), .connect(to: .numbered(3)), .advertises(true), .central(4),
    .advertises(false), .disconnect(), .advertises(false), .disconnect(0x42), .advertises(true)),
]

@Suite("Host: advertising on request")
struct AdvertisingTests {
  @Test("Advertising on request", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: ScriptedPeripheral<1>()) }

  @Test("A request before or during the start-up sets the data", arguments: 0...11)
  func duringStartUp(commandCount: Int) {
    let controller = ScriptedPeripheral<1>(starts: false)
    controller.host.start(at: controller.now)
    for _ in 0..<commandCount { controller.nextPacket().map(controller.answer) }
    controller.advertise(battery)
    expect(controller.radio, is: .advertising)
    expect(controller.parameters(of: .leSetAdvertisingData).last, is: padded(battery.data))
    expect(controller.parameters(of: .leSetScanResponseData).last, is: padded(battery.scanResponse))
  }

  @Test(
    "A controller without a link that refuses or ignores a command is reset",
    arguments: [HCIOpcode.leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable])
  func refused(opcode: HCIOpcode) {
    let refusing = silent()
    refusing.behaviour.refused = (opcode, .memoryCapacityExceeded)
    refusing.advertise(battery)
    expect(refusing.events, is: [.radio(.fault(.refused(opcode, .memoryCapacityExceeded)))])
    refusing.behaviour.refused = nil
    refusing.pass(milliseconds: 2_000)
    expect(refusing.radio, is: .advertising)
    let mute = silent()
    mute.behaviour.unanswered = opcode
    mute.advertise(battery)
    mute.behaviour.unanswered = nil
    mute.pass(milliseconds: 2_000)
    expect(mute.events.first, is: .radio(.fault(.unanswered(opcode))))
    expect(mute.radio, is: .advertising)
  }

  @Test("The device's name can change")
  func name() {
    let controller = ScriptedPeripheral<1>()
    controller.connect()
    controller.host.server.deviceName = DeviceName(StaticText("Other"))
    controller.exchange([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Other".utf8))
  }

  @Test("A link's MTU is 23 before the exchange, and without a link")
  func mtu() {
    let controller = ScriptedPeripheral<2>()
    controller.connect()
    controller.connect(0x41)
    controller.exchangeMTU(185, on: 0x41)
    expect([-1, 0, 1, 2].map { controller.mtu(at: $0) }, is: [23, 23, 185, 23])
  }
}
