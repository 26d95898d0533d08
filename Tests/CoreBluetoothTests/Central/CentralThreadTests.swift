import Foundation
import Testing

@testable import CoreBluetooth

/// Managers on a radio with its own thread, and a ball behind a socket.
@Suite("A manager on a radio's thread")
struct CentralThreadTests {
  private let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")

  @Test("the thread of a radio ends with its last manager")
  func ends() throws {
    let path = AirPath()
    let engine = path.engine()
    let radio = CBRadio(engine)
    let asker = Asker("Will it rain?", of: service)
    do {
      let queue = DispatchQueue(label: "asker")
      let first = CBCentralManager(delegate: asker, queue: queue, radio: radio)
      let second = CBCentralManager(delegate: asker, queue: queue, radio: radio)
      #expect(first.delegate === second.delegate)
      try asker.lines.expect("state poweredOn", "state poweredOn")
      // The queue may still retain some objects.
      queue.sync {}
    }
    #expect(engine.waitForEnd(seconds: 60))
    #expect(engine.device.central.handles.isEmpty)

    // It starts again with the next.
    let third = CBCentralManager(
      delegate: asker, queue: DispatchQueue(label: "asker"), radio: radio)
    try asker.lines.expect("state poweredOn")
    #expect(third.state == .poweredOn)
  }

  @Test("managers released at the same moment leave nothing behind")
  func endsAtOnce() throws {
    let path = AirPath()
    let engine = path.engine()
    let radio = CBRadio(engine)
    let asker = Asker("Will it rain?", of: service)
    let queue = DispatchQueue(label: "asker")
    let managers = Locked(
      (0..<2).map { _ in CBCentralManager(delegate: asker, queue: queue, radio: radio) })
    try asker.lines.expect("state poweredOn", "state poweredOn")
    // The queue may still retain some objects.
    queue.sync {}
    radio.perform { _ in managers.withLock { $0 = [] } }
    #expect(engine.waitForEnd(seconds: 60))
    #expect(engine.device.central.handles.isEmpty)
    #expect(!path.exists)
  }

  @Test("a closed radio and an impossible one report that, and do nothing")
  func closed() throws {
    let asker = Asker("Will it rain?", of: service)
    let radio = CBRadio(RadioEngine(nil, stopsWhenUnused: false))
    let manager = CBCentralManager(
      delegate: asker, queue: DispatchQueue(label: "asker"), radio: radio)
    try asker.lines.expect("state unsupported")
    manager.scanForPeripherals(withServices: nil)
    #expect(!manager.isScanning)
  }
}
