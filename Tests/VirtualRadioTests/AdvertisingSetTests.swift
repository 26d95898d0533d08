import BluetoothHost
import Expectations
import VirtualRadio

extension TestHost {
  fileprivate func connectExtended(to peer: DeviceAddress, phys: PHYSet) {
    send(
      LEExtendedCreateConnection(
        filterPolicy: 0, ownAddressType: 0, peer: peer, phys: phys,
        attempt: .init(
          scanInterval: 16, scanWindow: 16,
          parameters: ConnectionParameters(
            minimumInterval: 24, maximumInterval: 24, latency: 0, supervisionTimeout: 72))))
  }

  /// The waiting extended reports, as kinds and data.
  fileprivate func extendedReports() -> [Heard] {
    receive().filter { $0.starts(with: [0x04, 0x3E]) && $0[3] == 0x0D }.map { packet in
      // 4 bytes before the number of reports, 1 for it, 24 before the data.
      Heard(
        kind: UInt16(packet[5]) | UInt16(packet[6]) << 8, phys: [packet[14], packet[15]],
        set: packet[16], data: Array(packet[29...]))
    }
  }
}

private struct Heard: Equatable {
  var kind: UInt16
  var phys: [UInt8]
  var set: UInt8
  var data: [UInt8]
}

@Suite("Advertising sets on the air")
struct AdvertisingSetTests {
  private let air = VirtualAir()
  private let advertiser, scanner: TestHost

  init() { (advertiser, scanner) = twoHosts(on: air) }

  // Core Specification, Vol 4, Part E, 3.1.1.
  @Test("The commands of Bluetooth 4 and 5 exclude each other until a reset")
  func mixture() {
    let legacy: [HCIOpcode] = [
      .leSetAdvertisingParameters, .leReadAdvertisingChannelTxPower, .leSetAdvertisingData,
      .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
      .leCreateConnection,
    ]
    let extended: [HCIOpcode] = [
      .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
      .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
      .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
      .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
      .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]
    for (first, others) in [(legacy, extended), (extended, legacy)] {
      for one in first {
        for other in others {
          let host = TestHost(on: air)
          for (opcode, isRefused) in [(one, false), (other, true), (one, false)] {
            let parameters = [UInt8].zeros(opcode.declaration?.parameterLength ?? 0)
            host.send(opcode, parameters)
            let isDisallowed = host.statuses() == [HCIErrorCode.commandDisallowed.rawValue]
            expect(isDisallowed, is: isRefused, "\(one), then \(other)")
          }
          host.send(.reset)
          host.send(other, .zeros(other.declaration?.parameterLength ?? 0))
          expect(host.statuses().last != HCIErrorCode.commandDisallowed.rawValue)
          host.controller.vanish()
        }
      }
    }
  }

  @Test(
    "Data of any length arrives, in reports of at most 229 bytes",
    arguments: [0, 1, 31, 229, 230, 251, 252, 458, 1_650])
  func longData(count: Int) {
    advertiser.configure(3, .none, secondary: .le2M)
    advertiser.give(counting(count), to: 3)
    advertiser.start(3)
    expect(advertiser.statuses().allSatisfy { $0 == 0 })
    scanner.scanExtended()
    let reports = scanner.extendedReports()
    expect(reports.flatMap(\.data), is: counting(count))
    expect(reports.count, is: max(1, (count + 228) / 229))
    for (index, report) in reports.enumerated() {
      // Bit 5: more data follows.
      expect(report.kind, is: index == reports.count - 1 ? 0 : 0b10_0000)
      expect(report.phys, is: [1, 2])
      expect(report.set, is: 3)
    }
    // Nobody needs another advertisement.
    expect(air.deadline, is: nil)
  }

  @Test("Only an extended scan on its PHY receives a set, and legacy PDUs reach every scanner")
  func receivers() {
    advertiser.configure(0, .legacyConnectable)
    advertiser.give([1], to: 0)
    advertiser.configure(1)
    advertiser.give([2], to: 1)
    advertiser.configure(2, primary: .leCoded, secondary: .leCoded)
    advertiser.give([3], to: 2)
    for handle in [0, 1, 2] as [UInt8] { advertiser.start(handle) }
    let old = TestHost(on: air)
    old.scan(filterDuplicates: true)
    expect(old.reports(), is: [report(.connectable, publicAddress(1), [1])])
    let legacy = Heard(kind: 0x13, phys: [1, 0], set: 0xFF, data: [1])
    let plain = Heard(kind: 0x01, phys: [1, 1], set: 1, data: [2])
    let coded = Heard(kind: 0x01, phys: [3, 3], set: 2, data: [3])
    scanner.scanExtended()
    expect(scanner.extendedReports(), is: [legacy, plain])
    for (phys, heard) in [(PHYSet.leCoded, [coded]), (.le1M | .leCoded, [legacy, plain, coded])] {
      let other = TestHost(on: air)
      other.scanExtended(phys: phys)
      expect(other.extendedReports(), is: heard)
    }
    // Changed data is reported again.
    advertiser.give([4], to: 1)
    air.advance(to: milliseconds(1_000))
    expect(scanner.extendedReports(), is: [Heard(kind: 0x01, phys: [1, 1], set: 1, data: [4])])
  }

