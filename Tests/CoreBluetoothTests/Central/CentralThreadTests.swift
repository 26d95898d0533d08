import Foundation
import Testing

@testable import CoreBluetooth

/// Managers on a radio with its own thread, and a ball behind a socket.
@Suite("A manager on a radio's thread")
struct CentralThreadTests {
  private let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")

  /// Does what a program does, in the delegate's callbacks alone.
  private final class Program: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
    @unchecked Sendable
  {
    let lines: Inbox<String>
    let service: CBUUID
    private let peripheral = Locked<CBPeripheral?>(nil)

    init(_ lines: Inbox<String>, _ service: CBUUID) {
      self.lines = lines
      self.service = service
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      lines.put("state \(central.state)")
      if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
      advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
      lines.put("discovered \(peripheral.name ?? "-")")
      central.stopScan()
      self.peripheral.withLock { $0 = peripheral }
      peripheral.delegate = self
      central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      lines.put("connected")
      peripheral.discoverServices([service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
      for service in peripheral.services ?? [] {
        peripheral.discoverCharacteristics(nil, for: service)
      }
    }

    func peripheral(
      _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
      error: (any Error)?
    ) {
      guard let all = service.characteristics, all.count == 2 else { return }
      peripheral.setNotifyValue(true, for: all[1])
      peripheral.writeValue(Data("Will it rain?".utf8), for: all[0], type: .withResponse)
    }

    func peripheral(
      _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
      error: (any Error)?
    ) {
      lines.put(characteristic.value?.isEmpty == false ? "answered" : "not answered")
    }

    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
      error: (any Error)?
    ) {
      lines.put("disconnected \((error as? CBError).map { "\($0.code)" } ?? "-")")
    }
  }

  @Test("asks a ball from callbacks alone, and hears when the ball goes")
  func asks() throws {
    let path = AirPath()
    let lines = Inbox<String>()
    let program = Program(lines, service)
    let radio = CBRadio(RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true))
    let manager = CBCentralManager(
      delegate: program, queue: DispatchQueue(label: "program"), radio: radio)
    let state = try lines.take()
    #expect(state == "state poweredOn")
    // The air is the manager's, and goes on without the ball.
    let ball = try AirBall("Magic 8-Ball", at: path)
    for line in ["discovered Magic 8-Ball", "connected", "answered"] {
      let next = try lines.take()
      #expect(next == line)
    }
    ball.leave()
    let end = try lines.take()
    #expect(end == "disconnected peripheralDisconnected")
    #expect(manager.state == .poweredOn)
  }

  @Test("the thread of a radio of one's own ends with the last manager")
  func ends() throws {
    let path = AirPath()
    let lines = Inbox<String>()
    let engine = RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true)
    let radio = CBRadio(engine)
    let program = Program(lines, service)
    do {
      let queue = DispatchQueue(label: "program")
      let first = CBCentralManager(delegate: program, queue: queue, radio: radio)
      let second = CBCentralManager(delegate: program, queue: queue, radio: radio)
      #expect(first.delegate === second.delegate)
      for _ in 0..<2 {
        let line = try lines.take()
        #expect(line == "state poweredOn")
      }
      // Whatever the queue still holds on to.
      queue.sync {}
    }
    #expect(engine.waitForEnd(seconds: 60))
    #expect(engine.program.central.clients.isEmpty)

    // And begins again with the next.
    let third = CBCentralManager(
      delegate: program, queue: DispatchQueue(label: "program"), radio: radio)
    let line = try lines.take()
    #expect(line == "state poweredOn")
    #expect(third.state == .poweredOn)
  }

  @Test("managers that go at the same moment leave nothing behind")
  func endsAtOnce() throws {
    let path = AirPath()
    let lines = Inbox<String>()
    let engine = RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true)
    let radio = CBRadio(engine)
    let program = Program(lines, service)
    let queue = DispatchQueue(label: "program")
    let managers = Locked(
      (0..<2).map { _ in CBCentralManager(delegate: program, queue: queue, radio: radio) })
    for _ in 0..<2 {
      let line = try lines.take()
      #expect(line == "state poweredOn")
    }
    // Whatever the queue still holds on to.
    queue.sync {}
    radio.perform { _, _ in managers.withLock { $0 = [] } }
    #expect(engine.waitForEnd(seconds: 60))
    #expect(engine.program.central.clients.isEmpty)
    #expect(!path.exists)
  }

  @Test("a radio that is closed, and one that cannot be, say so and do nothing")
  func closed() throws {
    let lines = Inbox<String>()
    let program = Program(lines, service)
    let radio = CBRadio(RadioEngine(nil, stopsWhenUnused: false))
    let manager = CBCentralManager(
      delegate: program, queue: DispatchQueue(label: "program"), radio: radio)
    let line = try lines.take()
    #expect(line == "state unsupported")
    manager.scanForPeripherals(withServices: nil)
    #expect(!manager.isScanning)
  }
}
