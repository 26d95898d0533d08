import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// What becomes of links when those who wanted them are no more.
@Suite("The end of managers and peripherals", .timeLimit(.minutes(1)))
struct CentralEndTests {
  private let log = CentralLog()

  @Test("a manager that is dropped frees all that it had")
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
    #expect(ball.radio.connectionHandles == [])
    _ = log.take()
    peripherals[0].readRSSI()
    stage.settle()
    #expect(log.take() == [])
    #expect(stage.radio.centralEngine.clients.isEmpty)
    #expect(stage.radio.centralEngine.links.isEmpty)
  }

  @Test("the link to a peripheral that nobody holds on to is cancelled")
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
    #expect(stage.radio.centralEngine.links.isEmpty)
  }

  @Test(
    "whoever lets go of a manager and its peripheral, while told of it, misuses neither",
    arguments: ["connected - connected", "rssi -50"])
  func droppedWhileTold(_ last: String) async throws {
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
      // As an app's object does that has both: the manager is first.
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

/// A peripheral that tells at its end whether its manager is still there.
private final class MortalPeripheral: CBPeripheral, @unchecked Sendable {
  private let tell: (Bool) -> Void

  init(address: DeviceAddress, of manager: CBCentralManager, _ tell: @escaping (Bool) -> Void) {
    self.tell = tell
    super.init(address: address, of: manager)
  }

  deinit { tell(manager != nil) }
}
