import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// A delegate with the newer method for the end of a link. It records each call as a line.
private final class EndLog: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private let lines = Locked<[String]>([])

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  private func note(_ line: String) { lines.withLock { $0.append(line) } }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note("state \(central.state)")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected")
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    note("failed \(name(error))")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
  ) {
    note("ended \(peripheral.state) \(isReconnecting ? "reconnecting" : "for good") \(name(error))")
  }

  private func name(_ error: (any Error)?) -> String {
    (error as? CBError).map { "\($0.code)" } ?? "-"
  }
}

@Suite("CBConnectPeripheralOptionEnableAutoReconnect")
struct CentralReconnectTests {
  private let stage = CentralStage()
  private let log = EndLog()
  private let manager: CBCentralManager
  private let bench: CentralStage.Bench
  private let peripheral: CBPeripheral
  private let options = [CBConnectPeripheralOptionEnableAutoReconnect: true]

  init() throws {
    bench = try stage.addBench()
    manager = stage.manager(log)
    stage.settle()
    peripheral = try #require(
      manager.retrievePeripherals(withIdentifiers: [UUID(.numbered(0xBE))]).first)
    _ = log.take()
  }

  @Test("reconnects after each loss")
  func lost() {
    manager.connect(peripheral, options: options)
    stage.settle()
    #expect(log.take() == ["connected"])
    for _ in 0..<3 {
      bench.host.disconnectAll()
      stage.pass(1_000)
      #expect(
        log.take() == ["ended connecting reconnecting peripheralDisconnected", "connected"])
      #expect(peripheral.state == .connected)
    }
    #expect(stage.radio.controller.connectionHandles.count == 1)
  }

  @Test("is off by default")
  func withoutTheOption() {
    manager.connect(peripheral)
    stage.settle()
    _ = log.take()
    bench.host.disconnectAll()
    stage.pass(5_000)
    #expect(log.take() == ["ended disconnected for good peripheralDisconnected"])
  }

  @Test("ends with a cancellation of the link or of the next attempt")
  func cancelled() {
    manager.connect(peripheral, options: options)
    stage.settle()
    manager.cancelPeripheralConnection(peripheral)
    stage.pass(5_000)
    #expect(log.take() == ["connected", "ended disconnected for good -"])

    manager.connect(peripheral, options: options)
    stage.settle()
    bench.controller.vanish()
    stage.pass(30_000)
    #expect(log.take() == ["connected", "ended connecting reconnecting connectionTimeout"])
    manager.cancelPeripheralConnection(peripheral)
    stage.pass(5_000)
    #expect(log.take() == ["ended disconnected for good -"])
    #expect(peripheral.state == .disconnected)
  }

  @Test("ends with a cancellation that comes before the report of the loss")
  func cancelledMeanwhile() {
    manager.connect(peripheral, options: options)
    stage.settle()
    _ = log.take()
    // All of this happens before the delegate is called.
    stage.queue.suspend()
    let engine = stage.radio.device.central
    engine.lose(engine.links[0], .disconnected(.connectionTimeout))
    manager.cancelPeripheralConnection(peripheral)
    manager.connect(peripheral)
    stage.queue.resume()
    stage.pass(5_000)
    #expect(
      log.take() == [
        "ended disconnecting reconnecting connectionTimeout", "ended connecting for good -",
        "connected",
      ])
    #expect(peripheral.state == .connected)
    manager.cancelPeripheralConnection(peripheral)
    stage.settle()
    #expect(log.take() == ["ended disconnected for good -"])
  }

  @Test("does not outlive the radio")
  func radioLost() {
    manager.connect(peripheral, options: options)
    stage.settle()
    _ = log.take()
    stage.lose()
    #expect(log.take() == ["state resetting", "ended disconnected for good connectionFailed"])
    #expect(peripheral.state == .disconnected)
  }
}
