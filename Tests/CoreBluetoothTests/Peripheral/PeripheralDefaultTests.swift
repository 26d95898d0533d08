import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: what a device answers by itself")
struct PeripheralDefaultTests {
  private final class Silent: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
  }

  @Test("A delegate without the methods refuses each request, so no central waits in vain")
  func refused() {
    let it = Published()
    let silent = Silent()
    it.manager.delegate = silent
    it.stage.connect()
    it.stage.expect([0x0A, 0x12, 0x00], gives: attError(0x0A, 0x12, 0x06))
    it.stage.expect([0x12, 0x12, 0x00, 5], gives: attError(0x12, 0x12, 0x06))
    // A command has no answer, and a constant value needs no delegate.
    #expect(it.stage.exchange([0x52, 0x12, 0x00, 5]) == [])
    it.stage.expect([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
    it.stage.expect([0x12, 0x13, 0x00, 1, 0], gives: [0x13])
  }
}
