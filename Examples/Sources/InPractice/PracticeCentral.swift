import CoreBluetooth
import Foundation

/// Finds a peripheral, waits for its greeting, answers and disconnects.
public final class PracticeCentral: NSObject, @unchecked Sendable {
  private let handler: any EventHandler
  private let answer = ["Yo": "Lo"]
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?

  /// A central that begins as soon as Bluetooth can be used.
  public init(handler: any EventHandler, queue: DispatchQueue) {
    self.handler = handler
    super.init()
    handler.handle(.startedConfiguration)
    manager = CBCentralManager(delegate: self, queue: queue)
  }
}

extension PracticeCentral: CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: [Practice.service])
    handler.handle(.startedScanning)
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    handler.handle(.connected(peripheral.name ?? ""))
    peripheral.discoverServices([Practice.service])
  }

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    self.peripheral = nil
    handler.handle(.connectionFailed)
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    handler.handle(.disconnected(peripheral.name ?? ""))
  }
}

extension PracticeCentral: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] where service.uuid == Practice.service {
      peripheral.discoverCharacteristics([Practice.characteristic], for: service)
    }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    guard error == nil, let value = characteristic.value else { return }
    if let message = Practice.decode(value) { handler.handle(.received(message)) }
    guard let data = try? Practice.encode(answer) else { return }
    peripheral.writeValue(data, for: characteristic, type: .withResponse)
    handler.handle(.sent(answer))
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    manager?.cancelPeripheralConnection(peripheral)
    manager?.stopScan()
  }
}
