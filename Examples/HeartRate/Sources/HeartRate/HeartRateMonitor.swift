// An app's code, written for Apple's systems: nothing here is specific to Linux.
import CoreBluetooth

/// Connects to the first heart rate sensor, and reports each rate.
public final class HeartRateMonitor: NSObject, @unchecked Sendable {
  /// Beats per minute. The sequence ends when the sensor disconnects.
  public let rates: AsyncStream<Int>

  private let continuation: AsyncStream<Int>.Continuation
  private var manager: CBCentralManager?
  private var sensor: CBPeripheral?
  private let service = CBUUID(string: "180D")
  private let measurement = CBUUID(string: "2A37")

  /// A monitor that scans as soon as Bluetooth can be used.
  public init(queue: DispatchQueue = .main) {
    (rates, continuation) = AsyncStream.makeStream()
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue)
  }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    central.stopScan()
    sensor = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([service])
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    continuation.finish()
  }
}

extension HeartRateMonitor: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let found = peripheral.services?.first else { return }
    peripheral.discoverCharacteristics([measurement], for: found)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
    error: (any Error)?
  ) {
    guard let found = service.characteristics?.first else { return }
    peripheral.setNotifyValue(true, for: found)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    // Flags, then the rate: 8 bits here, 16 if bit 0 is set.
    guard let value = characteristic.value, value.count >= 2, value[0] & 1 == 0 else { return }
    continuation.yield(Int(value[1]))
  }
}
