import BluetoothHost
import Foundation

@testable import CoreBluetooth

/// A powered-on manager with the service of most tests.
struct Published {
  let stage: PeripheralStage
  let recorder = PeripheralRecorder()
  let manager: CBPeripheralManager
  /// Read, written in both ways, notified. Value 0x0012, configuration 0x0013.
  let text = CBMutableCharacteristic(
    type: CBUUID(string: "A001"), properties: [.read, .write, .writeWithoutResponse, .notify],
    value: nil, permissions: [.readable, .writeable])
  /// Three constant bytes, 0x0015, and a description, 0x0016.
  let fixed = CBMutableCharacteristic(
    type: CBUUID(string: "A002"), properties: .read, value: Data([1, 2, 3]),
    permissions: .readable)
  /// Written, indicated. Value 0x0018, configuration 0x0019.
  let level = CBMutableCharacteristic(
    type: CBUUID(string: "A003"), properties: [.write, .indicate], value: nil,
    permissions: .writeable)
  /// 0x0010 to 0x0019.
  let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)

  init(on stage: PeripheralStage = PeripheralStage()) {
    self.stage = stage
    manager = CBPeripheralManager(delegate: recorder, queue: stage.queue, thread: stage)
    stage.change(to: .poweredOn)
    fixed.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Fixed")]
    service.characteristics = [text, fixed, level]
    manager.add(service)
    stage.settle()
    _ = recorder.take()
    stage.forget()
  }

  var deviceName: [UInt8] { Array(stage.device.host.server.deviceName.span) }
}
