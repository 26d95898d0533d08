import CoreBluetooth
import Foundation

/// Greets each subscribed central, and accepts messages from centrals.
public final class PracticePeripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private let handler: any EventHandler
  private let greeting = ["Hello": "Darkness"]
  private var manager: CBPeripheralManager?
  private var characteristic: CBMutableCharacteristic?
  private var value = Data()
  /// The centrals that wait for the greeting until there is room.
  private var waiting: [CBCentral] = []

  /// A peripheral that begins as soon as Bluetooth can be used.
  public init(handler: any EventHandler, queue: DispatchQueue) {
    self.handler = handler
    super.init()
    handler.handle(.startedConfiguration)
    manager = CBPeripheralManager(delegate: self, queue: queue)
  }

  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let characteristic = CBMutableCharacteristic(
      type: Practice.characteristic,
      properties: [.read, .notify, .write, .writeWithoutResponse], value: nil,
      permissions: [.readable, .writeable])
    let service = CBMutableService(type: Practice.service, primary: true)
    service.characteristics = [characteristic]
    self.characteristic = characteristic
    peripheral.removeAllServices()
    peripheral.add(service)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    guard error == nil else { return }
    peripheral.stopAdvertising()
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: Practice.name,
      CBAdvertisementDataServiceUUIDsKey: [Practice.service],
    ])
  }

  public func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    if error == nil { handler.handle(.startedAdvertising) }
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    handler.handle(.connected(central.identifier.uuidString))
    waiting.append(central)
    greet(peripheral)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    waiting.removeAll { $0.identifier == central.identifier }
    handler.handle(.disconnected(central.identifier.uuidString))
  }

  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    greet(peripheral)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    guard request.offset <= value.count else {
      return peripheral.respond(to: request, withResult: .invalidOffset)
    }
    request.value = value.dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    guard let first = requests.first else { return }
    peripheral.respond(to: first, withResult: .success)
    let data = requests.reduce(Data()) { $0 + ($1.value ?? Data()) }
    guard let message = Practice.decode(data) else {
      return NSLog("The received value is not a property list of strings: %d bytes", data.count)
    }
    value = data
    handler.handle(.received(message))
  }

  private func greet(_ peripheral: CBPeripheralManager) {
    guard let characteristic, let data = try? Practice.encode(greeting) else { return }
    while let central = waiting.first {
      guard peripheral.updateValue(data, for: characteristic, onSubscribedCentrals: [central])
      else { return }
      waiting.removeFirst()
      handler.handle(.sent(greeting))
    }
  }
}
