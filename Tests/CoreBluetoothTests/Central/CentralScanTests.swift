import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("A manager's scan")
struct CentralScanTests {
  private let scene = Scene()
  private let log = Log()
  private let manager: CBCentralManager
  private let heartRate = CBUUID(string: "180D")

  init() {
    manager = scene.manager(log)
    _ = scene.take(log)
  }

  private static let named: [UInt8] = [5, 0x09] + Array("Name".utf8)

  @Test("reports an advertiser once, with the data of its scan response")
  func once() throws {
    try scene.advertise([3, 0x03, 0x0D, 0x18], scanResponse: Self.named, type: 0)
    manager.scanForPeripherals(withServices: nil)
    expect(scene.take(log, after: 5_000), is: ["discovered Name -50"])
    // A new scan reports it again.
    manager.scanForPeripherals(withServices: nil)
    expect(scene.take(log, after: 1_000), is: ["discovered Name -50"])
    manager.stopScan()
    expect(scene.take(log, after: 5_000), is: [])
    expect(!scene.radio.controller.isScanning)
  }

  @Test("a scan that the controller refuses ends, and the next one works")
  func refused() throws {
    try scene.advertise(Self.named, type: 3)
    scene.radio.controller.faults.refuse(.leSetExtendedScanEnable, with: .commandDisallowed)
    manager.scanForPeripherals(withServices: nil)
    expect(manager.isScanning)
    scene.pass(1_000)
    expect(!manager.isScanning)
    expect(log.take(), is: [])
    // An attempt to connect does not give way to the scan that has ended.
    expect(scene.radio.device.central.scanner.wanted, is: nil)
    manager.scanForPeripherals(withServices: nil)
    expect(scene.take(log, after: 1_000), is: ["discovered Name -50"])
  }

  @Test("each manager has its own duplicates option and filter")
  func twoManagers() throws {
    try scene.advertise(Self.named, type: 3)
    let otherLog = Log()
    let other = scene.manager(otherLog)
    _ = scene.take(otherLog)
    manager.scanForPeripherals(withServices: nil)
    expect(scene.take(log, after: 1_000), is: ["discovered Name -50"])
    other.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    // Every 100 ms, and up to 10 ms of jitter: Core Specification, Vol 6, Part B, 4.4.2.2.1.
    expect((9...11).contains(scene.take(otherLog, after: 1_000).count))
    expect(otherLog.peripherals.count, is: 1)
    expect(log.take(), is: [])
    other.scanForPeripherals(withServices: [heartRate])
    _ = scene.take(otherLog, after: 1_000)
    expect(scene.take(otherLog, after: 1_000), is: [])
    manager.stopScan()
    scene.pass(1_000)
    expect(scene.radio.controller.isScanning)
    other.stopScan()
    scene.pass(1_000)
    expect(!scene.radio.controller.isScanning)
  }

  /// Symptom: every device was reported again, twice, and first without its name.
  @Test("another manager's scan and its end repeat no reports")
  func anotherScan() throws {
    try scene.advertise([3, 0x03, 0x0D, 0x18], scanResponse: Self.named, type: 0)
    manager.scanForPeripherals(withServices: nil)
    expect(scene.take(log, after: 1_000), is: ["discovered Name -50"])
    let otherLog = Log()
    let other = scene.manager(otherLog)
    _ = scene.take(otherLog)
    other.scanForPeripherals(withServices: nil)
    expect(scene.take(otherLog, after: 1_000), is: ["discovered Name -50"])
    // The end of a scan with the same options does not start the other one again.
    other.stopScan()
    scene.settle()
    expect(scene.radio.device.central.scanner.advertisers.count, is: 1)
    other.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    scene.pass(1_000)
    other.stopScan()
    expect(scene.take(log, after: 1_000), is: [])
    expect(scene.radio.device.central.scanner.wanted, is: ScanParameters())
  }

  @Test("reports advertisers that have or solicit one of the services, in any UUID width")
  func filters() throws {
    try scene.advertise([3, 0x03, 0x0D, 0x18, 3, 0x08, 0x41, 0x41], type: 3, number: 0xA1)
    try scene.advertise([3, 0x03, 0x0F, 0x18, 3, 0x08, 0x42, 0x42], type: 3, number: 0xA2)
    try scene.advertise([3, 0x14, 0x0D, 0x18, 3, 0x08, 0x43, 0x43], type: 3, number: 0xA3)
    let long = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
    manager.scanForPeripherals(withServices: [long])
    expect(scene.take(log, after: 1_000), is: ["discovered AA -50"])
    manager.scanForPeripherals(
      withServices: [CBUUID(string: "180F")],
      options: [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [heartRate]])
    expect(scene.take(log, after: 1_000).sorted(), is: ["discovered BB -50", "discovered CC -50"])
  }

  @Test("reports all advertised data by Apple's keys")
  func advertisementData() throws {
    try scene.advertise(
      [3, 0x03, 0x0D, 0x18, 2, 0x0A, 0xF8, 4, 0xFF, 0x4C, 0x00, 0x07]
        + [4, 0x16, 0x0F, 0x18, 0x63, 3, 0x14, 0x12, 0x18],
      scanResponse: Self.named, type: 2)
    manager.scanForPeripherals(withServices: nil)
    scene.pass(1_000)
    let data = try #require(log.advertisements.first)
    expect(data.count, is: 7)
    expect(data[CBAdvertisementDataLocalNameKey] as? String, is: "Name")
    expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID], is: [heartRate])
    expect(data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber, is: -8)
    expect(data[CBAdvertisementDataManufacturerDataKey] as? Data, is: Data([0x4C, 0x00, 0x07]))
    expect(
      data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data],
      is: [CBUUID(string: "180F"): Data([0x63])])
    expect(
      data[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID], is: [CBUUID(string: "1812")])
    expect(data[CBAdvertisementDataIsConnectable] as? NSNumber, is: false)
  }
}
