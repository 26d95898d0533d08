import Testing

@testable import BluetoothHost

/// A write to a Client Characteristic Configuration, and its response.
private let configurations = [
  Exchange("notifications", [0x12, 0x0E, 0x00, 0x01, 0x00], [0x13]),
  Exchange("nothing", [0x12, 0x0E, 0x00, 0x00, 0x00], [0x13]),
  Exchange(
    "indications, which the characteristic does not support",
    [0x12, 0x0E, 0x00, 0x02, 0x00], error(0x12, 0x0E, .cccdImproperlyConfigured)),
  Exchange(
    "both, where the characteristic supports notifications only",
    [0x12, 0x0E, 0x00, 0x03, 0x00], error(0x12, 0x0E, .cccdImproperlyConfigured)),
  Exchange("both", [0x12, 0x11, 0x00, 0x03, 0x00], [0x13]),
  Exchange("indications of Service Changed", [0x12, 0x07, 0x00, 0x02, 0x00], [0x13]),
  Exchange(
    "notifications of Service Changed",
    [0x12, 0x07, 0x00, 0x01, 0x00], error(0x12, 0x07, .cccdImproperlyConfigured)),
  Exchange(
    "a bit without a meaning",
    [0x12, 0x11, 0x00, 0x04, 0x00], error(0x12, 0x11, .cccdImproperlyConfigured)),
  Exchange(
    "a bit without a meaning, in the second byte",
    [0x12, 0x11, 0x00, 0x01, 0x80], error(0x12, 0x11, .cccdImproperlyConfigured)),
  Exchange(
    "no bytes", [0x12, 0x0E, 0x00], error(0x12, 0x0E, .invalidAttributeValueLength)),
  Exchange(
    "one byte", [0x12, 0x0E, 0x00, 0x01], error(0x12, 0x0E, .invalidAttributeValueLength)),
  Exchange(
    "three bytes",
    [0x12, 0x0E, 0x00, 0x01, 0x00, 0x00], error(0x12, 0x0E, .invalidAttributeValueLength)),
]

/// The attributes before a configuration that belongs to no characteristic.
private let ownerless: [Row<[Attribute]>] = [
  Row("nothing", []),
  Row("a service", [.primaryService(.batteryService)]),
  Row(
    "a descriptor, in a service",
    [
      .primaryService(.batteryService),
      .descriptor(.characteristicUserDescription, .read, .text(StaticText("Level"))),
    ]),
  Row("a vacant attribute", [.vacant]),
  Row(
    "a service, after another one with a characteristic",
    [
      .primaryService(.batteryService),
      .characteristic(BluetoothUUID(0x2A19), .read | .notify), .value(.application(.text)),
      .primaryService(BluetoothUUID(0x181C)),
    ]),
]

@Suite("ATT server: client configurations")
struct ConfigurationTests {
  @Test("A written configuration is read back; a refused one stays 0", arguments: configurations)
  func write(exchange: Exchange) {
    let controller = connectedController()
    controller.expect(exchange.request, gives: exchange.response)
    let isKept = exchange.response == [0x13]
    let value = isKept ? Array(exchange.request[3...]) : [0x00, 0x00]
    controller.expect([0x0A, exchange.request[1], 0x00], gives: [0x0B] + value)
  }

  @Test("A Write Command does not write a configuration")
  func command() {
    let controller = connectedController()
    #expect(controller.exchange([0x52, 0x0E, 0x00, 0x01, 0x00]) == [])
    controller.expect([0x0A, 0x0E, 0x00], gives: [0x0B, 0x00, 0x00])
  }

  @Test(
    "A configuration without a characteristic reads 0, and refuses every write",
    arguments: ownerless)
  func noOwner(above: Row<[Attribute]>) {
    let handle = UInt8(above.value.count + 1)
    let controller = ScriptedHost<1, GrowingDatabase>(
      database: GrowingDatabase(above.value + [.clientCharacteristicConfiguration]))
    controller.connect()
    for value: UInt8 in 0...3 {
      controller.expect(
        [0x12, handle, 0x00, value, 0x00],
        gives: error(0x12, UInt16(handle), .cccdImproperlyConfigured))
    }
    controller.expect([0x0A, handle, 0x00], gives: [0x0B, 0x00, 0x00])
    #expect(controller.events.allSatisfy { if case .configured = $0 { false } else { true } })
  }

