import Expectations

@testable import BluetoothHost

/// LE Remote Connection Parameter Request.
private let parameters: [UInt8] = [0x06, 0x40, 0x00, 6, 0, 12, 0, 1, 0, 0x90, 0x01]

private let scenarios: [HostScenario] = [
  Scenario(
    "A failed connection restarts advertising",
    .forget, .connect(status: 0x3E), .links(0), .sent(.leSetAdvertisingEnable, [0x01]),
    .radio(.advertising)),
  Scenario(
    "A second Connection Complete for a handle ends the first link",
    on: { ScriptedPeripheral<2>() },
    .connect(), .exchangeMTU(100), .forgetEvents, .connect(),
    .also { host in
      expect(
        host.events.filter { if case .radio = $0 { false } else { true } },
        is: [
          .disconnected(0, .unspecifiedError), .connected(0, host.address(of: 0x40)),
        ])
    },
    .links(1), .set(application: \.values[0], [UInt8](counting: 100)),
    .also { expect($0.exchange([0x0A, 0x0D, 0x00]).first?.count, is: 23) }),
  Scenario(
    "A link beyond the capacity is ended",
    .connect(0x40), .connect(0x41), .links(1), .ignore([0x0A, 0x16, 0x00], on: 0x41), .read(),
    .pass(2_000), .sent(.disconnect, [0x41, 0x00, 0x13]), .links(1)),
  Scenario(
    "A truncated, failed or unknown Disconnection Complete is ignored",
    .connect(), .truncated(0x05, [0x00, 0x40, 0x00, 0x13]),
    .receive([0x04, 0x05, 4, 0x0C, 0x40, 0x00, 0x13]), .disconnect(0x41), .links(1),
    .receive([0x04, 0x05, 4] + [0x00, 0x40, 0x00, 0x13]), .links(0),
    .event(.disconnected(0, .remoteUserTerminatedConnection)), .disconnect(), .links(0)),
  Scenario(
    "A link keeps its index; a new link takes a free one", on: { ScriptedPeripheral<3>() },
    .also { host in for handle: UInt16 in 0x40...0x42 { host.connect(handle) } }, .disconnect(0x41),
    .connect(0x43), .send([0x12, 0x0D, 0x00, 0x01], on: 0x43),
    .lastEvents(.wrote([0x01], .text, 1))),
  Scenario(
    "Advertising stops at full capacity, and restarts when a link ends",
    on: { ScriptedPeripheral<2>() },
    .forget, .connect(0x40), .sent(.leSetAdvertisingEnable, [0x01]), .radio(.advertising),
    .connect(0x41), .sent(.leSetAdvertisingEnable, [0x01]), .radio(.silent), .disconnect(0x40),
    .sent(.leSetAdvertisingEnable, [0x01], [0x01]), .radio(.advertising)),
  Scenario(
    "A controller that cannot advertise with a link advertises when the link ends",
    on: { ScriptedPeripheral<2>() },
    .forget, .refuse(.leSetAdvertisingEnable, .commandDisallowed), .connect(),
    .sent(.leSetAdvertisingEnable, [0x01]), .radio(.silent), .pass(10_000),
    // The command is not repeated.
    .sent(.leSetAdvertisingEnable, [0x01]), .set(\.refused, nil), .disconnect(),
    .sent(.leSetAdvertisingEnable, [0x01], [0x01]), .radio(.advertising)),
  // Symptom: after one refusal a device with room for others stayed hidden as long as a central was connected.
  Scenario(
    "A controller that refused to advertise with a link is asked again after a minute",
    on: { ScriptedPeripheral<2>() },
    .forget, .refuse(.leSetAdvertisingEnable, .commandDisallowed), .connect(), .radio(.silent),
    .set(\.refused, nil), .pass(60_000), .links(1),
    .sent(.leSetAdvertisingEnable, [0x01], [0x01]), .radio(.advertising)),
  Scenario(
    "A controller that refuses advertising without a link is set up again",
    on: {
      ScriptedPeripheral<1>.with { $0.refused = (.leSetAdvertisingEnable, .commandDisallowed) }
    },
    .radio(.fault(.refused(.leSetAdvertisingEnable, .commandDisallowed))), .set(\.refused, nil),
    .pass(2_000), .count(of: .reset, 2), .radio(.advertising)),
  Scenario(
    "Encryption is refused without a key", on: { ScriptedPeripheral<2>() },
    .connect(), .truncated(0x3E, [0x05, 0x40, 0x00] + [UInt8](repeating: 0xAA, count: 10)),
    .receive([0x04, 0x3E, 13, 0x05, 0x41, 0x00] + [UInt8](repeating: 0xAA, count: 10)),
    .sent(.leLongTermKeyRequestNegativeReply),
    .receive([0x04, 0x3E, 13] + ([0x05, 0x40, 0x00] + [UInt8](repeating: 0xAA, count: 10))),
    .sent(.leLongTermKeyRequestNegativeReply, [0x40, 0x00])),
  Scenario(
    "Acceptable connection parameters that a central asks for are accepted",
    on: { ScriptedPeripheral<2>() },
    .connect(), .truncated(0x3E, parameters),
    .receive([0x04, 0x3E, 11, 0x06, 0x41] + parameters[2...]),
    .sent(.leRemoteConnectionParameterRequestReply), .receive([0x04, 0x3E, 11] + parameters),
    .sent(
      .leRemoteConnectionParameterRequestReply,
      [0x40, 0x00, 6, 0, 12, 0, 1, 0, 0x90, 0x01, 0, 0, 0, 0])),
  // Core Specification, Vol 4, Part E, 7.8.32. Symptom: they were accepted.
  Scenario(
    "Others are refused: Unacceptable Connection Parameters", on: { ScriptedPeripheral<2>() },
    .connect(), .receive([0x04, 0x3E, 11, 0x06, 0x40, 0x00] + words(24, 40, 499, 10)),
    .sent(.leRemoteConnectionParameterRequestReply),
    .sent(.leRemoteConnectionParameterRequestNegativeReply, [0x40, 0x00, 0x3B]), .links(1)),
]

