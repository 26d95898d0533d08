import BluetoothHost
import Expectations
import VirtualRadio

extension TestHost {
  /// - Parameter interval: In units of 1.25 ms.
  fileprivate func configureTrain(
    _ handle: UInt8 = 3, interval: UInt16 = 80, properties: UInt16 = 0
  ) {
    send(
      LESetPeriodicAdvertisingParameters(
        handle: handle, minimumInterval: interval, maximumInterval: interval,
        properties: properties))
  }

  fileprivate func giveTrain(_ data: [UInt8], _ handle: UInt8 = 3) {
    give(data, to: handle, .leSetPeriodicAdvertisingData)
  }

  fileprivate func enableTrain(_ enable: UInt8 = 1, _ handle: UInt8 = 3) {
    send(LESetPeriodicAdvertisingEnable(enable: enable, handle: handle))
  }

  /// Sends a train at an interval of 100 ms.
  fileprivate func broadcast(_ data: [UInt8] = [7], secondary: PHY = .le1M) {
    configure(3, .none, secondary: secondary)
    configureTrain()
    giveTrain(data)
    enableTrain()
    start(3)
    expect(statuses(), is: .zeros(4 + max(1, (data.count + 251) / 252)))
  }

  fileprivate func synchronize(
    with address: DeviceAddress = publicAddress(1), set: UInt8 = 3, options: UInt8 = 0,
    skip: UInt16 = 0, timeout: UInt16 = 50
  ) {
    send(
      LEPeriodicAdvertisingCreateSync(
        options: options, advertisingSet: set, address: address, skip: skip, timeout: timeout))
  }

  /// The waiting events of trains.
  fileprivate func trainEvents() -> [[UInt8]] {
    receive().filter { $0[1] == 0x3E && (0x0E...0x10).contains($0[3]) }
  }
}

private func established(
  _ handle: UInt16 = 0, status: HCIErrorCode = .success, set: UInt8 = 3,
  address: DeviceAddress = publicAddress(1), phy: PHY = .le1M, interval: UInt16 = 80
) -> [UInt8] {
  event(
    LEPeriodicAdvertisingSyncEstablished(
      status: status, handle: handle, advertisingSet: set, address: address, phy: phy,
      interval: interval))
}

private func report(
  _ data: [UInt8], _ handle: UInt8 = 0, status: UInt8 = 0, rssi: Int8 = -50, txPower: UInt8 = 127
) -> [UInt8] {
  [0x04, 0x3E, UInt8(8 + data.count), 0x0F, handle, 0, txPower, UInt8(bitPattern: rssi), 0xFF]
    + [status, UInt8(data.count)] + data
}

private func lost(_ handle: UInt16 = 0) -> [UInt8] {
  event(LEPeriodicAdvertisingSyncLost(handle: handle))
}

@Suite("Periodic advertising on the air")
struct PeriodicAdvertisingTests {
  private let air = VirtualAir()
  private let advertiser, scanner: TestHost

  init() { (advertiser, scanner) = twoHosts(on: air) }

  private func advance(to time: UInt64) { air.advance(to: milliseconds(time)) }

  /// The scanner follows the train.
  private func follow(skip: UInt16 = 0, timeout: UInt16 = 50) {
    scanner.scanExtended()
    scanner.synchronize(skip: skip, timeout: timeout)
    advance(to: air.now.rawValue + 200)
    scanner.stopExtendedScan()
    expect(scanner.trainEvents().first?[3], is: 0x0E)
  }

  @Test("A scanner reports the interval, synchronizes, and gets each packet at the interval")
  func follows() {
    advertiser.broadcast()
    scanner.scanExtended()
    // 4 bytes before the number of reports, 1 for it, and 14 before the interval.
    let heard = scanner.receive().first { $0[1] == 0x3E && $0[3] == 0x0D } ?? .zeros(30)
    expect(Array(heard[19...20]), is: [80, 0])
    expect(air.deadline, is: nil)
    scanner.synchronize()
    expect(scanner.receive(), is: [status(.lePeriodicAdvertisingCreateSync)])
    // Its next advertisement is at 100 ms, and the train's next packet after that at 200.
    advance(to: 100)
    expect(scanner.trainEvents(), is: [])
    advance(to: 200)
    expect(scanner.trainEvents(), is: [established(), report([7])])
    advance(to: 299)
    expect(scanner.trainEvents(), is: [])
    // It needs no scan from now on, and new data interrupts nothing.
    scanner.stopExtendedScan()
    advertiser.giveTrain([8, 9])
    advance(to: 500)
    expect(scanner.trainEvents(), is: [report([8, 9]), report([8, 9]), report([8, 9])])
    // The train goes on without its set.
    advertiser.start(3, false)
    advance(to: 600)
    expect(scanner.trainEvents(), is: [report([8, 9])])
  }

