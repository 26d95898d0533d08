import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("A service that comes and goes")
struct ServiceReturnTests {
  private let stage = CentralStage()
  private let log = CentralLog()
  private let manager: CBCentralManager
  private let peripheralManager: CBPeripheralManager
  private let peripheral: CBPeripheral
  private let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)

  init() throws {
    let peer = HandRadio(stage.air.addController(address: .numbered(0xBE)), state: .poweredOn)
    peer.device.radioIsReady(at: stage.now)
    stage.add(peer)
    peripheralManager = CBPeripheralManager(delegate: nil, queue: stage.queue, thread: peer)
    stage.settle()
    peripheralManager.add(service)
    peripheralManager.startAdvertising([:])
    let (manager, peripherals) = stage.manager(log, knowing: 0xBE)
    self.manager = manager
    peripheral = try #require(peripherals.first)
    manager.connect(peripheral)
    stage.pass(1_000)
    _ = log.take()
    discover()
    #expect(log.take() == ["services [\"FF10\"]"])
  }

  private func discover() {
    peripheral.discoverServices([CBUUID(string: "FF10")])
    stage.settle()
  }

  /// Symptom: the list was empty when the service came back, so a program that looks for its service
  /// in the list did not discover it again.
  @Test("is in the list of changed services when it goes, and when it comes back")
  func again() throws {
    let first = try #require(peripheral.services?.first)
    for _ in 0..<3 {
      peripheralManager.remove(service)
      stage.settle()
      #expect(log.take() == ["modified [\"FF10\"]"])
      #expect(peripheral.services == [])
      discover()
      #expect(log.take() == ["services []"])
      peripheralManager.add(service)
      stage.settle()
      #expect(log.take() == ["modified [\"FF10\"]"])
      #expect(peripheral.services == [], "it has to be discovered")
      discover()
      #expect(log.take() == ["services [\"FF10\"]"])
    }
    #expect(peripheral.services?.first !== first)
  }

  @Test("is not in the list once another service has been discovered in its place")
  func replaced() {
    peripheralManager.remove(service)
    stage.settle()
    let other = CBMutableService(type: CBUUID(string: "FF20"), primary: true)
    peripheralManager.add(other)
    stage.settle()
    #expect(log.take() == ["modified [\"FF10\"]", "modified [\"FF10\"]"])
    peripheral.discoverServices(nil)
    stage.settle()
    _ = log.take()
    peripheralManager.remove(other)
    stage.settle()
    #expect(log.take() == ["modified [\"FF20\"]"])
  }

  @Test("is not in the list of the next link")
  func nextLink() {
    peripheralManager.remove(service)
    stage.settle()
    manager.cancelPeripheralConnection(peripheral)
    stage.settle()
    manager.connect(peripheral)
    stage.pass(1_000)
    _ = log.take()
    peripheralManager.add(service)
    stage.settle()
    #expect(log.take() == ["modified []"])
  }

  @Test("is not in the list of a change beside the service in its place")
  func shorterService() {
    var tree = AttributeTree()
    let first = FoundService(uuid: BluetoothUUID(0xFF01), range: range(0x0010, 0x0019))
    let second = FoundService(uuid: BluetoothUUID(0xFF02), range: range(0x0010, 0x0012))
    tree.merge(services: [first], of: nil, on: peripheral)
    let gone = tree.invalidate(first.range)
    #expect(gone.map(\.uuid.uuidString) == ["FF01"])
    tree.merge(services: [second], of: nil, on: peripheral)
    let other = tree.invalidate(range(0x0015, 0x0019))
    #expect(other.isEmpty)
    #expect(tree.listedServices?.map(\.uuid.uuidString) == ["FF02"])
  }

  /// The server does not report each change.
  @Test("is removed when a discovery of it alone does not find it any more")
  func notFound() throws {
    var tree = AttributeTree()
    let found = [(0x0010, 0xFF01), (0x0020, 0xFF02), (0x0030, 0xFF03)].map { start, uuid in
      FoundService(
        uuid: BluetoothUUID(UInt16(uuid)), range: range(UInt16(start), UInt16(start) + 9))
    }
    tree.merge(services: found, of: nil, on: peripheral)
    tree.merge(services: [], of: [BluetoothUUID(0xFF02)], on: peripheral)
    #expect(tree.listedServices?.map(\.uuid.uuidString) == ["FF01", "FF03"])
    // Found again, but only as a part of another service.
    let owner = try #require(tree.listedServices?.first)
    let isMerged = tree.merge(included: [found[1]], of: nil, in: owner, on: peripheral)
    #expect(isMerged)
    #expect(tree.listedServices?.map(\.uuid.uuidString) == ["FF01", "FF03"])
  }
}
