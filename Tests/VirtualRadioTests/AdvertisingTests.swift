import BluetoothHost
import Testing
import VirtualRadio

@Suite("Advertising and scanning")
struct AdvertisingTests {
  let air = VirtualAir()
  let advertiser: TestHost
  let scanner: TestHost

  init() {
    advertiser = TestHost(on: air)
    scanner = TestHost(on: air)
  }

  /// The reports alone, without the answers to commands.
  private func reports(_ host: TestHost) -> [[UInt8]] {
    host.receive().filter { $0.starts(with: [0x04, 0x3E]) }
  }

  @Test("A passive scan reports the advertisement at once, then once an interval")
  func passiveScan() {
    advertiser.advertise([2, 1, 6], scanResponse: [2, 9, 65], interval: 0x00A0)  // 100 ms
    scanner.scan()
    let heard = report(.connectable, publicAddress(1), [2, 1, 6])
    #expect(reports(scanner) == [heard])
    #expect(air.deadline == milliseconds(100))
    air.advance(to: milliseconds(99))
    #expect(reports(scanner) == [])
    air.advance(to: milliseconds(350))
    #expect(reports(scanner) == [heard, heard, heard])
    #expect(air.deadline == milliseconds(400))
  }

  @Test("An active scan also reports the scan response")
  func activeScan() {
    scanner.scan(active: true)
    advertiser.advertise([2, 1, 6], scanResponse: [2, 9, 65])
    #expect(
      reports(scanner) == [
        report(.connectable, publicAddress(1), [2, 1, 6]),
        report(.scanResponse, publicAddress(1), [2, 9, 65]),
      ])
  }

  @Test("Without duplicates, an advertiser is reported once, and the air can sleep")
  func filterDuplicates() {
    advertiser.advertise(scanResponse: [2, 9, 65])
    scanner.scan(active: true, filterDuplicates: true)
    #expect(reports(scanner).count == 2)
    #expect(air.deadline == nil)
    air.advance(to: milliseconds(1_000))
    #expect(reports(scanner) == [])
    // Enabled again, a scan starts from the beginning.
    scanner.send(LESetScanEnable(enable: 1, filterDuplicates: 1))
    #expect(reports(scanner).count == 2)
  }

  @Test("Without scanners, the air has no deadline")
  func nobodyListens() {
    advertiser.advertise()
    #expect(air.deadline == nil)
  }

  @Test("After a long silence, advertisements continue at their interval, without a flood")
  func laterScan() {
    advertiser.advertise(interval: 0x00A0)
    air.advance(to: milliseconds(10_050))
    scanner.scan()
    #expect(reports(scanner).count == 1)
    #expect(air.deadline == milliseconds(10_100))
  }

  @Test("The signal strength is the advertiser's, or the pair's")
  func signalStrength() {
    let other = TestHost(on: air)
    advertiser.controller.signalStrength = -70
    air.setSignalStrength(-31, from: advertiser.controller, to: other.controller)
    scanner.scan()
    other.scan()
    advertiser.advertise([])
    #expect(reports(scanner) == [report(.connectable, publicAddress(1), rssi: -70)])
    #expect(reports(other) == [report(.connectable, publicAddress(1), rssi: -31)])
  }

  @Test("Out of range, nothing is heard")
  func outOfRange() {
    air.setSignalStrength(nil, from: advertiser.controller, to: scanner.controller)
    scanner.scan()
    advertiser.advertise()
    #expect(reports(scanner) == [])
    #expect(air.deadline == nil)
  }

  @Test("The random address is advertised")
  func randomAdvertiser() {
    #expect(
      advertiser.ask(LESetRandomAddress(randomAddress(9))) == [complete(.leSetRandomAddress)])
    scanner.scan()
    advertiser.advertise([], ownAddressType: 1)
    #expect(reports(scanner) == [report(.connectable, randomAddress(9))])
  }

  @Test("Scannable advertising has a scan response, nonconnectable does not")
  func kinds() {
    scanner.scan(active: true)
    advertiser.advertise([], type: 2)
    #expect(
      reports(scanner) == [
        report(.scannable, publicAddress(1)), report(.scanResponse, publicAddress(1)),
      ])
    advertiser.send(LESetAdvertisingEnable(false))
    advertiser.advertise([], type: 3)
    #expect(reports(scanner) == [report(.nonconnectable, publicAddress(1))])
  }

  @Test("Directed advertising is for one device; with a high duty cycle it times out after 1.28 s")
  func directed() {
    let other = TestHost(on: air)
    scanner.scan()
    other.scan()
    advertiser.advertise([], type: 1, peer: publicAddress(2))
    #expect(reports(scanner) == [report(.directed, publicAddress(1))])
    #expect(reports(other) == [])
    _ = advertiser.receive()
    air.advance(to: milliseconds(1_280))
    #expect(!advertiser.controller.isAdvertising)
    #expect(
      advertiser.receive().first?[4...] == [UInt8(0x3C)] + [0, 0, 1]
        + [
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ][...])
  }

  @Test("A scanner reports only devices of its accept list")
  func acceptList() {
    scanner.scan(filterPolicy: 1)
    advertiser.advertise()
    #expect(reports(scanner) == [])
    // The list is fixed while it is in use.
    let device: [UInt8] = [0, 1, 0, 0, 0, 0, 0xF0]
    let add = HCIOpcode(rawValue: 0x2011)
    #expect(scanner.ask(add, device) == [complete(add, .commandDisallowed)])
    scanner.send(LESetScanEnable(enable: 0, filterDuplicates: 0))
    scanner.send(add, device)
    scanner.scan(filterPolicy: 1)
    #expect(reports(scanner).count == 1)
  }

  @Test("Changing settings in use is disallowed; enabling twice is allowed")
  func misuse() {
    advertiser.advertise()
    _ = advertiser.receive()
    #expect(
      advertiser.ask(LESetRandomAddress(randomAddress(1)))
        == [complete(.leSetRandomAddress, .commandDisallowed)])
    #expect(
      advertiser.ask(LESetAdvertisingParameters(minimumInterval: 0x20, maximumInterval: 0x20))
        == [complete(.leSetAdvertisingParameters, .commandDisallowed)])
    #expect(
      advertiser.ask(LESetAdvertisingEnable(true)) == [complete(.leSetAdvertisingEnable)])
    #expect(
      advertiser.ask(LESetAdvertisingEnable(false)) == [complete(.leSetAdvertisingEnable)])
    #expect(
      advertiser.ask(LESetAdvertisingEnable(false)) == [complete(.leSetAdvertisingEnable)])
    scanner.scan()
    scanner.send(LESetScanEnable(enable: 1, filterDuplicates: 1))
    _ = scanner.receive()
    #expect(
      scanner.ask(
        LESetScanParameters(
          type: 0, interval: 0x10, window: 0x10, ownAddressType: 0, filterPolicy: 0))
        == [complete(.leSetScanParameters, .commandDisallowed)])
    #expect(
      scanner.ask(LESetRandomAddress(randomAddress(1)))
        == [complete(.leSetRandomAddress, .commandDisallowed)])
  }

  @Test("A random address that was never set cannot be used")
  func missingRandomAddress() {
    advertiser.advertise(ownAddressType: 1)
    #expect(
      advertiser.receive().last == complete(.leSetAdvertisingEnable, .invalidCommandParameters))
    scanner.scan(ownAddressType: 1)
    #expect(scanner.receive().last == complete(.leSetScanEnable, .invalidCommandParameters))
  }

  @Test("A host that does not read misses advertisements, and the controller does not grow")
  func slowScanner() {
    scanner.scan()
    _ = scanner.receive()
    advertiser.advertise([], interval: 0x00A0)
    air.advance(to: milliseconds(100_000))  // 1,001 advertisements
    #expect(reports(scanner).count == 64)
    #expect(scanner.controller.counters.droppedReports == 1_001 - 64)
  }

  @Test("Only unread reports count against the limit of 64, not other packets that were read")
  func reportLimit() {
    for _ in 0..<10 { scanner.send(.readBDADDR) }
    scanner.scan()
    advertiser.advertise([], interval: 0x00A0)
    for _ in 0..<8 { #expect(scanner.receiveOne()?[1] == 0x0E) }
    air.advance(to: milliseconds(10_000))  // 101 advertisements
    #expect(scanner.controller.counters.droppedReports == 101 - 64)
    // Each report that is read has room for one more.
    #expect(scanner.receiveOne()?[1] == 0x0E)
    while scanner.receiveOne()?[1] == 0x0E {}
    air.advance(to: milliseconds(10_100))
    #expect(scanner.controller.counters.droppedReports == 101 - 64)
    #expect(reports(scanner).count == 64)
  }
}
