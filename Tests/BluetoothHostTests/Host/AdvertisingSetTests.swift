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

private func advertiser(
  features: UInt64 = extendedFeature, service: BluetoothUUID? = .testService,
  address: OwnAddress = .public
) -> Advertiser5 {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  return Advertiser5(
    behaviour,
    HostConfiguration(
      name: DeviceName(StaticText("Test")), service: service, address: address),
    server: AdvertisingServer(database: testDatabase, application: TestApplication()),
    client: NoClient(), channels: NoChannels())
}

extension Advertiser5 {
  /// Sets the data of a set, and lets the host do what follows. Returns whether it fits.
  fileprivate func advertise(_ set: AdvertisingSet?, _ data: [UInt8], in index: Int) -> Bool {
    let fits = host.advertise(set, data.span, in: index)
    run()
    return fits
  }

  /// A central connects to a set.
  fileprivate func connect(to set: UInt8, _ handle: UInt16) {
    connect(handle)
    receive([0x04, 0x3E, 6, 0x12, 0, set] + Array(little: handle) + [0])
  }
}

private let startUp: [HCIOpcode] = [
  .reset, .readBDADDR, .setEventMask, .leSetEventMask, .leReadBufferSize,
  .leReadLocalSupportedFeatures,
]
private let noLegacy: Set<UInt16> = [0x2006, 0x2007, 0x2008, 0x2009, 0x200A]

@Suite("Advertising sets of a host")
struct AdvertisingSetTests {
  @Test("A controller with extended advertising gets no command of Bluetooth 4 for it")
  func startsUp() {
    let host = advertiser()
    host.start()
    expect(
      host.commands,
      is: startUp + [
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
      ])
    // Legacy PDUs, connectable and scannable; 160 and 240 × 0.625 ms; 1M.
    expect(
      host.parameters(of: .leSetExtendedAdvertisingParameters),
      is: [
        [0, 0x13, 0, 160, 0, 0, 240, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 1, 0, 1, 0, 0]
      ])
    expect(host.radio, is: .advertising)
    // LE Advertising Set Terminated is bit 17.
    expect(host.parameters(of: .leSetEventMask).last?[2], is: 0b10)
  }

  @Test("A controller without it gets only commands of Bluetooth 4, and none of the sets")
  func legacyController() {
    let host = advertiser(features: 0)
    host.start()
    expect(host.advertise(AdvertisingSet(.connectable), [1, 2], in: 0))
    expect(
      host.commands,
      is: startUp + [
        .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetAdvertisingEnable,
      ])
    expect(host.radio, is: .advertising)
  }

  @Test("A set has its own kind, interval, address, PHYs and data, in parts of 251 bytes")
  func ownParameters() {
    let host = advertiser(features: extendedFeature | phyFeatures, service: nil)
    host.start()
    host.forgetWhatWasSent()
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    expect(
      host.advertise(
        AdvertisingSet(
          .nonconnectable, phy: .leCoded, interval: 0x01_0203...0x04_0506, address: own), data,
        in: 1))
    expect(
      host.commands,
      is: [.leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress]
        + [HCIOpcode](repeating: .leSetExtendedAdvertisingData, count: 3)
        + [.leSetExtendedAdvertisingEnable])
    // Handle 2; nothing but a broadcast; random address; coded and coded; set 2.
    expect(
      host.parameters(of: .leSetExtendedAdvertisingParameters).last,
      is: [2, 0, 0, 3, 2, 1, 6, 5, 4, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 127, 3, 0, 3, 2, 0])
    expect(
      host.parameters(of: .leSetAdvertisingSetRandomAddress), is: [[2, 1, 0, 0, 0, 0, 0xC5]])
    // 251 + 251 + 98 = 600
    expect(
      host.parameters(of: .leSetExtendedAdvertisingData),
      is: [
        [2, 1, 1, 251] + data[..<251], [2, 0, 1, 251] + data[251..<502],
        [2, 2, 1, 98] + data[502...],
      ])
    expect(host.parameters(of: .leSetExtendedAdvertisingEnable), is: [[1, 1, 2, 0, 0, 0]])
    expect(host.radio, is: .advertising)
  }

  @Test(
    "A set on a PHY that the controller does not have stays off", arguments: [PHY.le2M, .leCoded])
  func missingPHY(phy: PHY) {
    for (service, radio) in [(BluetoothUUID.testService, RadioState.advertising), (nil, .silent)] {
      let host = advertiser(service: service)
      host.start()
      let count = host.commands.count
      expect(host.advertise(AdvertisingSet(.connectable, phy: phy), [1], in: 0))
      expect(host.commands.count, is: count)
      expect(host.radio, is: radio)
      // One on a PHY that it has is on.
      expect(host.advertise(AdvertisingSet(.connectable), [1], in: 1))
      expect(host.commands.last, is: .leSetExtendedAdvertisingEnable)
      expect(host.radio, is: .advertising)
    }
  }

