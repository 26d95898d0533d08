import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// Links after the release of the managers and peripherals that wanted them.
@Suite("The end of managers and peripherals", .timeLimit(.minutes(1)))
struct CentralEndTests {
  private let log = CentralLog()

  @Test("a released manager frees everything")
  func dropped() throws {
    let stage = CentralStage()
    let ball = try stage.addBall()
    weak var gone: CBCentralManager?
    var peripherals: [CBPeripheral] = []
    do {
      let (manager, found) = stage.manager(log, knowing: 0xBA)
      gone = manager
      peripherals = found
      manager.scanForPeripherals(withServices: nil)
      manager.connect(found[0])
      stage.pass(1_000)
      #expect(stage.radio.controller.connectionHandles.count == 1)
    }
    stage.settle()
    #expect(gone == nil)
    #expect(stage.radio.controller.connectionHandles == [])
    #expect(!stage.radio.controller.isScanning)
    #expect(peripherals[0].state == .disconnected)
    #expect(ball.controller.connectionHandles == [])
    _ = log.take()
    peripherals[0].readRSSI()
    stage.settle()
    #expect(log.take() == [])
    #expect(stage.radio.device.central.handles.isEmpty)
    #expect(stage.radio.device.central.links.isEmpty)
  }

  @Test("the link to a released peripheral is cancelled")
  func droppedPeripheral() throws {
    let stage = CentralStage()
    try stage.addBall()
    let manager = stage.manager(log)
    stage.settle()
    do {
      let found = manager.retrievePeripherals(withIdentifiers: [UUID(.numbered(0xBA))])
      manager.connect(try #require(found.first))
      stage.settle()
      #expect(stage.radio.controller.connectionHandles.count == 1)
    }
    stage.settle()
    #expect(stage.radio.controller.connectionHandles == [])
    #expect(stage.radio.device.central.links.isEmpty)
  }

  @Test(
    "releasing a manager and its peripheral in a callback misuses neither",
    arguments: ["connected - connected", "rssi -50"])
  func droppedInCallback(_ last: String) async throws {
    let stage = CentralStage()
    try stage.addBall()
    let fate = AsyncStream.makeStream(of: Bool.self)
    let owned = Locked<(CBCentralManager, CBPeripheral)?>(nil)
    do {
      let (manager, _) = stage.manager(log, knowing: 0xBA)
      let peripheral = MortalPeripheral(address: .numbered(0xBA), of: manager) {
        fate.continuation.yield($0)
      }
      manager.contents.withLock {
        $0.peripherals[peripheral.address] = .init(peripheral: peripheral)
      }
      peripheral.delegate = log
      owned.withLock { $0 = (manager, peripheral) }
    }
    log.onLine = { line in
      guard line == last else { return }
      // Like an app's object that owns both: the manager is released first.
      let both = owned.withLock { both in
        defer { both = nil }
        return both
      }
      withExtendedLifetime(both) {}
    }
    owned.withLock(\.self).map { $0.0.connect($0.1) }
    stage.settle()
    owned.withLock(\.self)?.1.readRSSI()
    stage.settle()
    #expect(owned.withLock { $0 == nil })
    var fates = fate.stream.makeAsyncIterator()
    #expect(await fates.next() == false, "the manager outlived its peripheral")
    #expect(stage.radio.controller.connectionHandles == [])
  }
}

/// A peripheral that reports at its release whether its manager still exists.
private final class MortalPeripheral: CBPeripheral, @unchecked Sendable {
  private let report: (Bool) -> Void

  init(address: DeviceAddress, of manager: CBCentralManager, _ report: @escaping (Bool) -> Void) {
    self.report = report
    super.init(address: address, of: manager)
  }

  deinit { report(manager != nil) }
}
