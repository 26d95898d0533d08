import BluetoothHost
import Expectations
import Foundation
import LinuxRadio

@testable import CoreBluetooth

@Suite("CBPeripheralManager: state and advertising")
struct PeripheralStateTests {
  private let it = Published()

  private func advertise(_ name: String?, _ services: [String]) -> [String] {
    var data: [String: Any] = [
      CBAdvertisementDataServiceUUIDsKey: services.map { CBUUID(string: $0) }
    ]
    data[CBAdvertisementDataLocalNameKey] = name
    it.manager.startAdvertising(data)
    it.radio.settle()
    return it.recorder.take()
  }

  /// The parameters of the last LE Set Advertising Data, without their padding.
  private var advertised: [UInt8]? {
    it.radio.calls.last { $0.opcode == .leSetAdvertisingData }
      .map { Array($0.parameters[1...Int($0.parameters[0])]) }
  }

  @Test("The state is reported first, and each change once")
  func states() {
    let (radio, recorder) = (ScriptedRadio.peripheral(), Log())
    let manager = CBPeripheralManager(
      delegate: recorder, queue: radio.queue, radio: radio.host.radio)
    radio.settle()
    expect(manager.state, is: .unknown)
    expect(recorder.take(), is: [])
    radio.change(to: .poweredOn)
    radio.change(to: .poweredOn)
    radio.change(to: .poweredOff)
    expect(manager.state, is: .poweredOff)
    expect(recorder.take(), is: ["state poweredOn", "state poweredOff"])
  }

  @Test("Advertising starts with the services and the name, and stops")
  func advertising() {
    expect(!it.manager.isAdvertising)
    expect(advertise("8-Ball", ["A000", "180F"]), is: ["advertising true"])
    expect(advertised, is: [2, 1, 6, 5, 3, 0x00, 0xA0, 0x0F, 0x18, 7, 9] + Array("8-Ball".utf8))
    expect(it.radio.calls.last?.opcode, is: .leSetAdvertisingEnable)
    expect(it.deviceName, is: Array("8-Ball".utf8))
    it.manager.stopAdvertising()
    expect(!it.manager.isAdvertising)
    it.radio.settle()
    expect(it.radio.calls.last?.parameters, is: [0])
    expect(it.recorder.take(), is: [])
    expect(advertise(nil, []), is: ["advertising true"])
    expect(advertised, is: [2, 1, 6])
  }

