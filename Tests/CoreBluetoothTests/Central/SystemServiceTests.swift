import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// GAP, GATT, HID and ANCS, which Apple's systems keep to themselves.
@Suite("Services that a system uses itself")
struct SystemServiceTests {
  private static let notificationCenter = "7905F431-B5CE-4E99-A40F-4B1E122D00D0"
  private let stage = CentralStage()
  private let log = CentralLog()
  private let manager: CBCentralManager
  private let peripheralManager: CBPeripheralManager
  private let peripheral: CBPeripheral

  /// A peripheral with HID, ANCS and two other services. FF10 includes HID and FF11.
  init() throws {
    let peer = HandRadio(stage.air.addController(address: .numbered(0xBE)), state: .poweredOn)
    peer.device.radioIsReady(at: stage.now)
    stage.add(peer)
    peripheralManager = CBPeripheralManager(delegate: nil, queue: stage.queue, thread: peer)
    stage.settle()
    let services = ["1812", Self.notificationCenter, "FF11", "FF10"].map {
      CBMutableService(type: CBUUID(string: $0), primary: true)
    }
    services[3].includedServices = [services[0], services[2]]
    for service in services { peripheralManager.add(service) }
    peripheralManager.startAdvertising([:])
    let (manager, peripherals) = stage.manager(log, knowing: 0xBE)
    self.manager = manager
    peripheral = try #require(peripherals.first)
    manager.connect(peripheral)
    stage.pass(1_000)
    _ = log.take()
  }

  /// Symptom: a program that takes the first service takes GAP.
  @Test("a discovery of all services does not list them", arguments: [nil, [] as [CBUUID]?])
  func all(uuids: [CBUUID]?) {
    peripheral.discoverServices(uuids)
    stage.settle()
    #expect(log.take() == ["services [\"FF11\", \"FF10\"]"])
    #expect(peripheral.name != nil, "the name comes from GAP")
  }

  @Test("nor do the included services")
  func included() throws {
    peripheral.discoverServices([CBUUID(string: "FF10")])
    stage.settle()
    let service = try #require(peripheral.services?.first)
    peripheral.discoverIncludedServices(nil, for: service)
    peripheral.discoverIncludedServices([CBUUID(string: "1812")], for: service)
    stage.settle()
    #expect(
      log.take() == [
        "services [\"FF10\"]", "included [\"FF11\"]", "included [\"FF11\", \"1812\"]",
      ])
  }

  @Test("a discovery that names them finds them, and they stay")
  func named() {
    peripheral.discoverServices(["1800", "1812"].map { CBUUID(string: $0) })
    stage.settle()
    peripheral.discoverServices(nil)
    stage.settle()
    #expect(
      log.take() == [
        "services [\"1800\", \"1812\"]",
        "services [\"1800\", \"1812\", \"FF11\", \"FF10\"]",
      ])
  }

  @Test("their changes are not reported unless they were named")
  func changed() throws {
    peripheral.discoverServices(nil)
    stage.settle()
    _ = log.take()
    peripheralManager.removeAllServices()
    stage.settle()
    #expect(
      log.take() == ["modified [\"FF11\", \"FF10\"]"])
    #expect(peripheral.services == [])
  }
}
