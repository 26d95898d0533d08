import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("A manager's scan")
struct CentralScanTests {
  private let stage = CentralStage()
  private let log = CentralLog()
  private let manager: CBCentralManager
  private let heartRate = CBUUID(string: "180D")

  init() {
    manager = stage.manager(log)
    stage.settle()
    _ = log.take()
  }

  private static let named: [UInt8] = [5, 0x09] + Array("Name".utf8)

  @Test("reports an advertiser once, with the data of its scan response")
  func once() throws {
    try stage.advertise([3, 0x03, 0x0D, 0x18], scanResponse: Self.named, type: 0)
    manager.scanForPeripherals(withServices: nil)
    stage.pass(5_000)
    #expect(log.take() == ["discovered Name -50"])
    // A new scan reports it again.
    manager.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    #expect(log.take() == ["discovered Name -50"])
    manager.stopScan()
    stage.pass(5_000)
    #expect(log.take() == [])
    #expect(!stage.radio.controller.isScanning)
  }

  @Test("results of an earlier scan are not reported in the next, or after the last")
  func stale() throws {
    try stage.advertise(Self.named, type: 3)
    let (log, manager, heartRate) = (log, manager, heartRate)
    log.onLine = { [weak manager] _ in manager?.scanForPeripherals(withServices: [heartRate]) }
    try stage.advertise(Self.named, type: 3, number: 0xAE)
    manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    stage.pass(5_000)
    log.onLine = nil
    #expect(log.take() == ["discovered Name -50"])
  }

  @Test("a scan that the controller refuses ends, and the next one works")
  func refused() throws {
    try stage.advertise(Self.named, type: 3)
    stage.radio.controller.faults.refuse(.leSetScanEnable, with: .commandDisallowed)
    manager.scanForPeripherals(withServices: nil)
    let wasScanning = manager.isScanning
    stage.pass(1_000)
    // A failed check of the manager itself would print all that it refers to.
    let isScanning = manager.isScanning
    #expect(wasScanning && !isScanning)
    #expect(log.take() == [])
    // An attempt to connect does not give way to the scan that has ended.
    #expect(stage.radio.device.central.scanner.wanted == nil)
    manager.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    #expect(log.take() == ["discovered Name -50"])
  }

  @Test("does not wait for advertisers without a scan response")
  func nonScannable() throws {
    try stage.advertise(Self.named, type: 3)
    manager.scanForPeripherals(withServices: nil)
    stage.pass(150)
    #expect(log.take() == ["discovered Name -50"])
    #expect(log.advertisements.first?[CBAdvertisementDataIsConnectable] as? NSNumber == false)
  }

  @Test("reports every advertisement, if duplicates are allowed")
  func duplicates() throws {
    try stage.advertise(Self.named, type: 3)
    manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    stage.pass(1_000)
    let count = log.take().count
    // Every 100 ms, and up to 10 ms of jitter: Core Specification, Vol 6, Part B, 4.4.2.2.1.
    #expect((9...11).contains(count))
    #expect(log.peripherals.count == 1)
  }

  @Test("each manager has its own duplicates option and filter")
  func twoManagers() throws {
    try stage.advertise(Self.named, type: 3)
    let otherLog = CentralLog()
    let other = stage.manager(otherLog)
    stage.settle()
    manager.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    #expect(log.take() == ["discovered Name -50"])
    other.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    stage.pass(1_000)
    #expect(otherLog.take().count > 5)
    #expect(log.take() == [])
    other.scanForPeripherals(withServices: [heartRate])
    stage.pass(1_000)
    _ = otherLog.take()
    stage.pass(1_000)
    #expect(otherLog.take() == [])
    manager.stopScan()
    stage.pass(1_000)
    #expect(stage.radio.controller.isScanning)
    other.stopScan()
    stage.pass(1_000)
    #expect(!stage.radio.controller.isScanning)
  }

  /// Symptom: every device was reported again, twice, and first without its name.
  @Test("another manager's scan and its end repeat no reports")
  func anotherScan() throws {
    try stage.advertise([3, 0x03, 0x0D, 0x18], scanResponse: Self.named, type: 0)
    manager.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    #expect(log.take() == ["discovered Name -50"])
    let otherLog = CentralLog()
    let other = stage.manager(otherLog)
    stage.settle()
    _ = otherLog.take()
    other.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    #expect(otherLog.take() == ["discovered Name -50"])
    // The end of a scan with the same options does not start the other one again.
    other.stopScan()
    stage.settle()
    #expect(stage.radio.device.central.scanner.advertisers.count == 1)
    other.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    stage.pass(1_000)
    other.stopScan()
    stage.pass(1_000)
    #expect(log.take() == [])
    #expect(stage.radio.device.central.scanner.wanted == ScanParameters())
  }

