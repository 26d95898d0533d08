// Reads a value that requires an encrypted link: CoreBluetooth pairs when the peripheral refuses,
// and reads again. Then it disconnects and reconnects, and the bond encrypts the link without
// pairing.
//
//     read-a-secret [compare] [VISITS]
//
// With `compare`, both devices show a number; type "y" if the other shows the same one. VISITS is
// the number of connections, 2 by default.

import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

final class Reader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var visits: Int

  init(visits: Int) {
    self.visits = visits
    super.init()
    manager = CBCentralManager(delegate: self, queue: .main)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn {
      central.scanForPeripherals(withServices: [CBUUID(string: "5A00")])
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    say("Connected")
    peripheral.discoverServices([CBUUID(string: "5A00")])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return }
    peripheral.discoverCharacteristics([CBUUID(string: "5A01")], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    guard let secret = service.characteristics?.first else { return }
    peripheral.readValue(for: secret)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    if let error {
      say("Not read: \(error.localizedDescription)")
    } else {
      say("Read: \(String(decoding: characteristic.value ?? Data(), as: UTF8.self))")
    }
    manager?.cancelPeripheralConnection(peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    say("Not connected: \(error?.localizedDescription ?? "")")
    exit(1)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    say("Disconnected" + (error.map { ": \($0.localizedDescription)" } ?? ""))
    visits -= 1
    guard error == nil, visits > 0 else { exit(error == nil ? 0 : 1) }
    central.connect(peripheral)
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
let reader = Reader(visits: CommandLine.arguments.dropFirst().compactMap { Int($0) }.first ?? 2)
dispatchMain()
