import BluetoothHost
import Foundation

@testable import CoreBluetooth

extension CBRadio {
  /// A radio that is never served.
  fileprivate static var none: CBRadio {
    CBRadio(DeviceEngine(LocalDevice(address: .automatic(orRandom: .zero))))
  }
}

/// A manager that only records the calls: a test calls its delegate.
final class StagedCentralManager: CBCentralManager, @unchecked Sendable {
  private let lines: Lines

  init(_ delegate: any CBCentralManagerDelegate, _ queue: DispatchQueue, _ lines: Lines) {
    self.lines = lines
    super.init(delegate: delegate, queue: queue, radio: .none)
  }

  override func scanForPeripherals(
    withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil
  ) {
    let services = serviceUUIDs.map { $0.map(\.uuidString).joined(separator: " ") } ?? "all"
    lines.note(
      "scan \(services)"
        + (options.isTrue(CBCentralManagerScanOptionAllowDuplicatesKey) ? ", each" : ""))
  }

  override func stopScan() { lines.note("stop scan") }

  override func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    (peripheral as? StagedPeripheral)?.stagedState = .connecting
    lines.note("connect \(peripheral)")
  }

  override func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    (peripheral as? StagedPeripheral)?.stagedState = .disconnecting
    lines.note("cancel \(peripheral)")
  }
}

/// A peripheral that only records the calls: a test calls its delegate.
final class StagedPeripheral: CBPeripheral, @unchecked Sendable {
  var stagedState = CBPeripheralState.disconnected
  var stagedName: String?
  var stagedServices: [CBService]?
  private let number: UInt8
  private let lines: Lines

  init(_ number: UInt8, of manager: CBCentralManager, _ lines: Lines) {
    self.number = number
    self.lines = lines
    super.init(
      address: DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0]), of: manager)
  }

  deinit {
    // A link must be cancelled or end before its peripheral is released.
    if manager != nil, [.connected, .connecting].contains(stagedState) {
      lines.note("misused \(number)")
    }
  }

  override var description: String { "\(number)" }
  override var state: CBPeripheralState { stagedState }
  override var name: String? { stagedName }
  override var services: [CBService]? { stagedServices }

  override func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    lines.note("discover services \(serviceUUIDs?.map(\.uuidString.first) == ["8"])")
  }

  override func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    // The first digits of question and answer: docs/gatt-profile.md.
    lines.note(
      "discover characteristics \(characteristicUUIDs?.map(\.uuidString.first) == ["B", "3"])")
  }

  override func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    lines.note("notify \(enabled)")
  }

  override func writeValue(
    _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {
    let response = type == .withResponse ? "" : ", without response"
    lines.note("write \(String(decoding: data, as: UTF8.self))\(response)")
  }
}

/// A manager that only records the calls: a test calls its delegate.
final class StagedPeripheralManager: CBPeripheralManager, @unchecked Sendable {
  var hasRoom = true
  var stagedIsAdvertising = false
  private(set) var service: CBMutableService?
  private let lines: Lines

  init(_ delegate: any CBPeripheralManagerDelegate, _ queue: DispatchQueue, _ lines: Lines) {
    self.lines = lines
    super.init(delegate: delegate, queue: queue, radio: .none)
  }

  override var isAdvertising: Bool { stagedIsAdvertising }

  override func add(_ service: CBMutableService) {
    self.service = service
    lines.note("add \(service.characteristics?.count ?? 0)")
  }

  override func removeAllServices() { lines.note("remove all") }

  override func startAdvertising(_ advertisementData: [String: Any]?) {
    let name = advertisementData?[CBAdvertisementDataLocalNameKey] as? String ?? "-"
    let services = advertisementData?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    lines.note("advertise \(name) \(services.count)")
  }

  override func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    let value = request.value.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    lines.note("respond 0x\(String(result.rawValue, radix: 16)) \(value)")
  }

  override func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic,
    onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard hasRoom else { return false }
    lines.note("update \(String(decoding: value, as: UTF8.self)) for \(centrals?.count ?? -1)")
    return true
  }
}

extension CBCentral {
  static func numbered(_ number: UInt8) -> CBCentral {
    CBCentral(address: DeviceAddress(kind: .public, bytes: [number, 1, 0, 0, 0, 0xF0]))
  }
}

extension CBATTRequest {
  /// A request of `central`.
  static func staged(
    _ central: CBCentral, _ characteristic: CBCharacteristic, from offset: Int = 0,
    _ value: [UInt8]? = nil
  ) -> CBATTRequest {
    CBATTRequest(
      central: central, characteristic: characteristic, offset: offset,
      value: value.map { Data($0) })
  }
}

extension CBManager {
  /// Sets the state. The delegate has to be called next.
  func setState(_ state: CBManagerState) { self.state = state }
}

extension CBCharacteristic {
  /// Sets whether it is subscribed to. The delegate has to be called next.
  func setNotifying(_ isNotifying: Bool) { self.isNotifying = isNotifying }
}
