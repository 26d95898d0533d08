import Expectations

@testable import BluetoothHost

/// A peripheral with two advertising sets, each with a train of up to 600 bytes.
private typealias Broadcaster = ScriptedHost<
  2,
  AdvertisingServer<2, GATTDatabase<27>, TestApplication, PeriodicAdvertisingSets<2, 31, 600>>,
  NoClient, NoChannels
>

private let features: UInt64 = 1 << 8 | 1 << 11 | 1 << 12 | 1 << 13
private let second = PeriodicTrain(interval: 800...800)

private func broadcaster(features: UInt64 = features) -> Broadcaster {
  var behaviour = ControllerBehaviour()
  behaviour.features = features
  let host = Broadcaster(
    behaviour,
    HostConfiguration(name: DeviceName(StaticText("Test")), service: nil, address: .public),
    server: AdvertisingServer(database: testDatabase, application: TestApplication()),
    client: NoClient(), channels: NoChannels())
  host.start()
  host.forgetWhatWasSent()
  return host
}

extension Broadcaster {
  fileprivate func advertise(
    _ set: AdvertisingSet? = AdvertisingSet(.nonconnectable), _ data: [UInt8] = [9],
    in index: Int = 0
  ) -> Bool {
    let fits = host.advertise(set, data.span, in: index)
    run()
    return fits
  }

  fileprivate func broadcast(
    _ train: PeriodicTrain? = second, _ data: [UInt8] = [1, 2], with index: Int = 0
  ) -> Bool {
    let fits = host.advertise(train, data.span, withSet: index)
    run()
    return fits
  }

  /// One with the train of the first set on.
  fileprivate static func on() -> Broadcaster {
    let host = broadcaster()
    expect(host.broadcast())
    expect(host.advertise())
    host.forgetWhatWasSent()
    return host
  }
}

private func counting(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0) }
}

@Suite("Periodic advertising of a host")
struct PeriodicAdvertisingTests {
  @Test("A train begins together with its set, whichever the program names first")
  func begins() {
    let commands: [HCIOpcode] = [
      .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable,
    ]
    let host = broadcaster()
    expect(host.broadcast(PeriodicTrain(interval: 0x0102...0x0304, includesTxPower: true)))
    expect(host.commands, is: [])
    expect(host.advertise())
    expect(host.commands, is: commands)
    // Handle 1; the intervals; the transmit power.
    expect(
      host.parameters(of: .leSetPeriodicAdvertisingParameters), is: [[1, 2, 1, 4, 3, 0x40, 0]])
    expect(host.parameters(of: .leSetPeriodicAdvertisingData), is: [[1, 3, 2, 1, 2]])
    expect(host.parameters(of: .leSetPeriodicAdvertisingEnable), is: [[1, 1]])
    expect(host.radio, is: .advertising)

    let other = broadcaster()
    // Both before the host does anything.
    let data: [UInt8] = [9]
    expect(other.host.advertise(AdvertisingSet(.nonconnectable), data.span, in: 1))
    expect(other.broadcast(with: 1))
    expect(other.commands, is: commands)
    expect(other.parameters(of: .leSetPeriodicAdvertisingEnable), is: [[1, 2]])
  }

  @Test("A controller without periodic advertising sends the set alone")
  func unsupported() {
    let host = broadcaster(features: 1 << 12)
    expect(!host.host.supportsPeriodicAdvertising)
    expect(host.broadcast())
    expect(host.advertise())
    expect(
      host.commands,
      is: [
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable,
      ])
    let legacy = broadcaster(features: 1 << 13)
    expect(!legacy.host.supportsPeriodicAdvertising)
    expect(broadcaster().host.supportsPeriodicAdvertising)
  }

  @Test(
    "The first data comes in parts of at most 252 bytes",
    arguments: [(0, [0]), (252, [252]), (253, [252, 1]), (600, [252, 252, 96])])
  func parts(count: Int, lengths: [Int]) {
    let host = broadcaster()
    expect(host.broadcast(second, counting(count)))
    expect(host.advertise())
    let parts = host.parameters(of: .leSetPeriodicAdvertisingData)
    expect(parts.map { $0.count - 3 }, is: lengths)
    expect(parts.flatMap { $0.dropFirst(3) }, is: counting(count))
    expect(parts.first?[1], is: lengths.count == 1 ? 3 : 1)
    expect(parts.last?[1], is: lengths.count == 1 ? 3 : 2)
  }

  @Test("Data of up to 252 bytes changes while the train goes on; more stops it")
  func update() {
    let host = Broadcaster.on()
    expect(host.broadcast(second, [3]))
    expect(host.commands, is: [.leSetPeriodicAdvertisingData])
    expect(host.parameters(of: .leSetPeriodicAdvertisingData), is: [[1, 3, 1, 3]])
    // The same again is no command.
    expect(host.broadcast(second, [3]))
    expect(host.commands.count, is: 1)
    host.forgetWhatWasSent()
    expect(host.broadcast(second, counting(253)))
    expect(
      host.commands,
      is: [
        .leSetPeriodicAdvertisingEnable, .leSetPeriodicAdvertisingData,
        .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
      ])
    expect(host.parameters(of: .leSetPeriodicAdvertisingEnable), is: [[0, 1], [1, 1]])
  }