  @Test("A scannable set has its data in the scan response, for an active scan")
  func scannable() {
    advertiser.configure(1, .scannable)
    advertiser.start(1)
    // It has no scan response data.
    expect(advertiser.statuses(), is: [0, 0x0C])
    advertiser.give(counting(300), to: 1, .leSetExtendedScanResponseData)
    advertiser.start(1)
    scanner.scanExtended(active: true)
    let reports = scanner.extendedReports()
    expect(reports.map(\.kind), is: [0b0010, 0b10_1010, 0b1010])
    expect(reports.dropFirst().flatMap(\.data), is: counting(300))
    let passive = TestHost(on: air)
    passive.scanExtended()
    expect(passive.extendedReports().map(\.kind), is: [0b0010])
  }

  @Test(
    "An initiator connects on the PHYs that it asks for, and the link begins on the set's",
    arguments: [
      (PHY.le1M, PHY.le1M, PHYSet.le1M, UInt8(1)), (.le1M, .le2M, .le1M | .le2M, 2),
      (.leCoded, .leCoded, .leCoded, 3), (.leCoded, .leCoded, .le1M | .le2M | .leCoded, 3),
      (.leCoded, .leCoded, .le1M | .le2M, 0), (.le1M, .le1M, .leCoded, 0),
    ])
  func connects(primary: PHY, secondary: PHY, phys: PHYSet, link: UInt8) {
    advertiser.configure(5, primary: primary, secondary: secondary)
    advertiser.start(5)
    _ = advertiser.receive()
    scanner.connectExtended(to: publicAddress(1), phys: phys)
    air.advance(to: milliseconds(1_000))
    expect(scanner.controller.connectionHandles.count, is: link == 0 ? 0 : 1)
    expect(advertiser.controller.isAdvertising, is: link == 0)
    guard link != 0 else { return }
    let handle = bytes { $0.write(scanner.handle.rawValue) }
    _ = scanner.receive()
    expect(
      scanner.ask(.leReadPHY, handle), is: [complete(.leReadPHY, .success, handle + [link, link])])
    expect(
      advertiser.receive(),
      is: [
        enhanced(advertiser.handle, 1, publicAddress(2)),
        event(
          LEAdvertisingSetTerminated(status: .success, handle: 5, connection: advertiser.handle)),
      ])
  }

  @Test("The command of Bluetooth 4 connects only to legacy PDUs, which both commands do")
  func legacyInitiator() {
    advertiser.configure(1)
    advertiser.start(1)
    scanner.connect(to: publicAddress(1))
    air.advance(to: milliseconds(1_000))
    expect(scanner.controller.connectionHandles.count, is: 0)
    advertiser.configure(2, .legacyConnectable)
    advertiser.start(2)
    expect(scanner.controller.connectionHandles.count, is: 1)
    let other = TestHost(on: air)
    // The link has stopped only its own set.
    expect(advertiser.controller.isAdvertising)
    advertiser.start(2)
    other.connectExtended(to: publicAddress(1), phys: .le1M)
    expect(other.controller.connectionHandles.count, is: 1)
  }

  @Test("Each set has an address of its own")
  func addresses() {
    for handle in [1, 2] as [UInt8] {
      advertiser.configure(handle, ownAddressType: 1)
      advertiser.start(handle)
      // Without an address it cannot advertise.
      expect(advertiser.statuses(), is: [0, 0x12])
      advertiser.send(
        LESetAdvertisingSetRandomAddress(handle: handle, address: randomAddress(handle)))
      advertiser.start(handle)
      expect(advertiser.statuses(), is: [0, 0])
    }
    scanner.connectExtended(to: randomAddress(2), phys: .le1M)
    _ = scanner.receive()
    expect(
      advertiser.receive().last,
      is: event(
        LEAdvertisingSetTerminated(status: .success, handle: 2, connection: advertiser.handle)))
    expect(advertiser.controller.isAdvertising)
  }

