import CoreBluetooth
import Expectations
import LinuxRadio
import LinuxTestSupport
import Synchronization

/// The program of docs/own-peripheral.md, with a central of CoreBluetooth.
@Suite("The peripheral on a radio of Linux", .timeLimit(.minutes(1)))
struct BatteryProgramTests {
  @Test("is found, and its charge is read")
  func charge() throws {
    let air = TestAir()
    let reader = try BatteryReader(CBRadio(air.radio))
    try runBattery(on: RadioAddress(air.radio)) { reader.isDone.load(ordering: .relaxed) }
    expect(reader.charge.withLock { $0 }, is: 100)
  }
}

/// Reads Battery Level, and disconnects, which wakes the battery's program.
private final class BatteryReader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  @unchecked Sendable
{
  let charge = Mutex<UInt8?>(nil)
  let isDone = Atomic(false)
  private var manager: CBCentralManager?
  private var battery: CBPeripheral?

  init(_ radio: CBRadio) {
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "battery reader"), options: nil, radio: radio)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    battery = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([CBUUID(string: "180F")])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return end() }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    guard let level = service.characteristics?.first else { return end() }
    peripheral.readValue(for: level)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    charge.withLock { $0 = characteristic.value?.first }
    end()
  }

  private func end() {
    isDone.store(true, ordering: .relaxed)
    if let battery { manager?.cancelPeripheralConnection(battery) }
  }
}