  @Test("With 2M, the advertisements are on 1M; a scannable set has its data in scan responses")
  func scannable() {
    let host = advertiser(features: extendedFeature | phyFeatures, service: nil)
    host.start()
    expect(host.advertise(AdvertisingSet(.scannable, phy: .le2M), [1, 2], in: 0))
    let parameters = host.parameters(of: .leSetExtendedAdvertisingParameters).last ?? []
    expect(Array(parameters[1...2]), is: [0b10, 0])
    expect(Array(parameters[20...22]), is: [1, 0, 2])
    expect(host.parameters(of: .leSetExtendedAdvertisingData), is: [])
    expect(host.parameters(of: .leSetExtendedScanResponseData), is: [[1, 3, 1, 2, 1, 2]])
  }

  @Test("A change stops the set, and starts it with the new data")
  func change() {
    let host = advertiser(service: nil)
    host.start()
    expect(host.advertise(AdvertisingSet(.connectable), [1, 2], in: 0))
    host.forgetWhatWasSent()
    expect(host.advertise(AdvertisingSet(.connectable), [3], in: 0))
    expect(
      host.commands,
      is: [
        .leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable,
      ])
    expect(host.parameters(of: .leSetExtendedAdvertisingData), is: [[1, 3, 1, 1, 3]])
    host.forgetWhatWasSent()
    expect(host.advertise(nil, [], in: 0))
    expect(host.parameters(of: .leSetExtendedAdvertisingEnable), is: [[0, 1, 1, 0, 0, 0]])
    expect(host.radio, is: .silent)
  }

  @Test("Data that does not fit, and sets that do not exist, are refused")
  func limits() {
    let host = advertiser()
    let bytes = { [UInt8](repeating: 0, count: $0) }
    expect(host.advertise(AdvertisingSet(.connectable), bytes(245), in: 0))
    expect(!host.advertise(AdvertisingSet(.connectable), bytes(246), in: 0))
    expect(host.advertise(AdvertisingSet(.nonconnectable), bytes(600), in: 0))
    expect(!host.advertise(AdvertisingSet(.nonconnectable), bytes(601), in: 0))
    for index in [-1, 2, .max, .min] {
      expect(!host.advertise(AdvertisingSet(.connectable), [], in: index))
    }
  }

  @Test("A central's set starts again; connectable ones stop when every connection is in use")
  func connections() {
    let host = advertiser()
    host.start()
    expect(host.advertise(AdvertisingSet(.connectable), [1], in: 0))
    expect(host.advertise(AdvertisingSet(.nonconnectable), [2], in: 1))
    host.forgetWhatWasSent()
    host.connect(to: 1, 0x40)
    // Only the set of the link had stopped.
    expect(host.parameters(of: .leSetExtendedAdvertisingEnable), is: [[1, 1, 1, 0, 0, 0]])
    expect(host.connectionCount, is: 1)
    host.forgetWhatWasSent()
    host.connect(to: 0, 0x41)
    expect(
      host.parameters(of: .leSetExtendedAdvertisingEnable),
      is: [[0, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]])
    expect(host.isAdvertisingHeldBack)
    host.forgetWhatWasSent()
    host.disconnect(0x40)
    expect(
      host.parameters(of: .leSetExtendedAdvertisingEnable),
      is: [[1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]])
    expect(noLegacy.isDisjoint(with: host.commands.map(\.rawValue)))
  }

  @Test("The event of a set that has stopped is ignored if cut short, and for an unknown set")
  func truncatedEvent() {
    let host = advertiser()
    host.start()
    host.forgetWhatWasSent()
    host.receiveTruncated([0x04, 0x3E, 6, 0x12, 0, 0, 0x40, 0, 0])
    host.receive([0x04, 0x3E, 6, 0x12, 0, 0xEF, 0x40, 0, 0])
    expect(host.commands, is: [])
    expect(host.radio, is: .advertising)
  }