  @Test("An interval that is no whole number of milliseconds is kept on average")
  func unevenInterval() {
    advertiser.configure(3, .none)
    advertiser.configureTrain(interval: 6)
    advertiser.giveTrain([1])
    advertiser.enableTrain()
    advertiser.start(3)
    follow()
    _ = scanner.receive()
    // 375 / 7.5.
    advance(to: air.now.rawValue + 375)
    expect(scanner.trainEvents().count, is: 50)
  }

  @Test(
    "Data of any length arrives, in reports of at most 247 bytes",
    arguments: [0, 1, 247, 248, 1_650])
  func longData(count: Int) {
    advertiser.broadcast(counting(count), secondary: .le2M)
    scanner.scanExtended()
    scanner.synchronize()
    advance(to: 200)
    let events = scanner.trainEvents()
    expect(events.first, is: established(phy: .le2M))
    let reports = events.dropFirst()
    expect(reports.count, is: max(1, (count + 246) / 247))
    expect(reports.flatMap { $0.dropFirst(11) }, is: counting(count))
    expect(reports.map { $0[9] }, is: Array(repeating: 1, count: reports.count - 1) + [0])
  }

  @Test("A train is lost when nothing was received for the time-out", arguments: 0..<4)
  func lossOfTrain(way: Int) {
    advertiser.broadcast()
    follow()
    let last = air.now.rawValue
    switch way {
    case 0: advertiser.enableTrain(0)
    case 1: advertiser.controller.vanish()
    case 2: air.setSignalStrength(nil, from: advertiser.controller, to: scanner.controller)
    default: advertiser.send(.reset)
    }
    // 50 × 10 ms.
    advance(to: last + 499)
    expect(scanner.trainEvents(), is: [])
    advance(to: last + 500)
    expect(scanner.trainEvents(), is: [lost()])
    // A train that begins again is another one.
    guard way == 0 else { return }
    advertiser.enableTrain()
    advance(to: 3_000)
    expect(scanner.trainEvents(), is: [])
    follow()
  }

  @Test("Skipped packets, the signal strength and the transmit power")
  func skip() {
    advertiser.configure(3, .none)
    advertiser.configureTrain(properties: 0x40)
    advertiser.giveTrain([1])
    advertiser.enableTrain()
    advertiser.start(3)
    air.setSignalStrength(-77, from: advertiser.controller, to: scanner.controller)
    follow(skip: 2, timeout: 100)
    _ = scanner.receive()
    advance(to: air.now.rawValue + 900)
    let packet = report([1], rssi: -77, txPower: 0)
    expect(scanner.trainEvents(), is: [packet, packet, packet])
  }

  @Test("A host cancels, ends, and cannot follow a train twice")
  func ends() {
    advertiser.broadcast()
    scanner.send(.lePeriodicAdvertisingCreateSyncCancel)
    expect(scanner.statuses(), is: [0x0C])
    scanner.synchronize(set: 4)
    scanner.synchronize()
    expect(scanner.statuses(), is: [0, 0x0C])
    scanner.scanExtended()
    advance(to: 1_000)
    _ = scanner.receive()
    scanner.send(.lePeriodicAdvertisingCreateSyncCancel)
    expect(
      scanner.receive(),
      is: [
        complete(.lePeriodicAdvertisingCreateSyncCancel),
        established(status: .operationCancelledByHost, set: 4, interval: 0),
      ])
    scanner.stopExtendedScan()
    follow()
    scanner.synchronize()
    expect(scanner.statuses(), is: [0x0B])
    scanner.send(LEPeriodicAdvertisingTerminateSync(handle: 1))
    scanner.send(LEPeriodicAdvertisingTerminateSync(handle: 0))
    scanner.send(LEPeriodicAdvertisingTerminateSync(handle: 0))
    expect(scanner.statuses(), is: [0x42, 0, 0x42])
    expect(air.deadline, is: nil)
  }

