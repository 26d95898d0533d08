import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

/// There are no L2CAP channels yet, and the delegates hear so.
@Suite("L2CAP channels")
struct ChannelTests {
  @Test("opening one is refused in its turn, and by the end of the link")
  func open() throws {
    let stage = CentralStage()
    let bench = try stage.addBench()
    let log = CentralLog()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBE)
    let peripheral = peripherals[0]
    peripheral.openL2CAPChannel(0x80)
    stage.settle()
    #expect(log.take() == [], "it is not connected")
    manager.connect(peripheral)
    stage.settle()
    _ = log.take()
    peripheral.discoverServices([CBUUID(string: "FF10")])
    peripheral.openL2CAPChannel(0x80)
    peripheral.discoverServices([CBUUID(string: "1800")])
    stage.settle()
    #expect(
      log.take() == [
        "services [\"FF10\"]", "channel false: CBError.operationNotSupported",
        "services [\"1800\", \"FF10\"]",
      ])
    bench.radio.faults.losePacket(type: .acl)
    peripheral.discoverServices([CBUUID(string: "FF10")])
    peripheral.openL2CAPChannel(0x80)
    stage.settle()
    bench.host.disconnectAll()
    stage.settle()
    #expect(
      log.take().dropFirst() == [
        "channel false: CBError.peripheralDisconnected",
        "disconnected Bench disconnected: CBError.peripheralDisconnected",
      ])
  }

  @Test("publishing one is refused, behind what was asked before")
  func publish() {
    let it = Published()
    it.manager.add(CBMutableService(type: CBUUID(string: "B000"), primary: true))
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.manager.unpublishL2CAPChannel(0x80)
    it.stage.settle()
    #expect(
      it.recorder.take() == [
        "added B000", "published 0 CBErrorDomain 13", "unpublished 128 CBErrorDomain 13",
      ])
    it.stage.change(to: .poweredOff)
    _ = it.recorder.take()
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.stage.settle()
    #expect(it.recorder.take() == [])
  }
}