  @Test("A set stops after its time or its number of advertisements, a scan after its time")
  func limits() {
    advertiser.configure(1)
    advertiser.configure(2)
    advertiser.start(1, duration: 30)
    advertiser.start(2, maximumEvents: 5)
    _ = advertiser.receive()
    air.advance(to: milliseconds(299))
    expect(advertiser.receive(), is: [])
    // 30 × 10 ms, and 5 × 100 ms.
    let none = ConnectionHandle(rawValue: 0)
    air.advance(to: milliseconds(300))
    expect(
      advertiser.receive(),
      is: [
        event(LEAdvertisingSetTerminated(status: .advertisingTimeout, handle: 1, connection: none))
      ])
    air.advance(to: milliseconds(500))
    expect(
      advertiser.receive(),
      is: [event(LEAdvertisingSetTerminated(status: .limitReached, handle: 2, connection: none))])
    expect(!advertiser.controller.isAdvertising)
    scanner.scanExtended(duration: 7)
    _ = scanner.receive()
    air.advance(to: milliseconds(570))
    expect(scanner.receive(), is: [event(LEScanTimeout())])
    expect(!scanner.controller.isScanning)
  }

  @Test("Sets and their data have limits")
  func refusals() {
    let host = TestHost(
      on: air, configuration: .init(supportsCodedPHY: false, advertisingSetCount: 2))
    host.configure(1, .none)
    host.configure(2)
    host.configure(3)
    expect(host.statuses(), is: [0, 0, 0x07])
    // Both kinds at once; the coded PHY; 2M for advertisements; an anonymous one.
    host.configure(2, .connectable | .scannable)
    host.configure(2, primary: .leCoded)
    host.configure(2, primary: .le2M)
    host.configure(2, .anonymous)
    expect(host.statuses(), is: [0x12, 0x11, 0x12, 0x11])
    // An unknown set; a later part without a first; a first part, which is not all.
    host.give([1], to: 9)
    host.send(.leSetExtendedAdvertisingData, [1, 0x02, 1, 1, 7])
    host.send(.leSetExtendedAdvertisingData, [1, 0x01, 1, 1, 7])
    host.start(1)
    expect(host.statuses(), is: [0x42, 0x12, 0, 0x0C])
    // 1,651 bytes; 246 in a connectable set.
    host.give(counting(1_651), to: 1)
    host.give(counting(246), to: 2)
    host.start(2)
    expect(host.statuses(), is: [0, 0, 0, 0, 0, 0, 0x07, 0, 0x45])
    // While a set is on: its parameters, its data in parts, its removal, all sets.
    host.give([], to: 1)
    host.start(1)
    host.configure(1, .none)
    host.send(.leSetExtendedAdvertisingData, [1, 0x01, 1, 1, 7])
    host.send(.leRemoveAdvertisingSet, [1])
    host.send(.leClearAdvertisingSets)
    expect(host.statuses(), is: [0, 0, 0x0C, 0x0C, 0x0C, 0x0C])
    // The same set twice; none; an unknown one.
    host.send(.leSetExtendedAdvertisingEnable, [1, 2, 1, 0, 0, 0, 1, 0, 0, 0])
    host.send(.leSetExtendedAdvertisingEnable, [1, 0])
    host.send(.leSetExtendedAdvertisingEnable, [1, 1, 9, 0, 0, 0])
    expect(host.statuses(), is: [0x12, 0x12, 0x42])
    // All off, and gone.
    host.send(.leSetExtendedAdvertisingEnable, [0, 0])
    host.send(.leRemoveAdvertisingSet, [1])
    host.send(.leRemoveAdvertisingSet, [1])
    host.send(.leClearAdvertisingSets)
    host.configure(4)
    expect(host.statuses(), is: [0, 0, 0x42, 0, 0])
    expect(
      host.ask(.leReadMaximumAdvertisingDataLength),
      is: [complete(.leReadMaximumAdvertisingDataLength, .success, [0x72, 0x06])])
    expect(
      host.ask(.leReadNumberOfSupportedAdvertisingSets),
      is: [complete(.leReadNumberOfSupportedAdvertisingSets, .success, [2])])
    // Scans: 2M, none, a window longer than the interval, periods.
    host.send(.leSetExtendedScanParameters, [0, 0, 2, 0, 16, 0, 16, 0])
    host.send(.leSetExtendedScanParameters, [0, 0, 0, 0, 16, 0, 16, 0])
    host.send(.leSetExtendedScanParameters, [0, 0, 1, 0, 16, 0, 17, 0])
    host.send(.leSetExtendedScanEnable, [1, 0, 1, 0, 1, 0])
    expect(host.statuses(), is: [0x12, 0x12, 0x12, 0x11])
  }
}
