import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

/// A central whose manager and peripherals only record its calls. A test makes each call of a
/// delegate, so any order of them can be tested.
final class CentralBench {
  let lines: Lines
  private let recorder: Recorder
  let timers = ManualTimers()
  let central: BallCentral
  let manager: StagedCentralManager
  private let queue: DispatchQueue

  /// - Parameters:
  ///   - isOn: Whether Bluetooth can be used from the beginning.
  ///   - isQuick: Whether the manager reports its state before the central's initialiser has it.
  init(
    _ change: (inout BallCentral.Options) -> Void = { _ in }, isOn: Bool = true,
    isQuick: Bool = false
  ) throws {
    var options = BallCentral.Options()
    change(&options)
    let lines = Lines()
    var made: StagedCentralManager?
    queue = DispatchQueue(label: "bench")
    central = BallCentral(options: options, queue: queue, timers: timers.add) { delegate, queue in
      let manager = StagedCentralManager(delegate, queue, lines)
      made = manager
      if isQuick {
        manager.setState(.poweredOn)
        queue.sync { manager.delegate?.centralManagerDidUpdateState(manager) }
      }
      return manager
    }
    self.lines = lines
    recorder = Recorder(lines)
    manager = try #require(made)
    central.addObserver(recorder)
    if isOn {
      power(.poweredOn)
      _ = take()
    }
  }

  /// The calls and the events since the last call, after everything that waits.
  func take() -> [String] {
    queue.sync {}
    return lines.take()
  }

  // MARK: Calls of the delegate

  func power(_ state: CBManagerState) {
    manager.setState(state)
    queue.sync { central.centralManagerDidUpdateState(manager) }
  }

  func peripheral(_ number: UInt8 = 1) -> StagedPeripheral {
    StagedPeripheral(number, of: manager, lines)
  }

  func hear(_ peripheral: StagedPeripheral, _ name: String? = "Ball", rssi: Int = -40) {
    let data: [String: Any] = name.map { [CBAdvertisementDataLocalNameKey: $0] } ?? [:]
    queue.sync {
      central.centralManager(
        manager, didDiscover: peripheral, advertisementData: data, rssi: NSNumber(value: rssi))
    }
  }

  func connect(_ peripheral: StagedPeripheral) {
    peripheral.stagedState = .connected
    queue.sync { central.centralManager(manager, didConnect: peripheral) }
  }

  func fail(_ peripheral: StagedPeripheral, _ error: (any Error)?) {
    peripheral.stagedState = .disconnected
    queue.sync { central.centralManager(manager, didFailToConnect: peripheral, error: error) }
  }

  func disconnect(
    _ peripheral: StagedPeripheral, _ error: (any Error)?, state: CBPeripheralState = .disconnected
  ) {
    peripheral.stagedState = state
    queue.sync {
      central.centralManager(manager, didDisconnectPeripheral: peripheral, error: error)
    }
  }

  func services(
    _ peripheral: StagedPeripheral, _ services: [CBService]?, _ error: (any Error)? = nil
  ) {
    peripheral.stagedServices = services
    queue.sync { central.peripheral(peripheral, didDiscoverServices: error) }
  }

  func characteristics(
    _ peripheral: StagedPeripheral, of service: CBService, _ error: (any Error)? = nil
  ) {
    queue.sync {
      central.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
    }
  }

  func modified(_ peripheral: StagedPeripheral, _ services: [CBService]) {
    queue.sync { central.peripheral(peripheral, didModifyServices: services) }
  }

  func notifying(
    _ peripheral: StagedPeripheral, _ characteristic: CBCharacteristic, _ isOn: Bool,
    _ error: (any Error)? = nil
  ) {
    if error == nil { characteristic.setNotifying(isOn) }
    queue.sync {
      central.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
  }

  func wrote(
    _ peripheral: StagedPeripheral, _ characteristic: CBCharacteristic, _ error: (any Error)? = nil
  ) {
    queue.sync { central.peripheral(peripheral, didWriteValueFor: characteristic, error: error) }
  }

  func value(
    _ peripheral: StagedPeripheral, _ characteristic: CBMutableCharacteristic, _ bytes: [UInt8]?,
    _ error: (any Error)? = nil
  ) {
    characteristic.value = bytes.map { Data($0) }
    queue.sync { central.peripheral(peripheral, didUpdateValueFor: characteristic, error: error) }
  }
}

/// A ball that the central of a bench has discovered.
final class BenchBall {
  let bench: CentralBench
  let peripheral: StagedPeripheral
  let ball: Ball
  /// Replaced by `replaceService`.
  private(set) var service = CBMutableService(type: BallProfile.service, primary: true)
  private(set) var question = BenchBall.newQuestion()
  private(set) var answer = BenchBall.newAnswer()

  init(_ bench: CentralBench, number: UInt8 = 1) throws {
    self.bench = bench
    peripheral = bench.peripheral(number)
    bench.hear(peripheral)
    bench.connect(peripheral)
    let (central, identifier) = (bench.central, peripheral.identifier)
    ball = try #require(central.queue.sync { central.known[identifier] })
    discover()
    _ = bench.take()
  }

  static func newQuestion() -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: BallProfile.question, properties: .write, value: nil, permissions: .writeable)
  }

  static func newAnswer() -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: BallProfile.answer, properties: .notify, value: nil, permissions: .readable)
  }

  /// The service and both characteristics are discovered.
  func discover() {
    service.characteristics = [question, answer]
    bench.services(peripheral, [service])
    bench.characteristics(peripheral, of: service)
  }

  func replaceService() {
    service = CBMutableService(type: BallProfile.service, primary: true)
    (question, answer) = (Self.newQuestion(), Self.newAnswer())
  }

  func subscribed(_ isOn: Bool = true, _ error: (any Error)? = nil) {
    bench.notifying(peripheral, answer, isOn, error)
  }
  func accepted(_ error: (any Error)? = nil) { bench.wrote(peripheral, question, error) }
  /// From the confirmed subscription to an answer.
  func exchanges(_ text: String) {
    subscribed()
    accepted()
    answers(text)
  }
  func answers(_ text: String) { bench.value(peripheral, answer, Array(text.utf8)) }
  func take() -> [String] { bench.take() }
}