  @Test("reports advertisers that have or solicit one of the services, in any UUID width")
  func filters() throws {
    try stage.advertise([3, 0x03, 0x0D, 0x18, 3, 0x08, 0x41, 0x41], type: 3, number: 0xA1)
    try stage.advertise([3, 0x03, 0x0F, 0x18, 3, 0x08, 0x42, 0x42], type: 3, number: 0xA2)
    try stage.advertise([3, 0x14, 0x0D, 0x18, 3, 0x08, 0x43, 0x43], type: 3, number: 0xA3)
    let long = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
    manager.scanForPeripherals(withServices: [long])
    stage.pass(1_000)
    #expect(log.take() == ["discovered AA -50"])
    manager.scanForPeripherals(
      withServices: [CBUUID(string: "180F")],
      options: [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [heartRate]])
    stage.pass(1_000)
    #expect(log.take().sorted() == ["discovered BB -50", "discovered CC -50"])
  }

  @Test("reports all advertised data by Apple's keys")
  func advertisementData() throws {
    try stage.advertise(
      [3, 0x03, 0x0D, 0x18, 2, 0x0A, 0xF8, 4, 0xFF, 0x4C, 0x00, 0x07]
        + [4, 0x16, 0x0F, 0x18, 0x63, 3, 0x14, 0x12, 0x18],
      scanResponse: Self.named, type: 2)
    manager.scanForPeripherals(withServices: nil)
    stage.pass(1_000)
    let data = try #require(log.advertisements.first)
    #expect(data.count == 7)
    #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Name")
    #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [heartRate])
    #expect(data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == -8)
    #expect(
      data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0x00, 0x07]))
    #expect(
      data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
        == [CBUUID(string: "180F"): Data([0x63])])
    #expect(
      data[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "1812")])
    #expect(data[CBAdvertisementDataIsConnectable] as? NSNumber == false)
  }

  @Test("an advertiser without a scan response is reported after half a second")
  func noScanResponse() {
    var scan = ManagerScan(number: 1, services: [], solicited: [], allowsDuplicates: false)
    var discovery = Discovery(address: .numbered(2))
    discovery.awaitsScanResponse = true
    func isReported(after milliseconds: UInt32) -> Bool {
      scan.report(for: discovery, at: Instant(rawValue: 0).advanced(by: milliseconds)) != nil
    }
    func held(_ milliseconds: UInt32) -> [Discovery] {
      scan.takeHeld(at: Instant(rawValue: 0).advanced(by: milliseconds))
    }
    #expect(!isReported(after: 0))
    #expect(!isReported(after: 100))
    #expect(scan.deadline == Instant(rawValue: 500))
    #expect(held(499) == [])
    #expect(held(500) == [discovery])
    #expect(scan.deadline == nil)
    #expect(!isReported(after: 600))
    // A late scan response is reported.
    discovery.name = "Late"
    discovery.awaitsScanResponse = false
    #expect(isReported(after: 700))
    #expect(!isReported(after: 800))
  }

  @Test("a discovery from a new scan adds to the reported data and removes nothing")
  func heardAgain() {
    var scan = ManagerScan(number: 1, services: [], solicited: [], allowsDuplicates: false)
    func report(_ change: (inout Discovery) -> Void) -> Discovery? {
      var discovery = Discovery(address: .numbered(2))
      change(&discovery)
      return scan.report(for: discovery, at: Instant(rawValue: 0))
    }
    let first = report {
      $0.name = "Name"
      $0.isNameComplete = true
      $0.serviceUUIDs = [BluetoothUUID(0x180D)]
      $0.serviceData = [.init(uuid: BluetoothUUID(0x180F), bytes: [1])]
      $0.manufacturerData = [1, 2, 3]
      $0.rssi = -50
    }
    #expect(first != nil)
    #expect(report { $0.awaitsScanResponse = true } == nil)
    #expect(report { $0.serviceUUIDs = [BluetoothUUID(0x180D)] } == nil)
    #expect(report { $0.name = "Na" } == nil)
    // A report has all known data.
    var all = first
    all?.serviceUUIDs = [BluetoothUUID(0x180D), BluetoothUUID(0x1812)]
    all?.serviceData = [
      .init(uuid: BluetoothUUID(0x180F), bytes: [2]), .init(uuid: BluetoothUUID(0x180A), bytes: []),
    ]
    all?.rssi = -60
    #expect(
      report {
        $0.serviceUUIDs = [BluetoothUUID(0x1812)]
        $0.serviceData = [
          .init(uuid: BluetoothUUID(0x180F), bytes: [2]),
          .init(uuid: BluetoothUUID(0x180A), bytes: []),
        ]
        $0.rssi = -60
      } == all)
    #expect(report { $0.name = "Other" } == nil)
    all?.name = "Other"
    #expect(
      report {
        $0.name = "Other"
        $0.isNameComplete = true
        $0.rssi = -60
      } == all)
  }
}
