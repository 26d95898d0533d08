import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Advertising and scanning")
struct AdvertisingTests {
  private let air = VirtualAir()
  private let advertiser, scanner: TestHost

  init() { (advertiser, scanner) = twoHosts(on: air) }

  @Test("A passive scan reports the advertisement at once, then once an interval")
  func passiveScan() {
    advertiser.advertise([2, 1, 6], scanResponse: [2, 9, 65], interval: 0x00A0)  // 100 ms
    scanner.scan()
    let heard = report(.connectable, publicAddress(1), [2, 1, 6])
    expect(scanner.reports(), is: [heard])
    expect(air.deadline, is: milliseconds(100))
    air.advance(to: milliseconds(99))
    expect(scanner.reports(), is: [])
    air.advance(to: milliseconds(350))
    expect(scanner.reports(), is: [heard, heard, heard])
    expect(air.deadline, is: milliseconds(400))
  }

  @Test("Without duplicates, an advertiser is reported once, and the air can sleep")
  func filterDuplicates() {
    advertiser.advertise(scanResponse: [2, 9, 65])
    scanner.scan(active: true, filterDuplicates: true)
    expect(scanner.reports().count, is: 2)
    expect(air.deadline, is: nil)
    air.advance(to: milliseconds(1_000))
    expect(scanner.reports(), is: [])
    // Enabled again, a scan starts from the beginning.
    scanner.send(LESetScanEnable(enable: 1, filterDuplicates: 1))
    expect(scanner.reports().count, is: 2)
  }

  @Test("After a long silence, advertisements continue at their interval, without a flood")
  func laterScan() {
    advertiser.advertise(interval: 0x00A0)
    air.advance(to: milliseconds(10_050))
    scanner.scan()
    expect(scanner.reports().count, is: 1)
    expect(air.deadline, is: milliseconds(10_100))
  }

  @Test("The signal strength is the advertiser's, or the pair's")
  func signalStrength() {
    let other = TestHost(on: air)
    advertiser.controller.signalStrength = -70
    air.setSignalStrength(-31, from: advertiser.controller, to: other.controller)
    scanner.scan()
    other.scan()
    advertiser.advertise([])
    expect(scanner.reports(), is: [report(.connectable, publicAddress(1), rssi: -70)])
    expect(other.reports(), is: [report(.connectable, publicAddress(1), rssi: -31)])
  }

  @Test("Scannable advertising has a scan response, nonconnectable does not")
  func kinds() {
    scanner.scan(active: true)
    advertiser.advertise([], type: 2)
    expect(
      scanner.reports(),
      is: [report(.scannable, publicAddress(1)), report(.scanResponse, publicAddress(1))])
    advertiser.send(LESetAdvertisingEnable(false))
    advertiser.advertise([], type: 3)
    expect(scanner.reports(), is: [report(.nonconnectable, publicAddress(1))])
  }

  @Test("Changing settings in use is disallowed; enabling twice is allowed")
  func misuse() {
    advertiser.advertise()
    _ = advertiser.receive()
    expect(
      advertiser.ask(LESetAdvertisingParameters(minimumInterval: 0x20, maximumInterval: 0x20)),
      is: [complete(.leSetAdvertisingParameters, .commandDisallowed)])
    expect(advertiser.ask(LESetAdvertisingEnable(true)), is: [complete(.leSetAdvertisingEnable)])
    expect(advertiser.ask(LESetAdvertisingEnable(false)), is: [complete(.leSetAdvertisingEnable)])
    expect(advertiser.ask(LESetAdvertisingEnable(false)), is: [complete(.leSetAdvertisingEnable)])
    scanner.scan()
    scanner.send(LESetScanEnable(enable: 1, filterDuplicates: 1))
    _ = scanner.receive()
    expect(
      scanner.ask(
        LESetScanParameters(
          type: 0, interval: 0x10, window: 0x10, ownAddressType: 0, filterPolicy: 0)),
      is: [complete(.leSetScanParameters, .commandDisallowed)])
  }

  @Test("A random address that was never set cannot be used")
  func missingRandomAddress() {
    advertiser.advertise(ownAddressType: 1)
    expect(
      advertiser.receive().last, is: complete(.leSetAdvertisingEnable, .invalidCommandParameters))
    scanner.scan(ownAddressType: 1)
    expect(scanner.receive().last, is: complete(.leSetScanEnable, .invalidCommandParameters))
  }

  @Test("Only unread reports count against the limit of 64, not other packets that were read")
  func reportLimit() {
    for _ in 0..<10 { scanner.send(.readBDADDR) }
    scanner.scan()
    advertiser.advertise([], interval: 0x00A0)
    for _ in 0..<8 { expect(scanner.receiveOne()?[1], is: 0x0E) }
    air.advance(to: milliseconds(10_000))  // 101 advertisements
    expect(scanner.controller.counters.droppedReports, is: 101 - 64)
    // Each report that is read has room for one more.
    expect(scanner.receiveOne()?[1], is: 0x0E)
    while scanner.receiveOne()?[1] == 0x0E {}
    air.advance(to: milliseconds(10_100))
    expect(scanner.controller.counters.droppedReports, is: 101 - 64)
    expect(scanner.reports().count, is: 64)
  }
}
