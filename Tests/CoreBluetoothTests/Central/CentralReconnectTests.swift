import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// A delegate with the newer method for the end of a link, and without most others. It records each
/// call as a line.
private final class EndLog: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, LineLog,
  @unchecked Sendable
{
  private let lines = Inbox<String>()

  func take() -> [String] { lines.takeAll() }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    lines.put("state \(central.state)")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.put("connected")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
  ) {
    lines.put(
      "ended \(peripheral.state) \(isReconnecting ? "reconnecting" : "for good") \(name(error))")
  }

  private func name(_ error: (any Error)?) -> String {
    (error as? CBError).map { "\($0.code)" } ?? "-"
  }
}

@Suite("CBConnectPeripheralOptionEnableAutoReconnect")
struct CentralReconnectTests {
  private let scene = Scene()
  private let log = EndLog()
  private let manager: CBCentralManager
  private let bench: Scene.Bench
  private let peripheral: CBPeripheral
  private let options = [CBConnectPeripheralOptionEnableAutoReconnect: true]

  init() throws {
    bench = try scene.addBench()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBE)
    (self.manager, peripheral) = (manager, peripherals[0])
  }

  @Test("reconnects after each loss")
  func lost() throws {
    manager.connect(peripheral, options: options)
    expect(scene.take(log), is: ["connected"])
    for _ in 0..<3 {
      bench.host.disconnectAll()
      expect(
        scene.take(log, after: 1_000),
        is: ["ended connecting reconnecting peripheralDisconnected", "connected"])
      expect(peripheral.state, is: .connected)
    }
    expect(scene.radio.controller.connectionHandles.count, is: 1)
    // A delegate needs no method for what it does not want to know.
    let text = try scene.characteristics(of: peripheral)[0]
    peripheral.setNotifyValue(true, for: text)
    expect(scene.take(log) == [] && text.isNotifying)
  }

  @Test("ends with a cancellation of the link or of the next attempt")
  func cancelled() {
    manager.connect(peripheral, options: options)
    scene.settle()
    manager.cancelPeripheralConnection(peripheral)
    expect(scene.take(log, after: 5_000), is: ["connected", "ended disconnected for good -"])

    manager.connect(peripheral, options: options)
    scene.settle()
    bench.controller.vanish()
    expect(
      scene.take(log, after: 30_000),
      is: ["connected", "ended connecting reconnecting connectionTimeout"])
    manager.cancelPeripheralConnection(peripheral)
    expect(scene.take(log, after: 5_000), is: ["ended disconnected for good -"])
    expect(peripheral.state, is: .disconnected)
  }

  @Test("ends with a cancellation that comes before the report of the loss")
  func cancelledMeanwhile() {
    manager.connect(peripheral, options: options)
    _ = scene.take(log)
    // All of this happens before the delegate is called.
    scene.queue.suspend()
    let engine = scene.radio.device.central
    engine.lose(engine.links[0], .disconnected(.connectionTimeout))
    manager.cancelPeripheralConnection(peripheral)
    manager.connect(peripheral)
    scene.queue.resume()
    expect(
      scene.take(log, after: 5_000),
      is: [
        "ended disconnecting reconnecting connectionTimeout", "ended connecting for good -",
        "connected",
      ])
    expect(peripheral.state, is: .connected)
    manager.cancelPeripheralConnection(peripheral)
    expect(scene.take(log), is: ["ended disconnected for good -"])
  }

  @Test("does not outlive the radio")
  func radioLost() {
    let absent = manager.retrievePeripherals(withIdentifiers: [UUID(.numbered(0xBA))])
    for peripheral in [peripheral] + absent { manager.connect(peripheral, options: options) }
    expect(scene.take(log), is: ["connected"])
    scene.lose()
    expect(log.take(), is: ["state resetting", "ended disconnected for good connectionFailed"])
    expect(peripheral.state == .disconnected && absent.map(\.state) == [.disconnected])
  }
}
