import Expectations

@testable import BluetoothHost

/// A peripheral with two advertising sets of up to 600 bytes.
private typealias Advertiser5 = ScriptedHost<
  2, AdvertisingServer<2, GATTDatabase<27>, TestApplication, AdvertisingSets<2, 600>>, NoClient,
  NoChannels
>

private let extendedFeature: UInt64 = 1 << 12
private let phyFeatures: UInt64 = 1 << 8 | 1 << 11
private let own = DeviceAddress(kind: .random, bytes: [1, 0, 0, 0, 0, 0xC5])
private let connectable = AdvertisingSet(.connectable)
private let nonconnectable = AdvertisingSet(.nonconnectable)
private let long = (0..<600).map { UInt8(truncatingIfNeeded: $0) }

private func advertiser(
  features: UInt64 = extendedFeature, service: BluetoothUUID? = .testService,
  address: OwnAddress = .public, starts: Bool = true
) -> Advertiser5 {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Advertiser5(
    behaviour,
    HostConfiguration(
      name: DeviceName(StaticText("Test")), service: service, address: address),
    server: AdvertisingServer(database: testDatabase, application: TestApplication()),
    client: NoClient(), channels: NoChannels())
  if starts { host.start() }
  return host
}

extension Step where Subject == ScriptedController {
  /// Sets the data of a set, which fits or not, and lets the host do what follows.
  fileprivate static func advertise(
    _ set: AdvertisingSet?, _ data: [UInt8] = [1], in index: Int = 0, fits: Bool = true,
    at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      let host = try #require(host as? Advertiser5)
      expect(host.host.advertise(set, data.span, in: index), is: fits, sourceLocation: line)
      host.run()
    }
  }

  /// A central connects to a set.
  fileprivate static func connect(to set: UInt8, _ handle: UInt16) -> Step {
    Step { host in
      host.connect(handle)
      host.receive([0x04, 0x3E, 6, 0x12, 0, set] + words(handle) + [0])
    }
  }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "A controller with extended advertising gets no command of Bluetooth 4 for it",
    .commands(
      .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
      .leReadLocalSupportedFeatures, .leSetExtendedAdvertisingParameters,
      .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
      .leSetExtendedAdvertisingEnable),
    // Legacy PDUs, connectable and scannable; 160 and 240 × 0.625 ms; 1M.
    .sent(
      .leSetExtendedAdvertisingParameters,
      [0, 0x13, 0, 160, 0, 0, 240, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 1, 0, 1, 0, 0]),
    .radio(.advertising),
    // LE Advertising Set Terminated is bit 17.
    .also { expect($0.parameters(of: .leSetEventMask).last?[2], is: 0b10) }),
  Scenario(
    "A controller without it gets only commands of Bluetooth 4, and none of the sets",
    on: { advertiser(features: 0) }, .advertise(connectable),
    .commands(
      .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
      .leReadLocalSupportedFeatures, .leSetAdvertisingParameters, .leSetAdvertisingData,
      .leSetScanResponseData, .leSetAdvertisingEnable),
    .radio(.advertising)),
  Scenario(
    "A set has its own kind, interval, address, PHYs and data, in parts of 251 bytes",
    on: { advertiser(features: extendedFeature | phyFeatures, service: nil) }, .forget,
    .advertise(
      AdvertisingSet(
        .nonconnectable, phy: .leCoded, interval: 0x01_0203...0x04_0506, address: own), long,
      in: 1),
    .commands(
      .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress,
      .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingData,
      .leSetExtendedAdvertisingEnable),
    // Handle 2; nothing but a broadcast; random address; coded and coded; set 2.
    .sent(
      .leSetExtendedAdvertisingParameters,
      [2, 0, 0, 3, 2, 1, 6, 5, 4, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 127, 3, 0, 3, 2, 0]),
    .sent(.leSetAdvertisingSetRandomAddress, [2, 1, 0, 0, 0, 0, 0xC5]),
    // 251 + 251 + 98 = 600
    .sent(
      .leSetExtendedAdvertisingData, [2, 1, 1, 251] + long[..<251],
      [2, 0, 1, 251] + long[251..<502], [2, 2, 1, 98] + long[502...]),
    .sent(.leSetExtendedAdvertisingEnable, [1, 1, 2, 0, 0, 0]), .radio(.advertising)),
  Scenario(
    "A set on a PHY that the controller does not have stays off",
    .forget, .advertise(AdvertisingSet(.connectable, phy: .le2M)),
    .advertise(AdvertisingSet(.connectable, phy: .leCoded), in: 1), .commands(),
    .radio(.advertising)),
  Scenario(
    "Without such sets it is silent; one on a PHY that it has is on",
    on: { advertiser(service: nil) }, .forget,
    .advertise(AdvertisingSet(.connectable, phy: .le2M)),
    .advertise(AdvertisingSet(.connectable, phy: .leCoded), in: 1), .commands(), .radio(.silent),
    .advertise(connectable, in: 1), .lastCommands(.leSetExtendedAdvertisingEnable),
    .radio(.advertising)),
  Scenario(
    "With 2M, the advertisements are on 1M; a scannable set has its data in scan responses",
    on: { advertiser(features: extendedFeature | phyFeatures, service: nil) },
    .advertise(AdvertisingSet(.scannable, phy: .le2M), [1, 2]),
    .sent(
      .leSetExtendedAdvertisingParameters,
      [1, 0b10, 0, 160, 0, 0, 240, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 1, 0, 2, 1, 0]),
    .sent(.leSetExtendedAdvertisingData), .sent(.leSetExtendedScanResponseData, [1, 3, 1, 2, 1, 2])),
  Scenario(
    "A change stops the set, and starts it with the new data",
    on: { advertiser(service: nil) }, .advertise(connectable, [1, 2]), .forget,
    .advertise(connectable, [3]),
    .commands(
      .leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingParameters,
      .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable),
    .sent(.leSetExtendedAdvertisingData, [1, 3, 1, 1, 3]), .forget, .advertise(nil, []),
    .sent(.leSetExtendedAdvertisingEnable, [0, 1, 1, 0, 0, 0]), .radio(.silent)),
  Scenario(
    "Data that does not fit, and sets that do not exist, are refused",
    on: { advertiser(starts: false) },
    .advertise(connectable, Array(long[..<245])),
    .advertise(connectable, Array(long[..<246]), fits: false),
    .advertise(nonconnectable, long), .advertise(nonconnectable, long + [0], fits: false),
    .advertise(connectable, [], in: -1, fits: false),
    .advertise(connectable, [], in: 2, fits: false),
    .advertise(connectable, [], in: .max, fits: false),
    .advertise(connectable, [], in: .min, fits: false)),
  Scenario(
    "A central's set starts again; connectable ones stop when every connection is in use",
    .advertise(connectable), .advertise(nonconnectable, [2], in: 1), .forget,
    // Only the set of the link had stopped.
    .connect(to: 1, 0x40), .sent(.leSetExtendedAdvertisingEnable, [1, 1, 1, 0, 0, 0]), .links(1),
    .forget, .connect(to: 0, 0x41),
    .sent(.leSetExtendedAdvertisingEnable, [0, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]),
    .isHeldBack(true), .forget, .disconnect(0x40),
    .sent(.leSetExtendedAdvertisingEnable, [1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]),
    .has(.leSetAdvertisingEnable, false)),
  Scenario(
    "The event of a set that has stopped is ignored if cut short, and for an unknown set",
    .forget, .also { $0.receiveTruncated([0x04, 0x3E, 6, 0x12, 0, 0, 0x40, 0, 0]) },
    .receive([0x04, 0x3E, 6, 0x12, 0, 0xEF, 0x40, 0, 0]), .commands(), .radio(.advertising)),
  Scenario(
    "A set that the controller refuses beside links is tried again when a link has ended",
    .connect(to: 0, 0x40), .refuse(.leSetExtendedAdvertisingParameters, .memoryCapacityExceeded),
    .advertise(connectable), .links(1), .isHeldBack(true), .set(\.refused, nil),
    .disconnect(0x40), .isHeldBack(false), .radio(.advertising)),
  Scenario(
    "A set whose data is refused is set up again from its parameters and the first part",
    .connect(to: 0, 0x40),
    // A middle part.
    .script { opcode, parameters in
      opcode == .leSetExtendedAdvertisingData && parameters[1] == 0
        ? [Events.complete(opcode, [0x07])] : nil
    },
    .advertise(nonconnectable, long), .script { _, _ in nil }, .forget, .disconnect(0x40),
    .count(of: .leSetExtendedAdvertisingParameters, 1),
    .also { host in
      expect(
        host.parameters(of: .leSetExtendedAdvertisingData).map { Array($0[..<4]) },
        is: [[1, 1, 1, 251], [1, 0, 1, 251], [1, 2, 1, 98]])
    },
    .radio(.advertising)),
  Scenario(
    "After a link without a Connection Complete, all sets are stopped, and start again",
    .forget, .disconnect(0x77),
    .sent(.leSetExtendedAdvertisingEnable, [0, 0], [1, 1, 0, 0, 0, 0]), .radio(.advertising)),
  // Symptom: only the first set was checked, so the lost end of another one was never noticed.
  Scenario(
    "Each set that is on is checked in turn",
    .advertise(nonconnectable, in: 1),
    .refuse(.leSetExtendedAdvertisingParameters, .commandDisallowed), .forget,
    .repeat(4, .pass(30_000)),
    .also { host in
      expect(
        host.parameters(of: .leSetExtendedAdvertisingParameters).map { $0[0] }, is: [2, 0, 2, 0])
    }),
  // Symptom: a controller that had lost its state was silent for ever.
  // The first answer shows how this controller behaves: it refuses while a set is on.
  Scenario(
    "Advertising that has stopped without an event is noticed, and set up again",
    .refuse(.leSetExtendedAdvertisingParameters, .commandDisallowed), .pass(30_000),
    .set(\.refused, nil), .forget, .pass(30_000), .pass(2_000),
    .radio(.fault(.stoppedAdvertising)), .pass(0), .has(.reset), .radio(.advertising)),
  Scenario(
    "A shutdown stops every set",
    .advertise(nonconnectable), .shutDown, .run, .isShutDown(true), .radio(.silent)),
]

private let faults: [HostScenario] = [
  HCIOpcode.leSetEventMask, .leReadLocalSupportedFeatures, .leSetExtendedAdvertisingParameters,
  .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
  .leSetExtendedAdvertisingEnable,
].flatMap { opcode in
  [
    Scenario(
      "\(opcode) is refused", .refuse(opcode, .memoryCapacityExceeded), .start,
      .radio(.fault(.refused(opcode, .memoryCapacityExceeded))), .set(\.refused, nil),
      .pass(2_000), .radio(.advertising)),
    Scenario(
      "\(opcode) is unanswered", .set(\.unanswered, opcode), .start, .pass(2_000),
      .event(.radio(.fault(.unanswered(opcode))))),
  ]
}

@Suite("Advertising sets of a host")
struct AdvertisingSetTests {
  @Test("Sets begin, change and end", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: advertiser()) }

  @Test("A failed command is a fault, after which the controller is reset", arguments: faults)
  func fault(_ scenario: HostScenario) throws {
    try scenario.run(on: advertiser(address: .random(own), starts: false))
  }
}