  @Test("Each central has its own configurations")
  func perConnection() {
    let controller = connectedController()
    controller.connect(0x41)
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.expect([0x0A, 0x0E, 0x00], gives: [0x0B, 0x00, 0x00], on: 0x41)
    #expect(controller.events.last == .configured(.text, 0, .notification))
  }

  @Test("A subscribed central is notified; the value is cut at ATT_MTU − 3")
  func notification() {
    let controller = connectedController()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.forgetWhatWasSent()
    controller.host.server.application.updates = [
      .init(connectionIndex: 0, attribute: .text, value: [UInt8](counting: 30)),
      .init(connectionIndex: 0, attribute: .text, value: []),
    ]
    controller.run()
    // 23 − 1 (opcode) − 2 (handle) = 20; notifications need no confirmation.
    #expect(
      controller.pdus() == [[0x1B, 0x0D, 0x00] + [UInt8](counting: 20), [0x1B, 0x0D, 0x00]])
  }

  @Test("With an MTU of 517, a value of 512 bytes is notified whole")
  func longest() {
    let controller = connectedController(mtu: 517)
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.forgetWhatWasSent()
    let value = [UInt8](counting: 512)
    controller.update(.text, value)
    #expect(controller.pdus() == [[0x1B, 0x0D, 0x00] + value])
    // 4 (L2CAP) + 515 = 519 bytes in packets of 27: 19 whole ones and one of 6.
    #expect(controller.aclPackets.map { $0.count - 5 } == [Int](repeating: 27, count: 19) + [6])
    // Start 0b00, continuation 0b01, over a handle of 12 bits.
    #expect(controller.aclPackets.map { $0[2] } == [0x00] + [UInt8](repeating: 0x10, count: 19))
  }

  @Test("A central gets no notification before it subscribes")
  func notListening() {
    let controller = connectedController()
    controller.connect(0x41)
    controller.host.server.application.updates = [
      .init(connectionIndex: 0, attribute: .text, value: [0x01]),
      .init(connectionIndex: 1, attribute: .text, value: [0x02]),
    ]
    controller.expect(
      [0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13], [0x1B, 0x0D, 0x00, 0x02], on: 0x41)
    #expect(controller.pdus() == [])
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13], [0x1B, 0x0D, 0x00, 0x01])
  }

  @Test("An update of an attribute outside the database is never sent")
  func unknownAttribute() {
    let controller = connectedController()
    for rawValue: UInt16 in [4, 7, 8, 255, 256, 65_535] {
      controller.update(ApplicationAttribute(rawValue: rawValue), [])
    }
    #expect(controller.pdus() == [])
  }

  @Test("The response to a write precedes the notification that the write causes")
  func order() {
    let controller = connectedController()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.host.server.application.updates = [
      .init(connectionIndex: 0, attribute: .text, value: [0x01])
    ]
    controller.expect([0x12, 0x14, 0x00, 0x01], gives: [0x13], [0x1B, 0x0D, 0x00, 0x01])
  }
}

@Suite("ATT server: indications")
struct IndicationTests {
  /// Attributes without a configuration.
  private let changed = range(0x0012, 0x0018)
  /// 1 (opcode) + 2 (handle) + 2 (start) + 2 (end)
  private let indication: [UInt8] = [0x1D, 0x06, 0x00, 0x12, 0x00, 0x18, 0x00]

  private func listeningController() -> ScriptedController<2> {
    let controller = connectedController()
    controller.expect([0x12, 0x07, 0x00, 0x02, 0x00], gives: [0x13])
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.expect([0x12, 0x11, 0x00, 0x02, 0x00], gives: [0x13])
    controller.forgetWhatWasSent()
    return controller
  }

