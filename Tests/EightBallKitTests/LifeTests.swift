import BluetoothHost
import Foundation
import LinuxTestSupport
import Testing

@testable import CoreBluetooth
@testable import EightBallKit

/// A manager of the SDK, from its initialiser to its release.
@Suite("The life of an SDK manager", .timeLimit(.minutes(1)))
struct LifeTests {
  private let queue = DispatchQueue(label: "life")
  private let air = TestAir()
  private let radio: CBRadio

  init() throws {
    radio = try CBRadio(air.radio)
  }

  /// A central that takes no ball of another test.
  private func central(
    timers: any BallTimers = ManualTimers(),
    _ makeManager: (any CBCentralManagerDelegate, DispatchQueue) -> CBCentralManager
  ) -> BallCentral {
    var options = BallCentral.Options()
    options.name = "nobody"
    return BallCentral(options: options, queue: queue, timers: timers, makeManager: makeManager)
  }

  private func central(timers: any BallTimers = ManualTimers()) -> BallCentral {
    central(timers: timers) {
      CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio)
    }
  }

  /// Waits until the radio is on, and `central` has received that.
  private func waitForPower(_ central: BallCentral) async {
    for await event in central.events {
      if case .stateUpdated(isPoweredOn: true) = event { break }
    }
    queue.sync {}
  }

  /// Waits, while `side` is being made, until it has received that the radio is on.
  private func waitWithin(_ side: BallManager?) {
    let observer = PowerObserver()
    side?.addObserver(observer)
    if side?.isPoweredOn == false { observer.isOn.wait() }
    queue.sync {}
  }

  // MARK: The beginning

  @Test("a central whose manager is quicker than its initialiser scans")
  func quickCentral() async throws {
    let other = central()
    await waitForPower(other)
    let central = central {
      let manager = CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio)
      waitWithin($0 as? BallManager)
      return manager
    }
    #expect(central.cbManager?.isScanning == true)
  }

  @Test("a ball whose manager is quicker than its initialiser is advertised")
  func quickPeripheral() async throws {
    let other = central()
    await waitForPower(other)
    let ball = BallPeripheral(
      options: BallPeripheral.Options(), queue: queue, nextAnswer: BallAnswer.random
    ) {
      let manager = CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio)
      waitWithin($0 as? BallManager)
      return manager
    }
    for await event in ball.events {
      if case .advertising = event { break }
    }
    #expect(ball.cbManager?.isAdvertising == true)
  }

  // MARK: Stopping

  @Test("a central that is stopped before the radio is on takes nothing until it restarts")
  func stopped() async throws {
    let central = central {
      ($0 as? BallCentral)?.stop()
      return CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio)
    }
    let manager = try #require(central.cbManager)
    await waitForPower(central)
    #expect(!manager.isScanning)
    central.restart()
    queue.sync {}
    #expect(manager.isScanning)
    central.stop()
    queue.sync {
      #expect(!manager.isScanning)
      // The radio is powered on again, and a ball was found before the scan had ended.
      central.centralManagerDidUpdateState(manager)
      let peripheral = CBPeripheral(address: .test, of: manager)
      central.hear(peripheral, named: "nobody")
      #expect(central.known.isEmpty)
    }
    #expect(!manager.isScanning)
  }

  @Test(
    "a central that stops after an answer unsubscribes before it disconnects",
    arguments: [false, true])
  func stoppedAfterAnswer(changesServices: Bool) async throws {
    let (_, client, found) = try await Client.discovering(.silent)
    found.send("Is it over?")
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    let central = client.central
    let answer = central.queue.sync { found.conversation.answerCharacteristic }
    central.queue.sync {
      // These run after the answer, before its unsubscription can have an effect.
      central.stop()
      central.queue.async {
        #expect(central.known[found.id] === found)
        if changesServices, let service = answer?.service {
          central.peripheral(found.peripheral, didModifyServices: [service])
          #expect(central.known.isEmpty)
        }
      }
      central.receive("Yes.", from: found)
    }
    let reported = await client.reported(until: \.isLoss)
    #expect(reported == ["answered Yes.", "failed coreBluetooth(.deviceOffline)", "lost"])
    #expect(answer?.isNotifying == false || changesServices)
  }

  @Test("a stopped NearbyDevices finds nothing, and its sequence ends")
  func stoppedListener() async throws {
    let made = EightBallKit.Locked<CBCentralManager?>(nil)
    let devices = NearbyDevices(queue: queue) { delegate, queue in
      (delegate as? NearbyDevices)?.stop()
      let manager = CBCentralManager(delegate: delegate, queue: queue, options: nil, radio: radio)
      made.withLock { $0 = manager }
      return manager
    }
    let manager = try #require(made.withLock { $0 })
    // A later manager receives the state later.
    let central = central()
    await waitForPower(central)
    #expect(manager.state == .poweredOn)
    #expect(!manager.isScanning)
    var count = 0
    for await _ in devices.events { count += 1 }
    #expect(count == 0)
  }

  @Test("a NearbyDevices that is stopped while it scans scans no more, also with the next radio")
  func stoppedWhileScanning() async throws {
    let made = EightBallKit.Locked<CBCentralManager?>(nil)
    let devices = NearbyDevices(queue: queue) { delegate, queue in
      let manager = CBCentralManager(delegate: delegate, queue: queue, options: nil, radio: radio)
      made.withLock { $0 = manager }
      return manager
    }
    let manager = try #require(made.withLock { $0 })
    // A later manager receives the state later.
    let central = central()
    await waitForPower(central)
    #expect(manager.isScanning)
    devices.stop()
    queue.sync {
      #expect(!manager.isScanning)
      devices.centralManagerDidUpdateState(manager)
      #expect(!manager.isScanning)
    }
  }

  // MARK: More balls than links

  @Test("with all links in use, no ball is taken until one of them ends")
  func full() async throws {
    let timers = ManualTimers()
    let central = central(timers: timers)
    let manager = try #require(central.cbManager)
    await waitForPower(central)
    let first = LinkedPeripheral(.test, of: manager)
    let second = CBPeripheral(address: .other, of: manager)
    queue.sync {
      central.hear(first, named: "nobody")
      first.open()
      central.hear(second, named: "nobody")
      let ball = central.known[second.identifier]
      let error = CBError(.connectionLimitReached)
      central.centralManager(manager, didFailToConnect: second, error: error)
      #expect(ball?.error == .coreBluetooth(error))
      central.hear(second, named: "nobody")
      #expect(Array(central.known.keys) == [first.identifier])
      #expect(timers.running.isEmpty)
      first.end()
      central.centralManager(manager, didDisconnectPeripheral: first, error: nil)
      central.hear(second, named: "nobody")
      #expect(central.known[second.identifier] != nil)
    }
  }

  @Test("if other managers have all links, balls are taken again after a pause")
  func fullOfOthers() async throws {
    let timers = ManualTimers()
    let central = central(timers: timers)
    let manager = try #require(central.cbManager)
    await waitForPower(central)
    let peripheral = CBPeripheral(address: .test, of: manager)
    queue.sync {
      central.hear(peripheral, named: "nobody")
      central.centralManager(
        manager, didFailToConnect: peripheral, error: CBError(.connectionLimitReached))
      central.hear(peripheral, named: "nobody")
      #expect(central.known.isEmpty)
    }
    #expect(timers.running == [5])
    timers.fire()
    queue.sync {
      central.hear(peripheral, named: "nobody")
      #expect(central.known.count == 1)
    }
  }

  // MARK: The end

  @Test("releasing a central misuses no peripheral")
  func released() async throws {
    let fate = Fate()
    var central: BallCentral? = central()
    // The manager may be in use when the central is released.
    let manager = try #require(central?.cbManager)
    if let central { await waitForPower(central) }
    queue.sync {
      let peripheral = LinkedPeripheral(.test, of: manager, fate)
      central?.hear(peripheral, named: "nobody")
      peripheral.open()
    }
    central = nil
    #expect(await fate.wasMisused() == false)
  }

  @Test("a ball lost with the radio is retained until the end of its link is reported")
  func lostWithRadio() async throws {
    let fate = Fate()
    let central = central()
    let manager = try #require(central.cbManager)
    await waitForPower(central)
    weak var kept: LinkedPeripheral?
    queue.sync {
      let peripheral = LinkedPeripheral(.test, of: manager, fate)
      kept = peripheral
      central.hear(peripheral, named: "nobody")
      peripheral.open()
      manager.state = .resetting
      central.centralManagerDidUpdateState(manager)
      #expect(central.known.isEmpty)
    }
    queue.sync {
      let peripheral = kept
      #expect(peripheral != nil)
      guard let peripheral else { return }
      peripheral.end()
      central.centralManager(
        manager, didDisconnectPeripheral: peripheral, error: CBError(.connectionFailed))
    }
    #expect(await fate.wasMisused() == false)
  }
}

