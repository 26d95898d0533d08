import BallTestSupport
import Expectations

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
  Exchange("no bytes", [0x12, 0x0E, 0x00], error(0x12, 0x0E, .invalidAttributeValueLength)),
  Exchange("one byte", [0x12, 0x0E, 0x00, 0x01], error(0x12, 0x0E, .invalidAttributeValueLength)),
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

/// Attributes without a configuration.
private let changedRange = range(0x0012, 0x0018)

/// 1 (opcode) + 2 (handle) + 2 (start) + 2 (end)
private let indication: [UInt8] = [0x1D, 0x06, 0x00, 0x12, 0x00, 0x18, 0x00]

private func listeningController() -> ScriptedPeripheral<2> {
  let controller = connectedController()
  controller.exchange([0x12, 0x07, 0x00, 0x02, 0x00], gives: [0x13])
  controller.exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
  controller.exchange([0x12, 0x11, 0x00, 0x02, 0x00], gives: [0x13])
  controller.forgetWhatWasSent()
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "A Write Command does not write a configuration",
    .ignore([0x52, 0x0E, 0x00, 0x01, 0x00]),
    .exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 0x00, 0x00])),
  Scenario(
    "Each central has its own configurations",
    .connect(0x41), .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]),
    .exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 0x00, 0x00], on: 0x41),
    .lastEvents(.configured(.text, 0, .notification))),
  Scenario(
    "A subscribed central is notified; the value is cut at ATT_MTU − 3",
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]), .forget,
    .updates(.init(.text, [UInt8](counting: 30)), .init(.text, [])), .run,
    // 23 − 1 (opcode) − 2 (handle) = 20; notifications need no confirmation.
    .pdus([0x1B, 0x0D, 0x00] + [UInt8](counting: 20), [0x1B, 0x0D, 0x00])),
  Scenario(
    "With an MTU of 517, a value of 512 bytes is notified whole",
    on: { connectedController(mtu: 517) },
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]), .forget,
    .update(.text, [UInt8](counting: 512)), .pdus([0x1B, 0x0D, 0x00] + [UInt8](counting: 512)),
    // 4 (L2CAP) + 515 = 519 bytes in packets of 27: 19 whole ones and one of 6.
    .also { host in
      expect(host.aclPackets.map { $0.count - 5 }, is: [Int](repeating: 27, count: 19) + [6])
    },
    // Start 0b00, continuation 0b01, over a handle of 12 bits.
    .also { host in
      expect(host.aclPackets.map { $0[2] }, is: [0x00] + [UInt8](repeating: 0x10, count: 19))
    }),
  Scenario(
    "A central gets no notification before it subscribes",
    .connect(0x41), .updates(.init(.text, [0x01]), .init(.text, [0x02], at: 1)),
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13], [0x1B, 0x0D, 0x00, 0x02], on: 0x41),
    .pdus(), .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13], [0x1B, 0x0D, 0x00, 0x01])),
  Scenario(
    "An update of an attribute outside the database is never sent",
    .also { host in
      for rawValue: UInt16 in [4, 7, 8, 255, 256, 65_535] {
        host.update(ApplicationAttribute(rawValue: rawValue), [])
      }
    },
    .pdus()),
  Scenario(
    "The response to a write precedes the notification that the write causes",
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]), .updates(.init(.text, [0x01])),
    .exchange([0x12, 0x14, 0x00, 0x01], gives: [0x13], [0x1B, 0x0D, 0x00, 0x01])),
  Scenario(
    "Service Changed is indicated only to the centrals that subscribed to it",
    on: { listeningController() },
    .connect(0x41), .change, .pdus(indication), .pdus(on: 0x41), .ignore([0x1E]), .pass(60_000),
    .pdus(indication), .links(2),
    // A central that subscribes later gets no indication.
    .exchange([0x12, 0x07, 0x00, 0x02, 0x00], gives: [0x13], on: 0x41)),
  Scenario(
    "Without a subscription to Service Changed, a notification is sent at once",
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]), .forget,
    .updates(.init(.text, [0x01])),
    .change, .pdus([0x1B, 0x0D, 0x00, 0x01])),
  Scenario(
    "Indications and notifications wait for the confirmation of an indication",
    on: { listeningController() },
    .change, .change, .updates(.init(.level, [0x05]), .init(.text, [0x06])), .run,
    .pdus(indication),
    // Requests are still answered.
    .read(), .exchange([0x1E], gives: indication),
    .exchange([0x1E], gives: [0x1D, 0x10, 0x00, 0x05]),
    .exchange([0x1E], gives: [0x1B, 0x0D, 0x00, 0x06])),
  Scenario(
    "Changes before a confirmation are indicated as one range that covers them",
    on: { listeningController() },
    .change,
    .also { host in
      for (start, end): (UInt16, UInt16) in [(0x0014, 0x0016), (0x0004, 0x0009)] {
        host.databaseChanged(in: range(start, end))
      }
    },
    .exchange([0x1E], gives: [0x1D, 0x06, 0x00, 0x04, 0x00, 0x16, 0x00])),
  Scenario(
    "A change removes the subscriptions in its range, except to Service Changed",
    on: { listeningController() },
    .also { $0.databaseChanged(in: .all) }, .run,
    .pdus([0x1D, 0x06, 0x00, 0x01, 0x00, 0xFF, 0xFF]),
    .also { host in
      for (cccd, value): (UInt8, UInt8) in [(0x07, 2), (0x0E, 0), (0x11, 0)] {
        host.exchange([0x0A, cccd, 0x00], gives: [0x0B, value, 0x00])
      }
    }),
  Scenario(
    "A link without a confirmation in 30 s is disconnected", on: { listeningController() },
    .change, .deadline(30_000), .pass(29_999), .sent(.disconnect), .pass(1),
    .sent(.disconnect, [0x40, 0x00, 0x13]), .links(0)),
  Scenario(
    "A confirmation counts while a response waits for a buffer",
    on: { ScriptedPeripheral<2>.with { $0.leBuffers = (27, 2) } },
    .connect(), .exchange([0x12, 0x07, 0x00, 0x02, 0x00], gives: [0x13]),
    .set(\.completesPackets, false), .change,
    // the second buffer
    .send([0x0A, 0x16, 0x00]),
    // waits
    .send([0x0A, 0x16, 0x00]), .send([0x1E]), .set(\.completesPackets, true), .completePackets(2),
    .pass(30_000), .sent(.disconnect), .links(1)),
]

