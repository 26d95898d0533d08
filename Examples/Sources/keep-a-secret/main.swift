// A peripheral whose value requires an encrypted link: a central pairs before it reads the value.
//
//     keep-a-secret [compare]
//
// Without `compare` it pairs with every central (Just Works). With it, both devices show a number;
// type "y" if the other shows the same one.

import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

final class Keeper: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager?

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: .main)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let secret = CBMutableCharacteristic(
      type: CBUUID(string: "5A01"), properties: [.read, .write, .notifyEncryptionRequired],
      value: nil, permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    let service = CBMutableService(type: CBUUID(string: "5A00"), primary: true)
    service.characteristics = [secret]
    peripheral.removeAllServices()
    peripheral.add(service)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    if let error { return say("Cannot add the service: \(error.localizedDescription)") }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Keeper",
      CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
  }

  func peripheralManagerDidStartAdvertising(
    _ peripheral: CBPeripheralManager, error: (any Error)?
  ) {
    say(error.map { "Cannot advertise: \($0.localizedDescription)" } ?? "Advertising")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
  ) {
    say("Read")
    request.value = Data("The answer is 42.".utf8).dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    say("Written")
    if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    guard let secret = characteristic as? CBMutableCharacteristic else { return }
    say("Subscribed")
    _ = peripheral.updateValue(
      Data("Listen!".utf8), for: secret, onSubscribedCentrals: [central])
  }
}

#if os(Linux)
  if CommandLine.arguments.contains("compare") {
    // Apple's systems ask the user.
    CBRadio.default.pairing = CBPairing(
      ability: .displayYesNo, requiresUser: true,
      ended: { _, error in
        say(error.map { "Not paired: \($0.localizedDescription)" } ?? "Paired")
      }
    ) { request in
      guard case .compare(let number) = request.prompt else { return request.answer(false) }
      say("Does the other device show \(number)? [y/n]")
      request.answer(readLine() == "y")
    }
  }
#endif
let keeper = Keeper()
dispatchMain()
