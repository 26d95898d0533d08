import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

private func uuids(_ count: Int) -> [String] {
  (0..<count).map { "A0000000-0000-4000-8000-0000000000" + String(format: "%02X", $0) }
}

@Suite("CBPeripheralManager: extended advertising")
struct ExtendedAdvertisementTests {
  private let radio = ScriptedRadio.peripheral()

  /// What a manager sends on a controller with these features, after it has started to advertise.
  private func started(
    features: [UInt8], _ name: String, _ services: [String]
  ) -> (calls: [UInt16: [UInt8]], log: [String], stops: () -> [HCIOpcode]) {
    radio.answer(.leReadLocalSupportedFeatures) { opcode, _ in
      let rest = [UInt8](repeating: 0, count: 8 - features.count)
      return [ScriptedRadio.complete(opcode, [0] + features + rest)]
    }
    radio.device.radioIsReady(at: radio.now)
    radio.settle()
    let it = Published(on: radio)
    it.manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: name,
      CBAdvertisementDataServiceUUIDsKey: services.map { CBUUID(string: $0) },
    ])
    let log = it.take()
    let calls = Dictionary(radio.calls.map { ($0.opcode.rawValue, $0.parameters) }) { $1 }
    return (
      calls, log,
      {
        radio.forget()
        it.manager.stopAdvertising()
        radio.settle()
        return radio.commands
      }
    )
  }

  @Test("What legacy PDUs leave out goes into up to 124 bytes of extended advertising")
  func longer() {
    let name = String(repeating: "n", count: 60)
    // Bit 12: extended advertising.
    let (calls, log, stop) = started(features: [0, 0x10], name, uuids(3))
    expect(log, is: ["advertising true"])
    let data = calls[HCIOpcode.leSetExtendedAdvertisingData.rawValue].map { Array($0[4...]) } ?? []
    // 3 (flags) + 2 + 3 · 16 (services) = 53; 2 + 60 (name) = 62.
    expect(data.count, is: 53 + 62)
    expect(Array(data[..<5]), is: [2, 1, 6, 49, 7])
    expect(Array(data[53...]), is: [61, 9] + Array(name.utf8))
    expect(calls[HCIOpcode.leSetAdvertisingData.rawValue], is: nil)
    expect(stop(), is: [.leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingEnable])
  }

  @Test("A radio with extended advertising is reported by the class of the managers")
  func supported() async {
    // In a process of its own: it has the features of the last radio that was ready.
    await #expect(processExitsWith: .success) {
      expect(!CBCentralManager.supports(.extendedScanAndConnect))
      _ = ExtendedAdvertisementTests().started(features: [0, 0x10], "8-Ball", [])
      expect(CBCentralManager.supports(.extendedScanAndConnect))
    }
  }

  @Test("Beyond 124 bytes, services are left out, and the name is cut")
  func tooLong() {
    expect(
      ExtendedAdvertisement(uuids(9).map { CBUUID(string: $0).uuid }, [65]).bytes.count,
      // 3 + 2 + 7 · 16 = 117; a name of one byte has 3.
      is: 120)
    let long = ExtendedAdvertisement([], [UInt8](repeating: 65, count: 200)).bytes
    expect(long.count, is: 124)
    expect(Array(long[3...4]), is: [120, 8])
    expect(ExtendedAdvertisement([], []).bytes, is: [2, 1, 6])
  }

  @Test("What fits legacy PDUs is in them alone, and so is all on a controller of Bluetooth 4")
  func shorter() {
    let (calls, log, _) = started(features: [0, 0x10], "8-Ball", ["A000"])
    expect(log, is: ["advertising true"])
    // Handle 0 has legacy PDUs.
    expect(calls[HCIOpcode.leSetExtendedAdvertisingData.rawValue]?.first, is: 0)
    expect(calls[HCIOpcode.leSetExtendedAdvertisingEnable.rawValue], is: [1, 1, 0, 0, 0, 0])
  }
}