  private func change(_ controller: ScriptedController<2>) {
    controller.host.server.databaseChanged(in: changed)
    controller.run()
  }

  @Test("Service Changed is indicated only to the centrals that subscribed to it")
  func serviceChanged() {
    let controller = listeningController()
    controller.connect(0x41)
    change(controller)
    #expect(controller.pdus() == [indication])
    #expect(controller.pdus(on: 0x41) == [])
    #expect(controller.exchange([0x1E]) == [])
    controller.pass(milliseconds: 60_000)
    #expect(controller.pdus() == [indication])
    #expect(controller.connectionCount == 2)
    // A central that subscribes later gets no indication.
    controller.expect([0x12, 0x07, 0x00, 0x02, 0x00], gives: [0x13], on: 0x41)
  }

  @Test("Without a subscription to Service Changed, a notification is sent at once")
  func notSubscribed() {
    let controller = connectedController()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    controller.forgetWhatWasSent()
    controller.host.server.application.updates = [
      .init(connectionIndex: 0, attribute: .text, value: [0x01])
    ]
    change(controller)
    #expect(controller.pdus() == [[0x1B, 0x0D, 0x00, 0x01]])
  }

  @Test("Indications and notifications wait for the confirmation of an indication")
  func confirmation() {
    let controller = listeningController()
    change(controller)
    change(controller)
    controller.host.server.application.updates = [
      .init(connectionIndex: 0, attribute: .level, value: [0x05]),
      .init(connectionIndex: 0, attribute: .text, value: [0x06]),
    ]
    controller.run()
    #expect(controller.pdus() == [indication])
    // Requests are still answered.
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    controller.expect([0x1E], gives: indication)
    controller.expect([0x1E], gives: [0x1D, 0x10, 0x00, 0x05])
    controller.expect([0x1E], gives: [0x1B, 0x0D, 0x00, 0x06])
  }

  @Test("Changes before a confirmation are indicated as one range that covers them")
  func merged() {
    let controller = listeningController()
    change(controller)
    for (start, end): (UInt16, UInt16) in [(0x0014, 0x0016), (0x0004, 0x0009)] {
      controller.host.server.databaseChanged(in: range(start, end))
    }
    controller.expect([0x1E], gives: [0x1D, 0x06, 0x00, 0x04, 0x00, 0x16, 0x00])
  }

  @Test("A change removes the subscriptions in its range, except to Service Changed")
  func forgotten() {
    let controller = listeningController()
    controller.host.server.databaseChanged(in: .all)
    controller.run()
    #expect(controller.pdus() == [[0x1D, 0x06, 0x00, 0x01, 0x00, 0xFF, 0xFF]])
    for (cccd, value): (UInt8, UInt8) in [(0x07, 2), (0x0E, 0), (0x11, 0)] {
      controller.expect([0x0A, cccd, 0x00], gives: [0x0B, value, 0x00])
    }
  }

  @Test("A link without a confirmation in 30 s is disconnected")
  func timeOut() {
    let controller = listeningController()
    change(controller)
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
    controller.pass(milliseconds: 29_999)
    #expect(controller.parameters(of: .disconnect) == [])
    controller.pass(milliseconds: 1)
    #expect(controller.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
    #expect(controller.connectionCount == 0)
  }

  @Test("A confirmation counts while a response waits for a buffer")
  func confirmationWithinResponse() {
    let controller = ScriptedController<2>.with { $0.leBuffers = (27, 2) }
    controller.connect()
    controller.expect([0x12, 0x07, 0x00, 0x02, 0x00], gives: [0x13])
    controller.behaviour.completesPackets = false
    change(controller)
    controller.send([0x0A, 0x16, 0x00])  // the second buffer
    controller.send([0x0A, 0x16, 0x00])  // waits
    controller.send([0x1E])
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40, count: 2)
    controller.run()
    controller.pass(milliseconds: 30_000)
    #expect(controller.parameters(of: .disconnect) == [])
    #expect(controller.connectionCount == 1)
  }
}