@Suite("ATT server: client configurations")
struct ConfigurationTests {
  @Test("Subscriptions, notifications and indications", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: connectedController()) }

  @Test("A written configuration is read back; a refused one stays 0", arguments: configurations)
  func write(exchange: Exchange) {
    let controller = connectedController()
    controller.exchange(exchange.request, gives: exchange.response)
    let isKept = exchange.response == [0x13]
    let value = isKept ? Array(exchange.request[3...]) : [0x00, 0x00]
    controller.exchange([0x0A, exchange.request[1], 0x00], gives: [0x0B] + value)
  }

  @Test(
    "A configuration without a characteristic reads 0, and refuses every write",
    arguments: ownerless)
  func noOwner(above: Row<[Attribute]>) {
    let handle = UInt8(above.value.count + 1)
    let controller = ScriptedServer<1, GrowingDatabase>(
      database: GrowingDatabase(above.value + [.clientCharacteristicConfiguration]))
    controller.connect()
    for value: UInt8 in 0...3 {
      controller.exchange(
        [0x12, handle, 0x00, value, 0x00],
        gives: error(0x12, UInt16(handle), .cccdImproperlyConfigured))
    }
    controller.exchange([0x0A, handle, 0x00], gives: [0x0B, 0x00, 0x00])
    expect(controller.events.allSatisfy { if case .configured = $0 { false } else { true } })
  }
}

extension Step where Subject == ScriptedController {
  fileprivate static var change: Step {
    Step { host in host.run { host.databaseChanged(in: changedRange) } }
  }
}