  @Test("Keys that a peripheral may not set are ignored")
  func otherKeys() {
    it.manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "n",
      CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 1]),
      CBAdvertisementDataTxPowerLevelKey: NSNumber(value: 4),
      CBAdvertisementDataServiceUUIDsKey: "not a list",
    ])
    expect(it.take(), is: ["advertising true"])
    expect(advertised, is: [2, 1, 6, 2, 9, 0x6E])
  }

  @Test("Starting twice is an error without effect")
  func twice() {
    expect(advertise("one", []), is: ["advertising true"])
    expect(advertise("two", []), is: ["advertising true: CBError.alreadyAdvertising"])
    expect(advertised, is: [2, 1, 6, 4, 9] + Array("one".utf8))
  }

  @Test("Advertising that stops before its start is reported is never reported")
  func stoppedAtOnce() {
    let queue = DispatchQueue(label: "slow")
    let (manager, recorder) = it.another(on: queue)
    queue.suspend()
    manager.startAdvertising(nil)
    it.radio.settle()
    manager.stopAdvertising()
    queue.resume()
    it.radio.settle()
    queue.sync {}
    expect(!manager.isAdvertising)
    expect(recorder.take(), is: [])
    expect(it.radio.calls.last?.parameters, is: [0])
    // The next start is reported once.
    queue.suspend()
    manager.startAdvertising(nil)
    it.radio.settle()
    manager.stopAdvertising()
    manager.startAdvertising(nil)
    it.radio.settle()
    queue.resume()
    queue.sync {}
    expect(manager.isAdvertising)
    expect(recorder.take(), is: ["advertising true"])
  }

  @Test("A refusal of the controller is reported as an error")
  func refused() {
    it.radio.refused = .leSetAdvertisingEnable
    expect(advertise("one", []), is: ["advertising false: CBError.unknown"])
    expect(!it.manager.isAdvertising)
    // Nor does it start once the controller would accept it.
    it.radio.refused = nil
    it.radio.forget()
    it.radio.connect()
    it.radio.disconnect()
    expect(!it.radio.calls.contains { $0.opcode == .leSetAdvertisingEnable })
  }

  @Test("Without a free connection it starts all the same, and continues when a central leaves")
  func noFreeConnection() {
    for link in UInt16(0x40)..<0x48 { it.radio.connect(link) }
    it.radio.forget()
    expect(advertise("one", []), is: ["advertising true"])
    expect(it.radio.calls.isEmpty)
    it.radio.disconnect(0x43)
    expect(it.radio.calls.last?.opcode, is: .leSetAdvertisingEnable)
    expect(it.radio.calls.last?.parameters, is: [1])
  }

  @Test("A controller that does not advertise beside a link is like one without a free connection")
  func refusedBesideLink() {
    it.radio.connect()
    it.radio.refused = .leSetAdvertisingEnable
    expect(advertise("one", []), is: ["advertising true"])
    it.radio.refused = nil
    it.radio.forget()
    it.radio.disconnect()
    expect(it.radio.calls.last?.opcode, is: .leSetAdvertisingEnable)
    expect(it.radio.calls.last?.parameters, is: [1])
    expect(it.recorder.take(), is: [])
  }

  @Test("Two managers are one device: all services, one name")
  func twoManagers() {
    let (manager, recorder) = it.another()
    expect(advertise("one", ["A000"]), is: ["advertising true"])
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "two",
      CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180F"), CBUUID(string: "A000")],
    ])
    it.radio.settle()
    expect(recorder.take(), is: ["advertising true"])
    expect(advertised, is: [2, 1, 6, 5, 3, 0x00, 0xA0, 0x0F, 0x18, 4, 9] + Array("one".utf8))
    it.manager.stopAdvertising()
    it.radio.settle()
    expect(advertised, is: [2, 1, 6, 5, 3, 0x0F, 0x18, 0x00, 0xA0, 4, 9] + Array("two".utf8))
    expect(manager.isAdvertising && !it.manager.isAdvertising)
  }

  /// The radio works again: nothing is advertised, and the service can be added again.
  private func expectFreshStart() {
    it.radio.device.radioIsReady(at: it.radio.now)
    it.radio.forget()
    it.radio.change(to: .poweredOn)
    expect(it.radio.calls.allSatisfy { $0.opcode != .leSetAdvertisingEnable })
    it.manager.add(it.service)
    expect(it.take(), is: ["state poweredOn", "added A000"])
  }

  @Test("After a reset of the controller, services and advertising have to be requested again")
  func resetting() {
    expect(advertise("one", []), is: ["advertising true"])
    it.radio.connect()
    it.radio.exchange([0x12, 0x13, 0x00, 1, 0], gives: [0x13])
    _ = it.recorder.take()
    it.radio.device.radioIsLost(RadioError("unplugged"), at: it.radio.now)
    it.radio.change(to: .resetting)
    expect(it.recorder.take(), is: ["40 unsubscribed from A001, 0", "state resetting"])
    expect(!it.manager.isAdvertising)
    expectFreshStart()
    expect(advertise("one", []), is: ["advertising true"])
    it.radio.connect()
    it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
  }

  @Test("Calls before a reset is reported are lost with it, even if the reset is already over")
  func askedDuringReset() {
    let queue = DispatchQueue(label: "slow")
    let (manager, recorder) = it.another(on: queue)
    let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
    queue.suspend()
    it.radio.change(to: .resetting)
    manager.add(service)
    manager.startAdvertising(nil)
    it.radio.change(to: .poweredOn)
    manager.add(service)
    manager.startAdvertising(nil)
    it.radio.settle()
    queue.resume()
    queue.sync {}
    expect(recorder.take(), is: ["state resetting", "state poweredOn"])
    expect(it.radio.calls.allSatisfy { $0.opcode != .leSetAdvertisingEnable })
    manager.add(service)
    manager.startAdvertising(nil)
    it.radio.settle()
    queue.sync {}
    expect(recorder.take(), is: ["added B000", "advertising true"])
  }

  @Test("Lost and then switched off, services and advertising have to be requested again")
  func lostAndSwitchedOff() {
    expect(advertise("one", []), is: ["advertising true"])
    it.radio.device.radioIsLost(RadioError("unplugged"), at: it.radio.now)
    // The states of a radio that was ready: until the next attempt, and after it.
    for refusal in [nil, RadioError.Kind.switchedOff] {
      it.radio.change(
        to: RadioWatch.state(isOpen: false, isReady: false, wasReady: true, openError: refusal))
    }
    expect(it.recorder.take(), is: ["state resetting", "state poweredOff"])
    expect(!it.manager.isAdvertising)
    expectFreshStart()
  }

  @Test("In `poweredOff`, as on Apple's systems, services stay, and advertising continues later")
  func poweredOff() {
    expect(advertise("one", []), is: ["advertising true"])
    it.radio.device.radioIsLost(RadioError("unplugged"), at: it.radio.now)
    it.radio.change(to: .poweredOff)
    expect(it.manager.isAdvertising)
    it.radio.device.radioIsReady(at: it.radio.now)
    it.radio.change(to: .poweredOn)
    expect(it.radio.calls.last?.opcode, is: .leSetAdvertisingEnable)
    it.radio.connect()
    it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
  }

  @Test("The latency request changes only that central's link")
  func latency() throws {
    it.radio.connect(0x40, 0x41)
    it.radio.exchange([0x12, 0x13, 0x00, 1, 0], gives: [0x13], on: 0x41)
    it.manager.setDesiredConnectionLatency(.low, for: try #require(it.recorder.centrals.first))
    it.radio.settle()
    // Connection Parameter Update Request on the signalling channel: 15 to 30 ms.
    expect(it.radio.signals(0x41), is: [[0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 0x90, 1]])
    expect(it.radio.signals(0x40), is: [])
  }
}
