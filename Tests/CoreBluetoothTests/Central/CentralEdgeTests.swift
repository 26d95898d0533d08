import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("A central's deadlines, faults and repeated requests")
struct CentralEdgeTests {
  private let log = Log()

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
      let scene = Scene()
      let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
      let begin = scene.now
      var options: [String: Any] = [:]
      options[CBConnectPeripheralOptionStartDelayKey] = delay
      manager.connect(peripherals[0], options: options)
      scene.settle()
      let engine = scene.radio.device.central
      let beginning = expected.map { Instant(rawValue: begin.rawValue + $0) }
      expect(
        engine.links.map(\.phase), is: [beginning.map { .delayed(until: $0) } ?? .connecting],
        "\(label)")
      expect(engine.deadline, is: beginning, "\(label)")
      withExtendedLifetime(manager) {}
    }
    // Two managers ask for one peripheral: the earlier time counts, in any order.
    for times in [[3.0, 2.0], [2.0, 3.0]] {
      let scene = Scene()
      let begin = scene.now
      let managers = times.map { time in
        let (manager, peripherals) = scene.manager(Log(), knowing: 0xBA)
        manager.connect(
          peripherals[0], options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: time)])
        scene.settle()
        return (manager, peripherals)
      }
      let engine = scene.radio.device.central
      expect(engine.links.count, is: 1)
      expect(engine.deadline, is: begin.advanced(by: 2_000))
      scene.radio.advance(to: begin.advanced(by: 1_999))
      expect(engine.links.map(\.phase), is: [.delayed(until: begin.advanced(by: 2_000))])
      scene.radio.advance(to: begin.advanced(by: 2_000))
      expect(engine.links.map(\.phase), is: [.connecting])
      expect(engine.deadline, is: nil)
      withExtendedLifetime(managers) {}
    }
  }

  @Test("a link is given up once, however often that is asked", arguments: 1...3)
  func disconnections(times: Int) {
    let (central, radio, link) = connectedDevice()
    for _ in 0..<times { central.disconnect(link) }
    expect(radio.runEvents(), is: [.disconnected(link, nil)])
    expect(radio.commands.count { $0 == .disconnect }, is: 1)
    central.disconnect(link)
    expect(radio.runEvents(), is: [])
    // The same for an attempt.
    radio.held = [.leCreateConnection]
    let attempt = central.connect(to: .numbered(3))
    radio.run()
    for _ in 0..<times { central.disconnect(attempt) }
    expect(radio.runEvents(), is: [.connectionFailed(attempt, nil)])
    expect(radio.commands.count { $0 == .leCreateConnectionCancel }, is: 1)
  }

  @Test("a link that is being closed keeps the reason of its end if its encryption fails")
  func closingUnencrypted() {
    let (central, radio, link) = connectedDevice()
    radio.held = [.disconnect]
    central.disconnect(link)
    radio.run()
    central.engine.encryptionFailed(.pinOrKeyMissing, at: 0)
    radio.run()
    expect(radio.commands.count { $0 == .disconnect }, is: 1)
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x16))
    expect(radio.takeEvents(), is: [.disconnected(link, nil)])
  }

  @Test("a device that starts again has ended its links")
  func renewed() {
    let (central, radio, link) = connectedDevice()
    let read = central.perform(.read(handle(3)), on: link)
    radio.run()
    radio.host.device.renew()
    let events = radio.takeEvents()
    expect(events.contains(.completed(read, link, .failure(.disconnected))))
    expect(events.contains(.disconnected(link, .radioLost)))
    expect(central.links.isEmpty)
  }

  @Test("a link that is being closed is not taken for one that the peer has made")
  func closing() {
    let (central, radio) = readyDevice()
    radio.held = [.leCreateConnection, .disconnect]
    let link = central.connect(to: .numbered(2))
    radio.run()
    central.disconnect(link)
    radio.give(ScriptedRadio.connected(0x0040, to: .numbered(2)))
    expect(radio.runEvents(), is: [.connectionFailed(link, nil)])
    let next = central.connect(to: .numbered(2))
    expect(radio.runEvents(), is: [])
    radio.give(ScriptedRadio.disconnected(0x0040, 0x16))
    radio.run()
    radio.give(ScriptedRadio.connected(0x0041, to: .numbered(2)))
    expect(radio.runEvents(), is: [.connected(next, peer: .numbered(2))])
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
    // The status of the command, or of its event.
    for (status, isEvent) in (lasting.sorted() + passing).flatMap({ [($0, true), ($0, false)] }) {
      let (central, radio) = readyDevice()
      let code = HCIErrorCode(rawValue: status)
      radio.answer(.leCreateConnection) { opcode, _ in
        [ScriptedRadio.status(opcode, isEvent ? .success : code)]
      }
      let link = central.connect(to: .numbered(2))
      radio.run()
      if isEvent { radio.give(ScriptedRadio.connectionFailed(status)) }
      radio.run()
      func attempts() -> Int { radio.commands.count { $0 == .leCreateConnection } }
      if lasting.contains(status) {
        expect(radio.takeEvents(), is: [.connectionFailed(link, .refused(code))], "\(status)")
      } else {
        expect(radio.takeEvents(), is: [], "\(status)")
        radio.pass(249)
        expect(attempts(), is: 1, "\(status)")
        radio.script = { _, _ in nil }
        radio.pass(1)
        expect(attempts(), is: 2, "\(status)")
        expect(radio.takeEvents(), is: [.connected(link, peer: .numbered(2))], "\(status)")
      }
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
    for code in [0x02, 0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x80] as [UInt8] {
      // Any refusal but for lack of security is only reported.
      let isForSecurity = code == 0x05 || code == 0x0F
      for (label, operation, pairs) in rows {
        let (central, radio, link) = connectedDevice()
        radio.host.device.setPairing(.automatic)
        radio.peer = { pdu in [[0x01, pdu[0], 0x03, 0x00, code]] }
        let id = central.perform(operation, on: link)
        radio.run()
        expect(
          radio.frames.contains { $0.channel == .securityManager }, is: pairs && isForSecurity,
          "\(label), error \(code)")
        if !isForSecurity { expect(radio.host.outcomes[id] != nil, "\(label), error \(code)") }
      }
    }
  }

  @Test("a name that is empty or not UTF-8 is ignored")
  func names() {
    for (bytes, expected) in [
      (Array("Name".utf8), "Name"), ([], "Old"), ([0xFF], "Old"),
    ] as [([UInt8], String)] {
      let contents = Scene()
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
      expect(peripherals[0].name, is: expected)
      withExtendedLifetime(manager) {}
    }
  }

  @Test("ranges contain their ends, and overlap if they share a handle")
  func ranges() {
    for (handle, isContained) in [(3, false), (4, true), (5, true), (6, true), (7, false)] {
      expect(range(4, 6).contains(AttributeHandle(rawValue: UInt16(handle))), is: isContained)
    }
    let rows: [(UInt16, UInt16, Bool)] = [
      (1, 3, false), (1, 4, true), (4, 4, true), (5, 5, true), (6, 9, true), (7, 9, false),
      (1, 9, true), (4, 6, true),
    ]
    for (start, end, overlaps) in rows {
      expect(range(4, 6).overlaps(range(start, end)), is: overlaps)
      expect(range(start, end).overlaps(range(4, 6)), is: overlaps)
    }
    expect(!AttributeHandleRange.nowhere.contains(.first))
    expect(!AttributeHandleRange.nowhere.contains(.last))
  }
}