@Suite("Host: links")
struct LinkTests {
  @Test("Links begin and end", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: ScriptedPeripheral<1>()) }

  @Test("Both forms of Connection Complete report a link, but not cut short", arguments: [19, 31])
  func connectionComplete(length: Int) {
    let controller = ScriptedPeripheral<1>()
    controller.events = []
    let whole: [UInt8] =
      [length == 31 ? 0x0A : 0x01, 0x00, 0x40, 0x00, 0x01, 0x01, 0x40, 0, 0, 0, 0, 0xC0]
      + [UInt8](repeating: 0, count: length - 19) + [24, 0, 0, 0, 72, 0, 0]
    for cut in truncations(of: whole) { controller.receive([0x04, 0x3E, UInt8(cut.count)] + cut) }
    expect(controller.connectionCount, is: 0)
    controller.receive([0x04, 0x3E, UInt8(length)] + whole)
    expect(controller.connectionCount, is: 1)
    expect(controller.events, is: [.connected(0, controller.address(of: 0x40)), .radio(.silent)])
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test(
    "Data length and PHY are requested only if the controller supports them",
    arguments: [
      // LE features: bit 5, data length extension; bit 8, 2M PHY.
      (0x000, false, false), (0x020, true, false), (0x100, false, true), (0x120, true, true),
      (0xEDF, false, false),
    ])
  func features(features: UInt64, dataLength: Bool, phy: Bool) {
    let controller = ScriptedPeripheral<1>.with { $0.features = features }
    controller.connect()
    // 251 bytes, which take (251 + 14) × 8 = 2,120 µs with 1M.
    expect(
      controller.parameters(of: .leSetDataLength),
      is: dataLength ? [[0x40, 0x00, 251, 0, 0x48, 0x08]] : [])
    expect(
      controller.parameters(of: .leSetPHY),
      is: phy ? [[0x40, 0x00, 0x00, 0b10, 0b10, 0x00, 0x00]] : [])
  }

  @Test(
    "A link works if data length or PHY is refused or ignored",
    arguments: [HCIOpcode.leSetDataLength, .leSetPHY], [true, false])
  func refusedFeatures(opcode: HCIOpcode, isAnswered: Bool) {
    var behaviour = ControllerBehaviour()
    behaviour.features = 0x120
    if isAnswered {
      behaviour.refused = (opcode, .unsupportedFeatureOrParameterValue)
    } else {
      behaviour.unanswered = opcode
    }
    let controller = ScriptedPeripheral<2>(behaviour)
    controller.connect()
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    controller.pass(milliseconds: 2_000)
    expect(controller.radio, is: .advertising)
    expect(controller.connectionCount, is: 1)
    expect(controller.parameters(of: opcode).count, is: 1)
  }

  @Test("Other events are ignored")
  func uselessEvents() {
    let controller = ScriptedPeripheral<1>()
    controller.connect()
    controller.forgetWhatWasSent()
    for code in UInt8.min...UInt8.max where ![0x05, 0x0E, 0x0F, 0x10, 0x13, 0x3E].contains(code) {
      controller.receive([0x04, code, 0])
      controller.receive([0x04, code, 4, 0, 0x40, 0, 0])
    }
    for subevent in UInt8.min...UInt8.max
    where ![0x01, 0x03, 0x05, 0x06, 0x0A].contains(subevent) {
      controller.receive([0x04, 0x3E, 1, subevent])
      controller.receive([0x04, 0x3E, 6, subevent, 0, 0x40, 0, 0, 0])
    }
    controller.receive([0x04, 0x3E, 0])
    controller.receive([0x01, 0x03, 0x0C, 0])
    controller.receive([])
    expect(controller.commands, is: [])
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }
}