/// Waits for Bluetooth.
private final class PowerObserver: BallObserver {
  let isOn = DispatchSemaphore(value: 0)

  func ballManagerDidUpdateState(_ manager: BallManager) {
    if manager.isPoweredOn { isOn.signal() }
  }
}

/// The release of a peripheral.
private final class Fate: Sendable {
  private let (verdicts, verdict) = AsyncStream.makeStream(of: Bool.self)

  /// Whether it was released with a link that was not cancelled or ended. The release may take a
  /// moment: the radio's thread retains the peripherals of its calls.
  func wasMisused() async -> Bool? {
    for await verdict in verdicts { return verdict }
    return nil
  }

  func released(misused: Bool) {
    verdict.yield(misused)
  }
}

/// A peripheral that a test connects.
private final class LinkedPeripheral: CBPeripheral, @unchecked Sendable {
  private let fate: Fate?

  init(_ address: DeviceAddress, of manager: CBCentralManager, _ fate: Fate? = nil) {
    self.fate = fate
    super.init(address: address, of: manager)
  }

  func open() {
    contents.withLock {
      _ = $0.wantLink()
      _ = $0.linkOpened(.minimum)
    }
  }

  func end() {
    _ = contents.withLock { $0.linkEnded() }
  }

  deinit {
    let misused = manager != nil && (state == .connected || state == .connecting)
    fate?.released(misused: misused)
  }
}

extension DeviceAddress {
  fileprivate static let test = DeviceAddress(
    kind: .public, bytes: [0x51, 0, 0, 0, 0, 0xF0])
  fileprivate static let other = DeviceAddress(
    kind: .public, bytes: [0x52, 0, 0, 0, 0, 0xF0])
}

extension BallCentral {
  /// Reports `peripheral` as discovered. To be called on the central's queue.
  fileprivate func hear(_ peripheral: CBPeripheral, named name: String) {
    guard let cbManager else { return }
    centralManager(
      cbManager, didDiscover: peripheral,
      advertisementData: [CBAdvertisementDataLocalNameKey: name], rssi: -50)
  }
}
