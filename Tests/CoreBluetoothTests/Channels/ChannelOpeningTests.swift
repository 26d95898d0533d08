import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("L2CAP channels: publishing and opening")
struct ChannelOpeningTests {
  @Test("publishing gives each channel a PSM, which is free again when it is unpublished")
  func publish() {
    let it = Published()
    it.manager.add(CBMutableService(type: CBUUID(string: "B000"), primary: true))
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.manager.publishL2CAPChannel(withEncryption: true)
    it.manager.unpublishL2CAPChannel(128)
    it.manager.unpublishL2CAPChannel(128)
    it.manager.publishL2CAPChannel(withEncryption: false)
    expect(
      it.take(),
      is: [
        "added B000", "published 128", "published 129", "unpublished 128",
        "unpublished 128: CBError.invalidParameters", "published 130",
      ])
    it.radio.change(to: .poweredOff)
    _ = it.recorder.take()
    it.manager.publishL2CAPChannel(withEncryption: false)
    expect(it.take(), is: [])
  }

  @Test("a device publishes at most 128 channels")
  func all() {
    let it = Published()
    for _ in 0..<129 { it.manager.publishL2CAPChannel(withEncryption: false) }
    expect(
      it.take(), is: (128...255).map { "published \($0)" } + ["published 0: CBError.outOfSpace"])
    it.manager.unpublishL2CAPChannel(200)
    it.manager.publishL2CAPChannel(withEncryption: false)
    expect(it.take(), is: ["unpublished 200", "published 200"])
  }

  @Test("a manager cannot unpublish another's channels, and its own end with the radio")
  func owners() {
    let it = Published()
    let (other, recorder) = it.another()
    it.manager.publishL2CAPChannel(withEncryption: false)
    other.unpublishL2CAPChannel(128)
    it.radio.settle()
    expect(recorder.take(), is: ["unpublished 128: CBError.invalidParameters"])
    it.radio.change(to: .resetting)
    expect(it.radio.device.channels.listeners.isEmpty)
  }

  /// Symptom: on a link without any other traffic the request was not sent. A `settle` runs further
  /// turns, which hide that.
  @Test("a channel is requested in the turn of the call, also on an idle link")
  func idle() throws {
    let it = try ChannelScene()
    it.peripheral.openL2CAPChannel(128)
    it.scene.radio.runJobs(at: it.scene.now)
    let packet = [UInt8].written(upTo: 1_024) {
      _ = it.scene.radio.nextPacket(into: &$0, at: it.scene.now)
    }
    // H4, handle and boundary, length, length of the frame; then the signalling channel, and LE
    // Credit Based Connection Request: Core Specification, Vol 3, Part A, 4.22.
    expect(packet.dropFirst(7).prefix(3), is: [0x05, 0x00, 0x14])
  }

  @Test("a peripheral without the channel refuses it")
  func refused() throws {
    let scene = Scene()
    try scene.addBench()
    let log = Log()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBE)
    let peripheral = peripherals[0]
    peripheral.openL2CAPChannel(0x80)
    expect(scene.take(log), is: [], "it is not connected")
    manager.connect(peripheral)
    _ = scene.take(log)
    peripheral.discoverServices([CBUUID(string: "FF10")])
    peripheral.openL2CAPChannel(0x80)
    expect(scene.take(log), is: ["services [\"FF10\"]", "channel false: CBError.unknown"])
  }

  @Test("without a response, opening fails after 30 s, or when the link ends")
  func unanswered() throws {
    let it = try ChannelScene()
    it.peer.controller.faults.losePacket(type: .acl)
    it.peripheral.openL2CAPChannel(128)
    expect(it.scene.take(it.log), is: [])
    expect(it.scene.take(it.log, after: 30_000), is: ["channel false: CBError.connectionTimeout"])

    it.peer.controller.faults.losePacket(type: .acl)
    it.peripheral.openL2CAPChannel(128)
    it.settle()
    it.peer.device.host.disconnectAll()
    expect(it.scene.take(it.log).first, is: "channel false: CBError.peripheralDisconnected")
  }

  @Test("opening fails for a PSM out of range, and when the manager ends the link")
  func wrong() throws {
    let it = try ChannelScene()
    it.peripheral.openL2CAPChannel(0)
    it.peripheral.openL2CAPChannel(0x100)
    it.settle()
    expect(
      it.log.take(),
      is: ["channel false: CBError.invalidParameters", "channel false: CBError.invalidParameters"])
    it.peripheral.openL2CAPChannel(128)
    it.manager.cancelPeripheralConnection(it.peripheral)
    expect(it.scene.take(it.log).first, is: "channel false: CBError.operationCancelled")
  }

  @Test("an unpublished channel cannot be opened, and an open one continues")
  func unpublished() throws {
    let it = try ChannelScene()
    let (own, other) = try it.open()
    it.peripheralManager.unpublishL2CAPChannel(128)
    it.settle()
    expect(it.recorder.take(), is: ["unpublished 128"])
    it.peripheral.openL2CAPChannel(128)
    expect(it.scene.take(it.log), is: ["channel false: CBError.unknown"])
    own.write([1, 2, 3])
    it.settle()
    expect(other.read(), is: [1, 2, 3])
  }

  @Test("the central pairs for a channel that needs encryption, and encrypts the next link")
  func encrypted() throws {
    let it = try ChannelScene(isEncrypted: true)
    it.peripheral.openL2CAPChannel(128)
    it.peripheral.openL2CAPChannel(128)
    expect(it.scene.take(it.log, after: 3_000), is: ["channel true", "channel true"])
    expect(it.recorder.take(), is: ["01 opened 128", "01 opened 128"])

    it.manager.cancelPeripheralConnection(it.peripheral)
    it.scene.pass(1_000)
    it.manager.connect(it.peripheral)
    _ = it.scene.take(it.log, after: 1_000)
    it.peripheral.openL2CAPChannel(128)
    expect(it.scene.take(it.log, after: 1_000), is: ["channel true"])
    expect(it.recorder.take(), is: ["01 opened 128"])
  }

  @Test("a peripheral that refuses to pair refuses the channel")
  func pairingRefused() throws {
    let it = try ChannelScene(isEncrypted: true)
    it.peer.device.setPairing(.refused)
    it.peripheral.openL2CAPChannel(128)
    expect(it.scene.take(it.log, after: 3_000), is: ["channel false: CBATTError 0x5"])
    expect(it.recorder.take(), is: [])
    expect(it.peripheral.state, is: .connected)
  }

  @Test("a channel beyond a device's capacity is refused")
  func limit() throws {
    let it = try ChannelScene()
    // One is reserved for each link without channels: 40 − 31 = 9 for the first link of the peer.
    for _ in 0..<10 { it.peripheral.openL2CAPChannel(128) }
    it.settle()
    expect(
      it.log.take(),
      is: [String](repeating: "channel true", count: 9)
        + ["channel false: CBError.connectionLimitReached"])
  }
}
