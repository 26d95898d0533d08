import BluetoothHost
import Expectations
import Foundation
import LinuxRadio

@testable import CoreBluetooth

/// A queue of values from threads to a test.
final class Inbox<Value: Sendable>: @unchecked Sendable {
  private let values = Locked([Value]())
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// The next value. Waits a minute at most, which only a hang exceeds.
  func take(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(
      count.wait(timeout: .now() + 60) == .success, "nothing came", sourceLocation: sourceLocation)
    return values.withLock { $0.removeFirst() }
  }

  /// The values that are there.
  func takeAll() -> [Value] {
    var taken: [Value] = []
    while count.wait(timeout: .now()) == .success {
      taken.append(values.withLock { $0.removeFirst() })
    }
    return taken
  }

  var isEmpty: Bool { values.withLock(\.isEmpty) }

  /// Takes values up to the first that `isMeant`.
  func take(
    until isMeant: (Value) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    while try !isMeant(take(sourceLocation: sourceLocation)) {}
  }
}

extension Inbox where Value == String {
  /// The next line with `part`.
  func take(_ part: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    while true {
      let line = try take(sourceLocation: sourceLocation)
      if line.contains(part) { return line }
    }
  }

  /// Takes values, and expects them to be `lines`.
  func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    for line in lines {
      let next = try take(sourceLocation: sourceLocation)
      Expectations.expect(next, is: line, sourceLocation: sourceLocation)
    }
  }
}

/// A unique path for a virtual air.
final class AirPath: Sendable {
  let text = "/tmp/eightball-test-air-\(UUID().uuidString).sock"

  deinit { _ = unsafe unlink(text) }

  var exists: Bool { FileManager.default.fileExists(atPath: text) }

  func engine() -> RadioEngine { RadioEngine(.virtual, airPath: text, stopsWhenUnused: true) }
  func radio() -> CBRadio { CBRadio(engine()) }
}

extension DeviceEngine {
  /// Waits until there is no thread; `false` if there is one after `seconds`.
  func waitForEnd(seconds: Int = 60) -> Bool {
    guard let engine = self as? RadioEngine else { return true }
    return engine.life.wait(timeout: .now() + .seconds(seconds)) == .success
  }
}

/// A central manager on a radio's thread. The test makes each call when the last is reported.
final class Visitor {
  let log = Log()
  let manager: CBCentralManager
  private(set) var peripheral: CBPeripheral?

  init(_ radio: CBRadio) throws {
    manager = CBCentralManager(delegate: log, queue: DispatchQueue(label: "visitor"), radio: radio)
    try log.lines.expect("state poweredOn")
  }

  /// Connects to the peripheral that it knows, or else to the first that has `service`.
  func connect(to service: CBUUID? = nil, options: [String: Any]? = nil) throws {
    if peripheral == nil {
      manager.scanForPeripherals(withServices: service.map { [$0] })
      _ = try log.lines.take("discovered")
      manager.stopScan()
      peripheral = log.peripherals.first
    }
    manager.connect(try #require(peripheral), options: options)
    _ = try log.lines.take("connected")
  }

  func connect(to identifier: UUID) throws {
    peripheral = manager.retrievePeripherals(withIdentifiers: [identifier]).first
    peripheral?.delegate = log
    try connect()
  }

  func characteristics(in service: CBUUID) throws -> [CBCharacteristic] {
    let peripheral = try #require(peripheral)
    peripheral.discoverServices([service])
    _ = try log.lines.take("services")
    let found = try #require(peripheral.services?.first)
    peripheral.discoverCharacteristics(nil, for: found)
    _ = try log.lines.take("characteristics")
    return try #require(found.characteristics)
  }

  func read(_ characteristic: CBCharacteristic) throws -> String {
    peripheral?.readValue(for: characteristic)
    return try log.lines.take("value")
  }

  func leave() throws {
    manager.cancelPeripheralConnection(try #require(peripheral))
    _ = try log.lines.take("disconnected")
  }
}

/// A peripheral manager on a radio's thread, which has published a service.
final class Publisher {
  let log = Log()
  let manager: CBPeripheralManager

  /// - Parameter prepare: Sets the responses to requests.
  init(
    _ radio: CBRadio, _ characteristics: [CBMutableCharacteristic], as uuid: CBUUID,
    name: String? = nil, isAdvertised: Bool = true, prepare: (Log) -> Void
  ) throws {
    prepare(log)
    manager = CBPeripheralManager(
      delegate: log, queue: DispatchQueue(label: "publisher"), radio: radio)
    try log.lines.expect("state poweredOn")
    let service = CBMutableService(type: uuid, primary: true)
    service.characteristics = characteristics
    manager.add(service)
    try log.lines.expect("added \(uuid.uuidString)")
    guard isAdvertised else { return }
    var data: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: [uuid]]
    data[CBAdvertisementDataLocalNameKey] = name
    manager.startAdvertising(data)
    try log.lines.expect("advertising true")
  }
}

/// A generator whose numbers are the same in every run.
extension SplitMix64: RandomNumberGenerator {}