  @Test("Data that changes while the controller gets it begins again")
  func changeWithin() {
    let host = broadcaster()
    var isChanged = false
    host.script = { [unowned host] opcode, _ in
      guard opcode == .leSetPeriodicAdvertisingData, !isChanged else { return nil }
      isChanged = true
      let data: [UInt8] = [7]
      _ = host.host.advertise(second, data.span, withSet: 0)
      return nil
    }
    expect(host.broadcast(second, counting(600)))
    expect(host.advertise())
    let parts = host.parameters(of: .leSetPeriodicAdvertisingData)
    expect(parts.count, is: 2)
    expect(parts.last, is: [1, 3, 1, 7])
    expect(host.parameters(of: .leSetPeriodicAdvertisingEnable), is: [[1, 1]])
    host.script = { _, _ in nil }
  }

  @Test("A controller that refuses new data gets a new train")
  func refusedUpdate() {
    let host = Broadcaster.on()
    host.refused = (.leSetPeriodicAdvertisingData, .commandDisallowed)
    let data: [UInt8] = [3]
    expect(host.host.advertise(second, data.span, withSet: 0))
    // The command, and the end of the train.
    for _ in 0..<2 { if let packet = host.nextPacket() { host.answer(packet) } }
    host.refused = nil
    host.run()
    expect(
      host.commands,
      is: [
        .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
        .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
        .leSetPeriodicAdvertisingEnable,
      ])
    expect(host.radio, is: .advertising)
  }

  @Test("Another interval, and another PHY of the set, need a new train")
  func parameters() {
    let host = Broadcaster.on()
    expect(host.broadcast(PeriodicTrain(interval: 6...6)))
    expect(
      host.commands,
      is: [
        .leSetPeriodicAdvertisingEnable, .leSetPeriodicAdvertisingParameters,
        .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
      ])
    host.forgetWhatWasSent()
    expect(host.advertise(AdvertisingSet(.nonconnectable, phy: .le2M)))
    expect(
      host.commands,
      is: [
        // Core Specification, Vol 4, Part E, 7.8.53: the PHY cannot change while the train is on.
        .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable,
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
        .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable,
      ])
    host.forgetWhatWasSent()
    // New data of the set leaves the train on.
    expect(host.advertise(AdvertisingSet(.nonconnectable, phy: .le2M), [8]))
    expect(!host.commands.contains(.leSetPeriodicAdvertisingEnable))
  }

  @Test("Only a set that is neither connectable nor scannable can have a train")
  func kinds() {
    for kind in [AdvertisingSet.Kind.connectable, .scannable] {
      let host = broadcaster()
      expect(host.advertise(AdvertisingSet(kind)))
      expect(!host.broadcast())
      let other = Broadcaster.on()
      expect(!other.advertise(AdvertisingSet(kind)))
      expect(other.commands, is: [])
    }
  }

  @Test("Trains that do not fit, or of sets that do not exist, are refused")
  func limits() {
    let host = broadcaster()
    expect(host.broadcast(PeriodicTrain(interval: 6...0xFFFF), counting(600)))
    expect(!host.broadcast(PeriodicTrain(interval: 5...800)))
    expect(!host.broadcast(second, counting(601)))
    for index in [-1, 2, .max, .min] {
      expect(!host.broadcast(with: index))
      expect(!host.advertise(in: index))
    }
    let plain = ScriptedPeripheral<1>()
    let data: [UInt8] = [1]
    expect(!plain.host.advertise(second, data.span, withSet: 0))
  }

  @Test("After its train, a set is removed from the controller, and can be of any kind")
  func end() {
    let host = Broadcaster.on()
    expect(host.broadcast(nil, []))
    expect(
      host.commands,
      is: [
        .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable,
      ])
    expect(host.parameters(of: .leRemoveAdvertisingSet), is: [[1]])
    expect(host.advertise(AdvertisingSet(.connectable)))
    expect(host.radio, is: .advertising)
    // Without its set, a train ends too.
    let other = Broadcaster.on()
    expect(other.advertise(nil, []))
    expect(
      other.commands,
      is: [
        .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
      ])
    expect(other.radio, is: .silent)
  }

  @Test("After a reset of the controller, the train begins again")
  func reset() {
    let host = Broadcaster.on()
    host.receive([0x04, 0x10, 1, 0x42])
    host.pass(milliseconds: 0)
    expect(
      host.commands.suffix(6),
      is: [
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
        .leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable,
      ])
    expect(host.radio, is: .advertising)
  }

  @Test("A connectable set that waits for a free connection leaves the train on")
  func connections() {
    let host = Broadcaster.on()
    host.connect(0x40)
    host.connect(0x41)
    expect(!host.commands.contains(.leSetPeriodicAdvertisingEnable))
    expect(host.connectionCount, is: 2)
  }

  @Test(
    "A refused or unanswered command is a fault, after which the controller is reset",
    arguments: [
      HCIOpcode.leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData,
      .leSetPeriodicAdvertisingEnable,
    ])
  func faults(opcode: HCIOpcode) {
    let host = broadcaster()
    host.refused = (opcode, .packetTooLong)
    expect(host.broadcast())
    expect(host.advertise())
    expect(host.radio, is: .fault(.refused(opcode, .packetTooLong)))
    host.refused = nil
    host.pass(milliseconds: 2_000)
    expect(host.radio, is: .advertising)

    let other = broadcaster()
    other.unanswered = opcode
    expect(other.broadcast())
    expect(other.advertise())
    other.pass(milliseconds: 2_000)
    expect(other.events.contains(.radio(.fault(.unanswered(opcode)))))
  }

  @Test("A shutdown ends the train too")
  func shutDown() {
    let host = Broadcaster.on()
    host.shutDown()
    expect(!host.isShutDown)
    host.run()
    expect(
      host.commands, is: [.leSetPeriodicAdvertisingEnable, .leSetExtendedAdvertisingEnable])
    expect(host.isShutDown)
  }
}
