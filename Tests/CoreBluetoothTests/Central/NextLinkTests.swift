import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// What of one link, operation or radio must not reach the next.
enum PeripheralState: String, CaseIterable, CustomTestStringConvertible {
  case services = "discovered services"
  case rssi = "an RSSI"
  case mtu = "a longer MTU"
  case subscription = "a subscription"
  case unsentWrites = "writes without response that have not been sent"
  case operation = "an operation without a response"
  case waitingOperations = "operations that wait"
  case rssiReading = "a reading of the RSSI"
  case channel = "a channel that waits for its response"
  case invalidated = "a service that was removed"

  var testDescription: String { rawValue }
}

@Suite("The next link of a peripheral")
struct PeripheralNextLinkTests {
  enum End: CaseIterable {
    case peripheral, cancellation, radio
  }

  private let scene = Scene()
  private let log = Log()
  private let bench: Scene.Bench
  private let manager: CBCentralManager
  private let peripheral: CBPeripheral

  init() throws {
    bench = try scene.addBench()
    (manager, peripheral) = scene.manager(log, connectedTo: 0xBE)
  }

  @Test("has nothing of the last one", arguments: PeripheralState.allCases, End.allCases)
  func nextLink(state: PeripheralState, end: End) throws {
    try bring(to: state)
    switch end {
    case .peripheral: bench.host.disconnectAll()
    case .cancellation: manager.cancelPeripheralConnection(peripheral)
    case .radio: scene.lose()
    }
    scene.pass(1_000)
    if end == .radio {
      scene.find()
      // The peripheral notices the loss of the link after its supervision timeout.
      scene.pass(40_000)
    }
    let ends = log.take().filter { $0.hasPrefix("disconnected") || $0.hasPrefix("failed") }
    expect(ends.count, is: 1)
    expect(peripheral.state == .disconnected && peripheral.services == nil)
    expect(peripheral.rssi, is: nil)
    expect(peripheral.maximumWriteValueLength(for: .withoutResponse), is: 20)
    // Everything is as at the first connection, when the delegate receives it.
    let peripheral = peripheral
    let atConnection = Locked<[String]>([])
    log.onLine = { line in
      guard line.hasPrefix("connected") else { return }
      atConnection.withLock {
        $0 = [
          "\(peripheral.services?.count ?? -1)", "\(peripheral.rssi ?? -1)",
          "\(peripheral.canSendWriteWithoutResponse)",
          "\(peripheral.maximumWriteValueLength(for: .withoutResponse))",
        ]
      }
    }
    manager.connect(peripheral)
    scene.pass(3_000)
    log.onLine = nil
    expect(atConnection.withLock(\.self), is: ["-1", "-1", "true", "20"])
    expect(log.take(), is: ["connected Bench connected"], "no report of the last link")
    // A value that the peripheral sends to all is not delivered: this link has not subscribed.
    bench.host.server.application.update = (.text, Array("late".utf8))
    bench.host.resume(at: 0)
    expect(scene.take(log), is: [])
    // What this link asks is answered with what it asked.
    peripheral.discoverServices([CBUUID(string: "FF10")])
    peripheral.readRSSI()
    scene.settle()
    expect(Set(log.take()), is: ["services [\"FF10\"]", "rssi -50"])
  }

  private func bring(to state: PeripheralState) throws {
    let all = try scene.characteristics(of: peripheral)
    switch state {
    case .services: break
    case .rssi:
      peripheral.readRSSI()
      scene.settle()
      expect(peripheral.rssi, is: -50)
    case .mtu: expect(peripheral.maximumWriteValueLength(for: .withoutResponse), is: 512)
    case .subscription:
      peripheral.setNotifyValue(true, for: all[0])
      scene.settle()
    case .unsentWrites:
      for _ in 0..<40 { peripheral.writeValue(Data([1]), for: all[0], type: .withoutResponse) }
      expect(!peripheral.canSendWriteWithoutResponse)
    case .operation:
      bench.controller.faults.losePacket(type: .acl)
      peripheral.readValue(for: all[0])
      scene.settle()
    case .waitingOperations:
      bench.controller.faults.losePacket(type: .acl)
      for characteristic in all { peripheral.readValue(for: characteristic) }
      scene.settle()
    case .rssiReading: peripheral.readRSSI()
    case .channel:
      bench.controller.faults.losePacket(type: .acl)
      peripheral.openL2CAPChannel(0x80)
      scene.settle()
    case .invalidated:
      bench.host.server.databaseChanged(in: range(0x0008, 0x001B))
      scene.settle()
    }
    _ = log.take()
  }

  @Test("two links of a device do not affect each other")
  func twoLinks() throws {
    let other = try scene.addBench(number: 0xBF)
    let second = try #require(
      manager.retrievePeripherals(withIdentifiers: [UUID(.numbered(0xBF))]).first)
    let secondLog = Log()
    second.delegate = secondLog
    manager.connect(second)
    scene.pass(1_000)
    other.host.server.application.values[0] = Array("other".utf8)
    let values = try [peripheral, second].map { try scene.characteristics(of: $0)[0] }
    _ = (log.take(), secondLog.take())
    // The first link's response is lost; the second link is served meanwhile.
    bench.controller.faults.losePacket(type: .acl)
    peripheral.readValue(for: values[0])
    second.readValue(for: values[1])
    second.readRSSI()
    expect(scene.take(log), is: [])
    expect(Set(secondLog.take()), is: ["value FF01 other", "rssi -50"])
    expect(peripheral.rssi == nil && values[0].value == nil)
    // An object of one peripheral is not used for the other.
    second.readValue(for: values[0])
    expect(scene.take(secondLog), is: [])
    bench.host.disconnectAll()
    scene.settle()
    expect(second.state == .connected && second.services != nil)
    second.readValue(for: values[1])
    expect(scene.take(secondLog), is: ["value FF01 other"])
  }
}