  @Test("A train whose packets do not arrive at first is not synchronized with")
  func failsAtFirst() {
    advertiser.broadcast()
    scanner.scanExtended()
    scanner.synchronize()
    advance(to: 100)
    air.setSignalStrength(nil, from: advertiser.controller, to: scanner.controller)
    advance(to: 701)
    expect(scanner.trainEvents().map { $0[4] }, is: [0x3E])
    // The next one can begin.
    scanner.synchronize()
    expect(scanner.statuses(), is: [0])
  }

  @Test("A controller without the train's PHY does not follow it, and one without scanning neither")
  func receivers() {
    advertiser.broadcast(secondary: .le2M)
    let slow = TestHost(on: air, configuration: .init(supports2MPHY: false))
    slow.scanExtended()
    slow.synchronize()
    scanner.synchronize()
    advance(to: 1_000)
    expect(slow.trainEvents(), is: [])
    expect(scanner.trainEvents(), is: [])
    scanner.scanExtended()
    advance(to: 1_100)
    expect(scanner.trainEvents().count, is: 2)
  }

  @Test("The Periodic Advertiser list")
  func list() {
    let add = HCIOpcode.leAddDeviceToPeriodicAdvertiserList
    let remove = HCIOpcode.leRemoveDeviceFromPeriodicAdvertiserList
    let entry = { (number: UInt8) in [0, number, 0, 0, 0, 0, 0xF0, 3] as [UInt8] }
    expect(
      scanner.ask(.leReadPeriodicAdvertiserListSize),
      is: [complete(.leReadPeriodicAdvertiserListSize, .success, [8])])
    for number in 1...9 as ClosedRange<UInt8> { scanner.send(add, entry(number)) }
    scanner.send(add, entry(2))
    scanner.send(add, entry(0).dropLast() + [16])
    expect(scanner.statuses(), is: .zeros(8) + [0x07, 0x12, 0x12])
    scanner.send(remove, entry(9))
    scanner.send(remove, entry(2))
    expect(scanner.statuses(), is: [0x42, 0])
    advertiser.broadcast()
    // The address and the set in the command count for nothing.
    scanner.synchronize(with: .zero, set: 0xFF, options: 1)
    scanner.send(.leClearPeriodicAdvertiserList)
    scanner.scanExtended()
    expect(scanner.statuses(), is: [0, 0x0C, 0, 0])
    advance(to: 200)
    expect(scanner.trainEvents().first, is: established())
    scanner.send(.leClearPeriodicAdvertiserList)
    // The one of the list is followed already, and now there is none.
    scanner.synchronize(with: .zero, options: 1)
    advance(to: 900)
    expect(scanner.trainEvents().filter { $0[3] == 0x0E }, is: [])
  }

  @Test("A host follows at most 8 trains")
  func limit() {
    for handle in 0..<8 as Range<UInt8> {
      advertiser.configure(handle, .none)
      advertiser.configureTrain(handle)
      advertiser.enableTrain(1, handle)
      advertiser.start(handle)
    }
    scanner.scanExtended()
    for set in 0..<8 as Range<UInt8> {
      scanner.synchronize(set: set)
      advance(to: air.now.rawValue + 200)
      _ = scanner.receive()
    }
    scanner.synchronize(with: publicAddress(7))
    expect(scanner.statuses(), is: [0x07])
  }

