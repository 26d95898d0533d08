import BluetoothHost
import Foundation
import Testing

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
    it.stage.settle()
    #expect(
      it.recorder.take() == [
        "added B000", "published 128", "published 129", "unpublished 128",
        "unpublished 128 CBErrorDomain 1", "published 130",
      ])
    it.stage.change(to: .poweredOff)
    _ = it.recorder.take()
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.stage.settle()
    #expect(it.recorder.take() == [])
  }

  @Test("a device publishes at most 128 channels")
  func all() {
    let it = Published()
    for _ in 0..<129 { it.manager.publishL2CAPChannel(withEncryption: false) }
    it.stage.settle()
    #expect(
      it.recorder.take() == (128...255).map { "published \($0)" }
        + ["published 0 CBErrorDomain 4"])
    it.manager.unpublishL2CAPChannel(200)
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.stage.settle()
    #expect(it.recorder.take() == ["unpublished 200", "published 200"])
  }

  @Test("a manager cannot unpublish another's channels, and its own end with the radio")
  func owners() {
    let it = Published()
    let recorder = PeripheralRecorder()
    let other = CBPeripheralManager(delegate: recorder, queue: it.stage.queue, thread: it.stage)
    it.stage.settle()
    _ = recorder.take()
    it.manager.publishL2CAPChannel(withEncryption: false)
    other.unpublishL2CAPChannel(128)
    it.stage.settle()
    #expect(recorder.take() == ["unpublished 128 CBErrorDomain 1"])
    it.stage.change(to: .resetting)
    #expect(it.stage.device.channels.listeners.isEmpty)
  }

  /// Symptom: on a link without any other traffic the request was not sent. A `settle` runs further
  /// turns, which hide that.
  @Test("a channel is requested in the turn of the call, also on an idle link")
  func idle() throws {
    let it = try ChannelStage()
    it.peripheral.openL2CAPChannel(128)
    let packet = CentralStage.packet {
      it.stage.radio.nextPacket(into: &$0, at: it.stage.now)
    }
    // H4, handle and boundary, length, length of the frame; then the signalling channel, and LE
    // Credit Based Connection Request: Core Specification, Vol 3, Part A, 4.22.
    #expect(packet?.dropFirst(7).prefix(3) == [0x05, 0x00, 0x14])
  }

  @Test("a peripheral without the channel refuses it, and the end of the link ends the request")
  func refused() throws {
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
    stage.settle()
    #expect(log.take() == ["services [\"FF10\"]", "channel false: CBError.unknown"])
    // The request waits for the discovery, whose response is lost.
    bench.controller.faults.losePacket(type: .acl)
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

  @Test("without a response, opening fails after 30 s, or when the link ends")
  func unanswered() throws {
    let it = try ChannelStage()
    it.peer.controller.faults.losePacket(type: .acl)
    it.peripheral.openL2CAPChannel(128)
    it.settle()
    #expect(it.log.take() == [])
    it.stage.pass(30_000)
    #expect(it.log.take() == ["channel false: CBError.connectionTimeout"])

    it.peer.controller.faults.losePacket(type: .acl)
    it.peripheral.openL2CAPChannel(128)
    it.settle()
    it.peer.device.host.disconnectAll()
    it.settle()
    #expect(it.log.take().first == "channel false: CBError.peripheralDisconnected")
  }

  @Test("opening fails for a PSM out of range, and when the manager ends the link")
  func wrong() throws {
    let it = try ChannelStage()
    it.peripheral.openL2CAPChannel(0)
    it.peripheral.openL2CAPChannel(0x100)
    it.settle()
    #expect(
      it.log.take() == [
        "channel false: CBError.invalidParameters", "channel false: CBError.invalidParameters",
      ])
    it.peripheral.openL2CAPChannel(128)
    it.manager.cancelPeripheralConnection(it.peripheral)
    it.settle()
    #expect(it.log.take().first == "channel false: CBError.operationCancelled")
  }

  @Test("an unpublished channel cannot be opened, and an open one continues")
  func unpublished() throws {
    let it = try ChannelStage()
    let (own, other) = try it.open()
    it.peripheralManager.unpublishL2CAPChannel(128)
    it.settle()
    #expect(it.recorder.take() == ["unpublished 128"])
    it.peripheral.openL2CAPChannel(128)
    it.settle()
    #expect(it.log.take() == ["channel false: CBError.unknown"])
    own.write([1, 2, 3])
    it.settle()
    #expect(other.read() == [1, 2, 3])
  }

  @Test("the central pairs for a channel that needs encryption, and encrypts the next link")
  func encrypted() throws {
    let it = try ChannelStage(isEncrypted: true)
    it.peripheral.openL2CAPChannel(128)
    it.peripheral.openL2CAPChannel(128)
    it.stage.pass(3_000)
    #expect(it.log.take() == ["channel true", "channel true"])
    #expect(it.recorder.take() == ["01 opened 128", "01 opened 128"])

    it.manager.cancelPeripheralConnection(it.peripheral)
    it.stage.pass(1_000)
    it.manager.connect(it.peripheral)
    it.stage.pass(1_000)
    _ = it.log.take()
    it.peripheral.openL2CAPChannel(128)
    it.stage.pass(1_000)
    #expect(it.log.take() == ["channel true"])
    #expect(it.recorder.take() == ["01 opened 128"])
  }

  @Test("a peripheral that refuses to pair refuses the channel")
  func pairingRefused() throws {
    let it = try ChannelStage(isEncrypted: true)
    it.peer.device.setPairing(.refused)
    it.peripheral.openL2CAPChannel(128)
    it.stage.pass(3_000)
    #expect(it.log.take() == ["channel false: CBATTError 0x5"])
    #expect(it.recorder.take() == [])
    #expect(it.peripheral.state == .connected)
  }

  @Test("several channels on one link are separate")
  func several() throws {
    let it = try ChannelStage()
    let pairs = try (0..<3).map { _ in try it.open() }
    for (number, pair) in pairs.enumerated() {
      pair.0.write([UInt8(number), 10])
      pair.1.write([UInt8(number), 20])
    }
    it.settle()
    for (number, pair) in pairs.enumerated() {
      #expect(pair.0.read() == [UInt8(number), 20])
      #expect(pair.1.read() == [UInt8(number), 10])
    }
  }

  @Test("a channel beyond a device's capacity is refused")
  func limit() throws {
    let it = try ChannelStage()
    // One is reserved for each link without channels: 40 − 31 = 9 for the first link of the peer.
    for _ in 0..<10 { it.peripheral.openL2CAPChannel(128) }
    it.settle()
    #expect(
      it.log.take() == [String](repeating: "channel true", count: 9)
        + ["channel false: CBError.connectionLimitReached"])
  }
}
