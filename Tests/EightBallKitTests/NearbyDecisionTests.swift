import CoreBluetooth
import Expectations
import Foundation

@testable import EightBallKit

@Suite("A scan for all devices")
struct NearbyDecisionTests {
  private let lines = Lines()
  private let queue = DispatchQueue(label: "nearby")
  private let manager: StagedCentralManager
  private let devices: NearbyDevices

  init() throws {
    let lines = lines
    var made: StagedCentralManager?
    devices = NearbyDevices(queue: queue) { delegate, queue in
      let manager = StagedCentralManager(delegate, queue, lines)
      made = manager
      return manager
    }
    manager = try #require(made)
  }

  private func take() -> [String] {
    queue.sync {}
    return lines.take()
  }

  private func power(_ state: CBManagerState) {
    manager.setState(state)
    queue.sync { devices.centralManagerDidUpdateState(manager) }
  }

  private func hear(_ data: [String: Any], rssi: Int, known: String? = nil) {
    let peripheral = StagedPeripheral(1, of: manager, lines)
    peripheral.stagedName = known
    queue.sync {
      devices.centralManager(
        manager, didDiscover: peripheral, advertisementData: data, rssi: NSNumber(value: rssi))
    }
  }

  @Test("scans for all whenever Bluetooth can be used, until it is stopped")
  func scans() {
    power(.poweredOff)
    expect(take(), is: [])
    power(.poweredOn)
    expect(take(), is: ["scan all"])
    power(.resetting)
    power(.poweredOn)
    expect(take(), is: ["scan all"])
    devices.stop()
    expect(take(), is: ["stop scan"])
    power(.poweredOff)
    devices.stop()
    expect(take(), is: [])
    power(.poweredOn)
    expect(take(), is: [])
  }

  @Test("a new reader begins with the present state")
  func readers() async {
    // Each begins on the queue.
    let early = devices.events
    queue.sync {}
    power(.poweredOn)
    let late = devices.events
    queue.sync {}
    power(.poweredOff)
    let last = devices.events
    queue.sync {}
    devices.stop()
    var found: [[String]] = []
    for stream in [early, late, last, devices.events] {
      var texts: [String] = []
      for await event in stream { texts.append("\(event)") }
      found.append(texts)
    }
    let (on, off) = ("Bluetooth can be used.", "Bluetooth cannot be used.")
    expect(found, is: [[on, off], [on, off], [], []])
  }

  @Test("a device has what it advertises")
  func data() async {
    let events = devices.events
    queue.sync {}
    let (ball, other) = (BallProfile.service, CBUUID(string: "180F"))
    hear([:], rssi: 127)
    hear([:], rssi: -1, known: "Known")
    hear(
      [
        CBAdvertisementDataLocalNameKey: "Name", CBAdvertisementDataServiceUUIDsKey: [other],
        CBAdvertisementDataIsConnectable: NSNumber(value: true),
      ], rssi: 126, known: "Known")
    hear(
      [
        CBAdvertisementDataServiceUUIDsKey: [other, ball],
        CBAdvertisementDataIsConnectable: NSNumber(value: false),
      ], rssi: -90)
    devices.stop()
    var found: [String] = []
    for await case .heard(let device) in events {
      found.append("\(device), \(device.isConnectable), \(device.isBall), \(device.services.count)")
    }
    expect(
      found,
      is: [
        "a device without a name, false, false, 0", "“Known”, at -1 dBm, false, false, 0",
        "“Name”, at 126 dBm, true, false, 1",
        "a device without a name, a ball, at -90 dBm, false, true, 2",
      ])
  }

  @Test("a timer fires once on its queue, unless it is cancelled")
  func timers() async {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    // Nothing fires before it is cancelled, however late that is.
    queue.suspend()
    let cancel = dispatchTimer(after: 0.01, on: queue) { continuation.yield("cancelled") }
    cancel()
    queue.resume()
    let timer = dispatchTimer(after: 0.02, on: queue) { [queue] in
      dispatchPrecondition(condition: .onQueue(queue))
      continuation.yield("fired")
      continuation.finish()
    }
    var found: [String] = []
    for await line in stream { found.append(line) }
    expect(found, is: ["fired"])
    withExtendedLifetime(timer) {}
  }
}