  @Test(
    "A refused or unanswered command is a fault, after which the controller is reset",
    arguments: [
      HCIOpcode.leSetEventMask, .leReadLocalSupportedFeatures,
      .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress,
      .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable,
    ])
  func faults(opcode: HCIOpcode) {
    let host = advertiser(address: .random(own))
    host.refused = (opcode, .memoryCapacityExceeded)
    host.start()
    expect(host.radio, is: .fault(.refused(opcode, .memoryCapacityExceeded)))
    host.refused = nil
    host.pass(milliseconds: 2_000)
    expect(host.radio, is: .advertising)

    let other = advertiser(address: .random(own))
    other.unanswered = opcode
    other.start()
    other.pass(milliseconds: 2_000)
    expect(other.events.contains(.radio(.fault(.unanswered(opcode)))))
  }

  @Test("A set that the controller refuses beside links is tried again when a link has ended")
  func refusedBesideLinks() {
    let host = advertiser()
    host.start()
    host.connect(to: 0, 0x40)
    host.refused = (.leSetExtendedAdvertisingParameters, .memoryCapacityExceeded)
    expect(host.advertise(AdvertisingSet(.connectable), [1], in: 0))
    expect(host.connectionCount, is: 1)
    expect(host.isAdvertisingHeldBack)
    host.refused = nil
    host.disconnect(0x40)
    expect(!host.isAdvertisingHeldBack)
    expect(host.radio, is: .advertising)
  }

  @Test("A set whose data is refused is set up again from its parameters and the first part")
  func refusedData() {
    let host = advertiser()
    host.start()
    host.connect(to: 0, 0x40)
    var parts = 0
    host.script = { opcode, _ in
      guard opcode == .leSetExtendedAdvertisingData else { return nil }
      parts += 1
      return parts == 2 ? [Events.complete(opcode, [0x07])] : nil
    }
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    expect(host.advertise(AdvertisingSet(.nonconnectable), data, in: 0))
    host.script = { _, _ in nil }
    host.forgetWhatWasSent()
    host.disconnect(0x40)
    let first: HCIOpcode = .leSetExtendedAdvertisingParameters
    expect(
      host.commands.filter { $0 == first || $0 == .leSetExtendedAdvertisingData },
      is: [first] + [HCIOpcode](repeating: .leSetExtendedAdvertisingData, count: 3))
    expect(
      host.parameters(of: .leSetExtendedAdvertisingData).map { Array($0[..<4]) },
      is: [[1, 1, 1, 251], [1, 0, 1, 251], [1, 2, 1, 98]])
    expect(host.radio, is: .advertising)
  }

  @Test("After a link without a Connection Complete, all sets are stopped, and start again")
  func lostEvent() {
    let host = advertiser()
    host.start()
    host.forgetWhatWasSent()
    host.disconnect(0x77)
    expect(host.parameters(of: .leSetExtendedAdvertisingEnable).first, is: [0, 0])
    expect(host.radio, is: .advertising)
  }

  /// Symptom: only the first set was checked, so the lost end of another one was never noticed.
  @Test("Each set that is on is checked in turn")
  func checksEachSet() {
    let host = advertiser()
    host.start()
    expect(host.advertise(AdvertisingSet(.nonconnectable), [1], in: 1))
    host.script = { opcode, _ in
      opcode == .leSetExtendedAdvertisingParameters ? [Events.complete(opcode, [0x0C])] : nil
    }
    host.forgetWhatWasSent()
    for _ in 0..<4 { host.pass(milliseconds: 30_000) }
    expect(
      host.parameters(of: .leSetExtendedAdvertisingParameters).map { $0[0] }, is: [2, 0, 2, 0])
  }

  /// Symptom: a controller that had lost its state was silent for ever.
  @Test("Advertising that has stopped without an event is noticed, and set up again")
  func stoppedAdvertising() {
    let host = advertiser()
    host.start()
    // The first answer shows how this controller behaves: it refuses while a set is on.
    host.script = { opcode, _ in
      opcode == .leSetExtendedAdvertisingParameters ? [Events.complete(opcode, [0x0C])] : nil
    }
    host.pass(milliseconds: 30_000)
    host.script = { _, _ in nil }
    host.forgetWhatWasSent()
    host.pass(milliseconds: 30_000)
    host.pass(milliseconds: 2_000)
    expect(host.radio, is: .fault(.stoppedAdvertising))
    host.pass(milliseconds: 0)
    expect(host.commands.contains(.reset))
    expect(host.radio, is: .advertising)
  }

  @Test("A shutdown stops every set")
  func shutDown() {
    let host = advertiser()
    host.start()
    expect(host.advertise(AdvertisingSet(.nonconnectable), [1], in: 0))
    host.shutDown()
    host.run()
    expect(host.isShutDown)
    expect(host.radio, is: .silent)
  }
}
