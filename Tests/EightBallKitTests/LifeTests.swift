import BluetoothHost
import Foundation
import LinuxTestSupport
import Testing

@testable import CoreBluetooth
@testable import EightBallKit

/// From when a side of the SDK is made until it is let go of.
@Suite("The life of a side of the SDK", .timeLimit(.minutes(1)))
struct LifeTests {
  private let queue = DispatchQueue(label: "life")
  private let radio: CBRadio

  init() throws {
    radio = try CBRadio(TestAir.radio)
  }

  /// A central that wants no ball of any other test.
  private func central(
    timers: any BallTimers = ManualTimers(),
    _ makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager
  ) -> BallCentral {
    var options = BallCentral.Options()
    options.name = "nobody"
    return BallCentral(options: options, queue: queue, timers: timers, makeManager: makeManager)
  }

  private func central() -> BallCentral {
    central { CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio) }
  }

  /// Until what is told of the state has been told.
  private func isPoweredOn(_ manager: CBManager) -> Bool {
    while manager.state != .poweredOn { sched_yield() }
    queue.sync {}
    return true
  }

  // MARK: The beginning

  @Test("a central whose manager is quicker than its initialiser scans")
  func quickCentral() throws {
    let central = central {
      let manager = CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio)
      #expect(isPoweredOn(manager))
      return manager
    }
    #expect(central.cbManager?.isScanning == true)
  }

  @Test("a ball whose manager is quicker than its initialiser is advertised")
  func quickPeripheral() async throws {
    let ball = BallPeripheral(
      options: BallPeripheral.Options(), queue: queue, nextAnswer: BallAnswer.random
    ) {
      let manager = CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio)
      #expect(isPoweredOn(manager))
      return manager
    }
    for await event in ball.events {
      if case .advertising = event { break }
    }
    #expect(ball.cbManager?.isAdvertising == true)
  }
}
