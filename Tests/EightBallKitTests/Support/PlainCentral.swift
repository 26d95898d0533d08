import CoreBluetooth
import Foundation
import LinuxTestSupport

@testable import EightBallKit

/// An app without the SDK, which uses a ball as the test says, in any order.
final class PlainCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  @unchecked Sendable
{
  let radio: CBRadio
  private let air: TestAir
  private let name: String
  private let queue = DispatchQueue(label: "plain central")
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var question: CBCharacteristic?
  private var answer: CBCharacteristic?
  private let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(wanting name: String, on air: TestAir) throws {
    self.name = name
    self.air = air
    (lines, continuation) = AsyncStream.makeStream()
    radio = try CBRadio(air.radio)
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: nil, radio: radio)
  }

  deinit { radio.close() }

  /// The next line. The first is "ready".
  func next() async -> String {
    for await line in lines { return line }
    return "the end"
  }

  func write(_ bytes: [UInt8], _ type: CBCharacteristicWriteType = .withResponse) {
    queue.async { [self] in
      if let question { peripheral?.writeValue(Data(bytes), for: question, type: type) }
    }
  }

  func read() {
    queue.async { [self] in
      if let answer { peripheral?.readValue(for: answer) }
    }
  }

  func subscribe(_ isEnabled: Bool) {
    queue.async { [self] in
      if let answer { peripheral?.setNotifyValue(isEnabled, for: answer) }
    }
  }

  private func note(_ line: String, _ error: (any Error)?) {
    let code = error.map { ": 0x" + String(($0 as NSError).code, radix: 16) }
    continuation.yield(line + (code ?? ""))
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: [BallProfile.service])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover found: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard peripheral == nil, found.name == name else { return }
    peripheral = found
    found.delegate = self
    central.connect(found)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([BallProfile.service])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return note("no service", error) }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    question = service.characteristics?.first { $0.uuid == BallProfile.question }
    answer = service.characteristics?.first { $0.uuid == BallProfile.answer }
    note("ready", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    note("value \(String(decoding: characteristic.value ?? Data(), as: UTF8.self))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    note("wrote", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    note("notifying \(characteristic.isNotifying)", error)
  }
}
