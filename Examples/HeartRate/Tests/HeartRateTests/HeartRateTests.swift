import CoreBluetooth
import HeartRate
import Testing

/// A sensor on a separate radio that notifies 72, then 75, to each subscriber.
final class ScriptedSensor: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "sensor")
  let measurement = CBMutableCharacteristic(
    type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: .readable)
  var manager: CBPeripheralManager?

  init(on radio: CBRadio) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: nil, radio: radio)
  }

  func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
    guard manager.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [measurement]
    manager.add(service)
    manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    for rate in [72, 75] as [UInt8] {
      _ = manager.updateValue(Data([0, rate]), for: measurement, onSubscribedCentrals: nil)
    }
  }
}

@Test(.timeLimit(.minutes(1)))
func theMonitorReceivesTheRates() async throws {
  // EIGHTBALL_RADIO names the app's radio: see scripts/test.
  let sensor = ScriptedSensor(on: try CBRadio("virtual"))
  let monitor = HeartRateMonitor(queue: DispatchQueue(label: "app"))
  var rates: [Int] = []
  for await rate in monitor.rates {
    rates.append(rate)
    if rates.count == 2 { break }
  }
  #expect(rates == [72, 75])
  withExtendedLifetime(sensor) {}
}
