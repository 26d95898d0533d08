import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

@Suite("A central's deadlines, faults and repeated requests")
struct CentralEdgeTests {
  private let log = CentralLog()

  /// The controller's attempts begin at the deadline, and not a millisecond later.
  @Test("a delayed connection begins exactly at its time; of several, at the first")
  func delays() {
    let delays: [(String, NSNumber?, UInt64?)] = [
      ("none", nil, nil), ("zero", 0, nil), ("negative", -1, nil),
      ("no number", NSNumber(value: Double.nan), nil), ("a millisecond", 0.001, 1),
      ("one and a half seconds", 1.5, 1_500), ("a day", 86_400, 86_400_000),
      ("more than a day", 100_000, 86_400_000),
      ("infinite", NSNumber(value: Double.infinity), 86_400_000),
    ]
    for (label, delay, expected) in delays {
      let stage = CentralStage()
      let (manager, peripherals) = stage.manager(log, knowing: 0xBA)
      let begin = stage.now
      var options: [String: Any] = [:]
      options[CBConnectPeripheralOptionStartDelayKey] = delay
      manager.connect(peripherals[0], options: options)
      stage.settle()
      let engine = stage.radio.device.central
      let beginning = expected.map { Instant(rawValue: begin.rawValue + $0) }
      #expect(
        engine.links.map(\.phase) == [beginning.map { .delayed(until: $0) } ?? .connecting],
        "\(label)")
      #expect(engine.deadline == beginning, "\(label)")
      withExtendedLifetime(manager) {}
    }
    // Two managers ask for one peripheral: the earlier time counts, in any order.
    for times in [[3.0, 2.0], [2.0, 3.0]] {
      let stage = CentralStage()
      let begin = stage.now
      let managers = times.map { time in
        let (manager, peripherals) = stage.manager(CentralLog(), knowing: 0xBA)
        manager.connect(
          peripherals[0], options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: time)])
        stage.settle()
        return (manager, peripherals)
      }
      let engine = stage.radio.device.central
      #expect(engine.links.count == 1)
      #expect(engine.deadline == begin.advanced(by: 2_000))
      stage.radio.advance(to: begin.advanced(by: 1_999))
      #expect(engine.links.map(\.phase) == [.delayed(until: begin.advanced(by: 2_000))])
      stage.radio.advance(to: begin.advanced(by: 2_000))
      #expect(engine.links.map(\.phase) == [.connecting])
      #expect(engine.deadline == nil)
      withExtendedLifetime(managers) {}
    }
  }

  @Test("a manager that reconnects asks for the next link at once")
  func reconnects() throws {
    let stage = CentralStage()
    let bench = try stage.addBench()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBE)
    manager.connect(
      peripherals[0], options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
    stage.settle()
    #expect(peripherals[0].state == .connected)
    bench.controller.vanish()
    stage.pass(30_000)
    let engine = stage.radio.device.central
    #expect(engine.links.count == 1)
    #expect(engine.links.map(\.phase) == [.connecting])
    #expect(peripherals[0].state == .connecting)
    withExtendedLifetime(manager) {}
  }

  @Test("a link is given up once, however often that is asked", arguments: 1...3)
  func disconnections(times: Int) {
    let (central, radio, link) = connectedDevice()
    for _ in 0..<times { central.disconnect(link) }
    radio.run()
    #expect(
      radio.takeEvents() == [.disconnected(link, nil)])
    #expect(radio.commands.count { $0 == .disconnect } == 1)
    central.disconnect(link)
    radio.run()
    #expect(radio.takeEvents() == [])
    // The same for an attempt.
    radio.script = { opcode, _ in
      opcode == .leCreateConnection ? [ScriptedRadio.status(opcode)] : nil
    }
    let attempt = central.connect(to: .numbered(3))
    radio.run()
    for _ in 0..<times { central.disconnect(attempt) }
    radio.run()
    #expect(radio.takeEvents() == [.connectionFailed(attempt, nil)])
    #expect(radio.commands.count { $0 == .leCreateConnectionCancel } == 1)
  }

  @Test("a link that is being closed keeps the reason of its end if its encryption fails")
  func closingUnencrypted() {
    let (central, radio, link) = connectedDevice()
    radio.script = { opcode, _ in opcode == .disconnect ? [ScriptedRadio.status(opcode)] : nil }
    central.disconnect(link)
    radio.run()
    central.engine.encryptionFailed(.pinOrKeyMissing, at: 0)
    radio.run()
    #expect(radio.commands.count { $0 == .disconnect } == 1)
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x16))
    #expect(
      radio.takeEvents() == [.disconnected(link, nil)])
  }

  @Test("a device that starts again has ended its links")
  func renewed() {
    let (central, radio, link) = connectedDevice()
    let read = central.perform(.read(handle(3)), on: link)
    radio.run()
    radio.host.device.renew()
    let events = radio.takeEvents()
    #expect(events.contains(.completed(read, link, .failure(.disconnected))))
    #expect(events.contains(.disconnected(link, .radioLost)))
    #expect(central.links.isEmpty)
  }

  @Test("a link that is being closed is not taken for one that the peer has made")
  func closing() {
    let (central, radio) = readyDevice()
    radio.script = { opcode, _ in
      switch opcode {
      case .leCreateConnection, .disconnect: [ScriptedRadio.status(opcode)]
      default: nil
      }
    }
    let link = central.connect(to: .numbered(2))
    radio.run()
    central.disconnect(link)
    radio.give(ScriptedRadio.connected(0x0040, to: .numbered(2)))
    radio.run()
    #expect(radio.takeEvents() == [.connectionFailed(link, nil)])
    let next = central.connect(to: .numbered(2))
    radio.run()
    #expect(radio.takeEvents() == [])
    radio.give(ScriptedRadio.disconnected(0x0040, 0x16))
    radio.run()
    radio.give(ScriptedRadio.connected(0x0041, to: .numbered(2)))
    radio.run()
    #expect(radio.takeEvents() == [.connected(next, peer: .numbered(2))])
  }

  /// HCI errors: Core Specification, Vol 1, Part F, 1.3.
  @Test("an attempt ends with an error that would recur, and is repeated after any other")
  func refusals() {
    let lasting: Set<UInt8> = [
      0x01,  // Unknown HCI Command
      0x03,  // Hardware Failure, if no fault follows
      0x07,  // Memory Capacity Exceeded
      0x09,  // Connection Limit Exceeded
      0x0D,  // Connection Rejected due to Limited Resources
      0x11,  // Unsupported Feature or Parameter Value
      0x12,  // Invalid HCI Command Parameters
    ]
    let passing: [UInt8] = [0x02, 0x05, 0x08, 0x0B, 0x0C, 0x13, 0x16, 0x1F, 0x3B, 0x3E]
    for status in lasting.sorted() + passing {
      let (central, radio) = readyDevice()
      radio.script = { opcode, _ in
        opcode == .leCreateConnection ? [ScriptedRadio.status(opcode)] : nil
      }
      let link = central.connect(to: .numbered(2))
      radio.run()
      radio.give(ScriptedRadio.connectionFailed(status))
      radio.run()
      func attempts() -> Int { radio.commands.count { $0 == .leCreateConnection } }
      let code = HCIErrorCode(rawValue: status)
      if lasting.contains(status) {
        #expect(radio.takeEvents() == [.connectionFailed(link, .refused(code))], "\(status)")
      } else {
        #expect(radio.takeEvents() == [], "\(status)")
        radio.pass(249)
        #expect(attempts() == 1, "\(status)")
        radio.pass(1)
        #expect(attempts() == 2, "\(status)")
      }
    }
  }

  @Test("a link that is made forgets earlier faults")
  func faults() {
    let (central, radio) = readyDevice()
    let fault = RadioFault.hardwareError(0x42)
    for round in 0..<4 {
      radio.give(ScriptedRadio.event(HardwareError(hardwareCode: 0x42)))
      radio.pass(5_000)
      #expect(!radio.takeEvents().contains(.radioFailed(fault)), "round \(round)")
      _ = central.connect(to: .numbered(2))
      radio.run()
    }
  }

  @Test("only a program's own requests begin a pairing")
  func pairing() {
    let request = range(0x0001, 0xFFFF)
    let rows: [(String, PeerOperation, Bool)] = [
      ("MTU", .exchangeMTU, false), ("services", .discoverServices(nil), false),
      ("services by UUID", .discoverServices([BluetoothUUID(0x180F)]), false),
      ("included services", .discoverIncludedServices(request), false),
      ("characteristics", .discoverCharacteristics(request), false),
      ("descriptors", .discoverDescriptors(request), false),
      ("the name", .readFirst(.deviceName), false), ("watching", .watchServices, false),
      ("read", .read(handle(3)), true), ("write", .write(handle(3), [1]), true),
      ("subscribe", .subscribe(handle(3), .notification), true),
      ("configure", .configure(request, .notification), true),
    ]
    for code in [0x05, 0x0F] as [UInt8] {
      for (label, operation, pairs) in rows {
        let (central, radio, link) = connectedDevice()
        radio.host.device.setPairing(.automatic)
        radio.peer = { pdu in [[0x01, pdu[0], 0x03, 0x00, code]] }
        central.perform(operation, on: link)
        radio.run()
        #expect(
          radio.frames.contains { $0.channel == .securityManager } == pairs,
          "\(label), error \(code)")
      }
    }
    // Any other refusal is only reported.
    for code in [0x02, 0x08, 0x0C, 0x0E, 0x80] as [UInt8] {
      let (central, radio, link) = connectedDevice()
      radio.host.device.setPairing(.automatic)
      radio.peer = { pdu in [[0x01, pdu[0], 0x03, 0x00, code]] }
      let read = central.perform(.read(handle(3)), on: link)
      radio.run()
      #expect(!radio.frames.contains { $0.channel == .securityManager }, "error \(code)")
      #expect(radio.host.outcomes[read] != nil)
    }
  }

  @Test("a name that is empty or not UTF-8 is ignored")
  func names() {
    for (bytes, expected) in [
      (Array("Name".utf8), "Name"), ([], "Old"), ([0xFF], "Old"),
    ] as [([UInt8], String)] {
      let contents = CentralStage()
      let (manager, peripherals) = contents.manager(log, knowing: 0xBA)
      peripherals[0].change { $0.heard(KnownName(text: "Old", isRead: false)) }
      let engine = contents.radio.device.central
      manager.connect(peripherals[0])
      contents.settle()
      guard let link = engine.links.first else {
        Issue.record("no attempt")
        return
      }
      engine.open(link, at: 0)
      // The name is read last, after the MTU and Service Changed.
      for request in link.requests.suffix(1) {
        engine.complete(request, on: link, .success(.value(bytes)))
      }
      contents.queue.sync {}
      #expect(peripherals[0].name == expected)
      withExtendedLifetime(manager) {}
    }
  }

  @Test("errors with different codes differ, also in a set")
  func differentErrors() {
    let responses: Set = [CBATTError(.invalidHandle), CBATTError(.readNotPermitted)]
    #expect(responses.count == 2 && responses.contains(CBATTError(.invalidHandle)))
    #expect(CBATTError(.invalidHandle).hashValue != CBATTError(.readNotPermitted).hashValue)
    #expect(CBError(.unknown).hashValue != CBError(.notConnected).hashValue)
  }

  @Test("each code has its name as a static member too")
  func codes() {
    let responses: [CBATTError.Code] = [
      CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted,
      CBATTError.writeNotPermitted, CBATTError.invalidPdu, CBATTError.insufficientAuthentication,
      CBATTError.requestNotSupported, CBATTError.invalidOffset,
      CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
      CBATTError.attributeNotFound, CBATTError.attributeNotLong,
      CBATTError.insufficientEncryptionKeySize, CBATTError.invalidAttributeValueLength,
      CBATTError.unlikelyError, CBATTError.insufficientEncryption,
      CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
    ]
    #expect(responses.map(\.rawValue) == Array(0...0x11))
    let errors: [CBError.Code] = [
      CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected,
      CBError.outOfSpace, CBError.operationCancelled, CBError.connectionTimeout,
      CBError.peripheralDisconnected, CBError.uuidNotAllowed, CBError.alreadyAdvertising,
      CBError.connectionFailed, CBError.connectionLimitReached, CBError.unknownDevice,
      CBError.operationNotSupported, CBError.peerRemovedPairingInformation,
      CBError.encryptionTimedOut, CBError.tooManyLEPairedDevices,
      CBError.leGattExceededBackgroundNotificationLimit,
      CBError.leGattNearBackgroundNotificationLimit,
    ]
    #expect(errors.map(\.rawValue) == Array(0...18))
  }
}
