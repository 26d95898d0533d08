import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("A service that comes and goes")
struct ServiceReturnTests {
  private let it: LinkedPair
  private let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)

  init() throws {
    let service = service
    it = try LinkedPair { $0.add(service) }
    discover()
    expect(it.log.take(), is: ["services [\"FF10\"]"])
  }

  private func discover() {
    it.peripheral.discoverServices([CBUUID(string: "FF10")])
    it.scene.settle()
  }

  /// Symptom: the list was empty when the service came back, so a program that looks for its service
  /// in the list did not discover it again.
  @Test("is in the list of changed services when it goes, and when it comes back")
  func again() throws {
    let first = try #require(it.peripheral.services?.first)
    for _ in 0..<3 {
      it.peripheralManager.remove(service)
      expect(it.scene.take(it.log), is: ["modified [\"FF10\"]"])
      expect(it.peripheral.services, is: [])
      discover()
      expect(it.log.take(), is: ["services []"])
      it.peripheralManager.add(service)
      expect(it.scene.take(it.log), is: ["modified [\"FF10\"]"])
      expect(it.peripheral.services, is: [], "it has to be discovered")
      discover()
      expect(it.log.take(), is: ["services [\"FF10\"]"])
    }
    expect(it.peripheral.services?.first !== first)
  }

  @Test("is not in the list once another service has been discovered in its place")
  func replaced() {
    it.peripheralManager.remove(service)
    it.scene.settle()
    let other = CBMutableService(type: CBUUID(string: "FF20"), primary: true)
    it.peripheralManager.add(other)
    expect(it.scene.take(it.log), is: ["modified [\"FF10\"]", "modified [\"FF10\"]"])
    it.peripheral.discoverServices(nil)
    _ = it.scene.take(it.log)
    it.peripheralManager.remove(other)
    expect(it.scene.take(it.log), is: ["modified [\"FF20\"]"])
  }

  @Test("is not in the list of the next link")
  func nextLink() {
    it.peripheralManager.remove(service)
    it.scene.settle()
    it.manager.cancelPeripheralConnection(it.peripheral)
    it.scene.settle()
    it.manager.connect(it.peripheral)
    _ = it.scene.take(it.log, after: 1_000)
    it.peripheralManager.add(service)
    expect(it.scene.take(it.log), is: ["modified []"])
  }

  @Test("is not in the list of a change beside the service in its place")
  func shorterService() {
    var tree = AttributeTree()
    let first = FoundService(uuid: BluetoothUUID(0xFF01), range: range(0x0010, 0x0019))
    let second = FoundService(uuid: BluetoothUUID(0xFF02), range: range(0x0010, 0x0012))
    tree.merge(services: [first], of: nil, on: it.peripheral)
    expect(tree.invalidate(first.range).map(\.uuid.uuidString), is: ["FF01"])
    tree.merge(services: [second], of: nil, on: it.peripheral)
    expect(tree.invalidate(range(0x0015, 0x0019)).isEmpty)
    expect(tree.listedServices?.map(\.uuid.uuidString), is: ["FF02"])
  }

  /// The server does not report each change.
  @Test("is removed when a discovery of it alone does not find it any more")
  func notFound() throws {
    var tree = AttributeTree()
    let found = (1...3 as ClosedRange<UInt16>).map {
      FoundService(uuid: BluetoothUUID(0xFF00 + $0), range: range(0x10 * $0, 0x10 * $0 + 9))
    }
    tree.merge(services: found, of: nil, on: it.peripheral)
    tree.merge(services: [], of: [BluetoothUUID(0xFF02)], on: it.peripheral)
    expect(tree.listedServices?.map(\.uuid.uuidString), is: ["FF01", "FF03"])
    // Found again, but only as a part of another service.
    let owner = try #require(tree.listedServices?.first)
    expect(tree.merge(included: [found[1]], of: nil, in: owner, on: it.peripheral))
    expect(tree.listedServices?.map(\.uuid.uuidString), is: ["FF01", "FF03"])
  }
}

/// GAP, GATT, HID and ANCS, which Apple's systems keep to themselves.
@Suite("Services that a system uses itself")
struct SystemServiceTests {
  private static let notificationCenter = "7905F431-B5CE-4E99-A40F-4B1E122D00D0"
  private let it: LinkedPair

  /// A peripheral with HID, ANCS and two other services. FF10 includes HID and FF11.
  init() throws {
    let services = ["1812", Self.notificationCenter, "FF11", "FF10"].map {
      CBMutableService(type: CBUUID(string: $0), primary: true)
    }
    services[3].includedServices = [services[0], services[2]]
    it = try LinkedPair { manager in for service in services { manager.add(service) } }
  }

  /// Symptom: a program that takes the first service takes GAP.
  @Test("a discovery of all services does not list them", arguments: [nil, [] as [CBUUID]?])
  func all(uuids: [CBUUID]?) {
    it.peripheral.discoverServices(uuids)
    expect(it.scene.take(it.log), is: ["services [\"FF11\", \"FF10\"]"])
    expect(it.peripheral.name != nil, "the name comes from GAP")
  }

  @Test("nor do the included services")
  func included() throws {
    it.peripheral.discoverServices([CBUUID(string: "FF10")])
    it.scene.settle()
    let service = try #require(it.peripheral.services?.first)
    it.peripheral.discoverIncludedServices(nil, for: service)
    it.peripheral.discoverIncludedServices([CBUUID(string: "1812")], for: service)
    expect(
      it.scene.take(it.log),
      is: ["services [\"FF10\"]", "included [\"FF11\"]", "included [\"FF11\", \"1812\"]"])
  }

  @Test("a discovery that names them finds them, and they stay")
  func named() {
    it.peripheral.discoverServices(["1800", "1812"].map { CBUUID(string: $0) })
    it.scene.settle()
    it.peripheral.discoverServices(nil)
    expect(
      it.scene.take(it.log),
      is: ["services [\"1800\", \"1812\"]", "services [\"1800\", \"1812\", \"FF11\", \"FF10\"]"])
  }

  @Test("their changes are not reported unless they were named")
  func changed() throws {
    it.peripheral.discoverServices(nil)
    _ = it.scene.take(it.log)
    it.peripheralManager.removeAllServices()
    expect(it.scene.take(it.log), is: ["modified [\"FF11\", \"FF10\"]"])
    expect(it.peripheral.services, is: [])
  }
}