  @Test("Wrong commands are refused with the specification's codes")
  func refusals() {
    let host = advertiser
    // No such set; a set of each wrong kind.
    host.configureTrain(9)
    host.giveTrain([1], 9)
    host.enableTrain(1, 9)
    expect(host.statuses(), is: [0x42, 0x42, 0x42])
    for properties in [AdvertisingProperties.connectable, .scannable, .legacy] {
      host.configure(1, properties)
      host.configureTrain(1)
      expect(host.statuses(), is: [0, 0x12])
    }
    // Intervals and properties.
    host.configure(3, .none)
    host.configureTrain(interval: 5)
    host.send(
      LESetPeriodicAdvertisingParameters(handle: 3, minimumInterval: 9, maximumInterval: 8))
    host.configureTrain(properties: 1)
    // Data and a start before the parameters.
    host.giveTrain([1])
    host.enableTrain()
    expect(host.statuses(), is: [0, 0x12, 0x12, 0x12, 0x0C, 0x0C])
    host.configureTrain(interval: 6)
    // A later part without a first; a first, which is not all; 1,651 bytes; more than fits 7.5 ms.
    host.send(.leSetPeriodicAdvertisingData, [3, 0x02, 1, 7])
    host.send(.leSetPeriodicAdvertisingData, [3, 0x01, 1, 7])
    host.enableTrain()
    expect(host.statuses(), is: [0, 0x12, 0, 0x0C])
    host.giveTrain(counting(1_000))
    expect(host.statuses(), is: [0, 0, 0x45, 0x45])
    host.configureTrain(interval: 80)
    host.giveTrain(counting(1_651))
    expect(host.statuses(), is: [0, 0, 0, 0, 0, 0, 0, 0x07])
    host.giveTrain([7])
    host.enableTrain(0b11)
    host.enableTrain(0b101)
    host.enableTrain()
    host.start(3)
    expect(host.statuses(), is: [0, 0x11, 0x12, 0, 0])
    // While the train is on.
    host.configureTrain()
    host.send(.leSetPeriodicAdvertisingData, [3, 0x01, 1, 7])
    host.send(.leSetPeriodicAdvertisingData, [3, 0x04, 0])
    host.start(3, false)
    host.configure(3, .none, secondary: .le2M)
    host.configure(3, .connectable)
    host.send(.leRemoveAdvertisingSet, [3])
    host.send(.leClearAdvertisingSets)
    expect(host.statuses(), is: [0x0C, 0x0C, 0, 0, 0x0C, 0x12, 0x0C, 0x0C])
    host.enableTrain(0)
    host.send(.leRemoveAdvertisingSet, [3])
    expect(host.statuses(), is: [0, 0])
    // Synchronizing: skip, time-outs, a set, options, every kind of extension.
    scanner.synchronize(skip: 500)
    scanner.synchronize(timeout: 9)
    scanner.synchronize(timeout: 0x4001)
    scanner.synchronize(set: 16)
    scanner.synchronize(options: 0b1000)
    scanner.synchronize(options: 0b10)
    scanner.send(
      .lePeriodicAdvertisingCreateSync, [0, 3, 0, 1, 0, 0, 0, 0, 0xF0, 0, 0, 50, 0, 0x1F])
    expect(scanner.statuses(), is: [0x12, 0x12, 0x12, 0x12, 0x12, 0x3E, 0x0C])
  }

  @Test("A lost part of the data ends its report, and the seed decides which are lost")
  func losses() {
    func run() -> [[UInt8]] {
      let air = VirtualAir(seed: 8)
      air.linkLayer = LinkLayerModel(packetLoss: 0.3)
      let advertiser = TestHost(on: air)
      let scanner = TestHost(on: air)
      advertiser.broadcast(counting(700))
      scanner.scanExtended()
      scanner.synchronize(timeout: 1_000)
      var events: [[UInt8]] = []
      for time in 1...1_000 as ClosedRange<UInt64> {
        air.advance(to: milliseconds(time * 100))
        events += scanner.trainEvents()
      }
      return events
    }
    let events = run()
    expect(events, is: run())
    let statuses = events.dropFirst().map { $0[9] }
    let whole = statuses.count { $0 == 0 }
    let cut = statuses.count { $0 == 2 }
    // About 1,000 packets of three parts: 0.7³ of them are whole, and 0.7 × (1 − 0.7²) are cut.
    expect((290...400).contains(whole), "\(whole)")
    expect((300...420).contains(cut), "\(cut)")
  }

  @Test("A host that does not read loses reports, and no other event")
  func unread() {
    advertiser.broadcast()
    scanner.scanExtended()
    scanner.synchronize()
    advance(to: 60_000)
    expect(scanner.controller.counters.droppedReports > 500)
    expect(scanner.trainEvents().first, is: established())
  }
}
