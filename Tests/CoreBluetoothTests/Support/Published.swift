import BluetoothHost
import Foundation

@testable import CoreBluetooth

/// A powered-on manager with the service of most tests.
struct Published {
  let radio: ScriptedRadio
  let recorder = Log()
  let manager: CBPeripheralManager
  /// Read, written in both ways, notified. Value 0x0012, configuration 0x0013.
  let text = CBMutableCharacteristic(
    type: CBUUID(string: "A001"), properties: [.read, .write, .writeWithoutResponse, .notify],
    value: nil, permissions: [.readable, .writeable])
  /// Three constant bytes, 0x0015, and a description, 0x0016.
  let fixed = CBMutableCharacteristic(
    type: CBUUID(string: "A002"), properties: .read, value: Data([1, 2, 3]), permissions: .readable)
  /// Written, indicated. Value 0x0018, configuration 0x0019.
  let level = CBMutableCharacteristic(
    type: CBUUID(string: "A003"), properties: [.write, .indicate], value: nil,
    permissions: .writeable)
  /// 0x0010 to 0x0019.
  let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)

  init(on radio: ScriptedRadio = .peripheral()) {
    self.radio = radio
    manager = CBPeripheralManager(delegate: recorder, queue: radio.queue, radio: radio.host.radio)
    radio.change(to: .poweredOn)
    fixed.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Fixed")]
    service.characteristics = [text, fixed, level]
    manager.add(service)
    radio.settle()
    _ = recorder.take()
    radio.forget()
  }

  var deviceName: [UInt8] { Array(radio.device.host.server.deviceName.span) }

  /// The delegate's calls since the last time, after everything that waits.
  func take() -> [String] {
    radio.settle()
    return recorder.take()
  }

  /// Another manager of the device, and its delegate.
  func another(on queue: DispatchQueue? = nil) -> (manager: CBPeripheralManager, log: Log) {
    let (log, queue) = (Log(), queue ?? radio.queue)
    let manager = CBPeripheralManager(delegate: log, queue: queue, radio: radio.host.radio)
    radio.settle()
    queue.sync {}
    _ = log.take()
    return (manager, log)
  }

  /// Adds a service `000` with one value `001`, at 0x001A and 0x001C in an empty place.
  @discardableResult
  func add(
    _ name: String = "B", _ properties: CBCharacteristicProperties = .read,
    _ permissions: CBAttributePermissions = .readable, value: Data? = nil,
    to manager: CBPeripheralManager? = nil
  ) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: name + "000"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: name + "001"), properties: properties, value: value,
        permissions: permissions)
    ]
    (manager ?? self.manager).add(service)
    radio.settle()
    _ = recorder.take()
    return service
  }

  func remove(_ service: CBMutableService) {
    manager.remove(service)
    radio.settle()
  }

  func respond(to request: CBATTRequest, _ result: CBATTError.Code = .success) {
    manager.respond(to: request, withResult: result)
    radio.settle()
  }
}
