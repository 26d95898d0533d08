import BallTestSupport
import Expectations

@testable import BluetoothHost

/// The first service of every database here.
private let base: [Attribute] = [
  .primaryService(.genericAttributeService),  // 0x0001
  .characteristic(.serviceChanged, .indicate),
  .value(.none),  // 0x0003
  .clientCharacteristicConfiguration,  // 0x0004
  .characteristic(.databaseHash, .read),
  .value(.databaseHash),  // 0x0006
]

/// Five lines: a service, a characteristic, its value, its configuration, and a value of two bytes.
private func service(
  _ attribute: ApplicationAttribute, _ uuid: BluetoothUUID = .testService
) -> [Attribute] {
  [
    .primaryService(uuid),
    .characteristic(.batteryLevel, .read | .write | .notify),
    .value(.application(attribute)),
    .clientCharacteristicConfiguration,
    .descriptor(.characteristicUserDescription, .read, .text(StaticText("Level"))),
  ]
}

private typealias Controller = ScriptedServer<2, GrowingDatabase>

/// A connected controller whose database has two services, at 0x0007 to 0x000B and to 0x0010.
private func controller(removing: Bool = false) -> Controller {
  var database = GrowingDatabase(base)
  let first = database.append(service(.text))
  database.append(service(.level, .batteryService))
  if removing { database.remove(first) }
  let controller = Controller(database: database)
  controller.application.values[0] = [0x01]
  controller.application.values[1] = [0x02]
  controller.connect()
  return controller
}

extension Step where Subject == ScriptedController {
  fileprivate static func remove(_ start: UInt16, _ end: UInt16) -> Step {
    change { host in
      host.server.database.remove(range(start, end))
      return range(start, end)
    }
  }

  fileprivate static func add(_ lines: [Attribute]) -> Step {
    change { $0.server.database.append(lines) }
  }

  private static func change(
    _ change:
      @escaping @Sendable (
        inout Host<
          2, GATTServer<2, GrowingDatabase, TestApplication>, NoClient, NoSecurity, NoChannels
        >
      ) -> AttributeHandleRange
  ) -> Step {
    Step { host in
      let controller = try #require(host as? Controller)
      controller.databaseChanged(in: change(&controller.host))
      controller.run()
    }
  }
}

/// Requests for vacant lines, or for ranges that contain some.
private let walks = [
  Exchange(
    "services", [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28],
    [0x11, 6, 0x01, 0x00, 0x06, 0x00, 0x01, 0x18, 0x0C, 0x00, 0x10, 0x00, 0x0F, 0x18]),
  Exchange(
    "services from a vacant line", [0x10, 0x07, 0x00, 0xFF, 0xFF, 0x00, 0x28],
    [0x11, 6, 0x0C, 0x00, 0x10, 0x00, 0x0F, 0x18]),
  Exchange(
    "services within vacant lines",
    [0x10, 0x07, 0x00, 0x0B, 0x00, 0x00, 0x28], error(0x10, 0x0007, .attributeNotFound)),
  Exchange(
    "a removed service, by its UUID",
    [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + testServiceBytes,
    error(0x06, 0x0001, .attributeNotFound)),
  Exchange(
    "lines by the type that vacant ones hold",
    [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x00], error(0x08, 0x0001, .attributeNotFound)),
  Exchange(
    "the same by value",
    [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x00], error(0x06, 0x0001, .attributeNotFound)),
  Exchange(
    "values of a type that the removed service had, too",
    [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], [0x09, 3, 0x0E, 0x00, 0x02]),
  Exchange(
    "what is at the handles, over the gap: 4 bytes each", [0x04, 0x06, 0x00, 0x0D, 0x00],
    [0x05, 1, 0x06, 0x00, 0x2A, 0x2B, 0x0C, 0x00, 0x00, 0x28, 0x0D, 0x00, 0x03, 0x28]),
  Exchange(
    "what is at vacant handles",
    [0x04, 0x07, 0x00, 0x0B, 0x00], error(0x04, 0x0007, .attributeNotFound)),
  Exchange("a read", [0x0A, 0x09, 0x00], error(0x0A, 0x0009, .invalidHandle)),
  Exchange("a read of a part", [0x0C, 0x09, 0x00, 0, 0], error(0x0C, 0x0009, .invalidHandle)),
  Exchange(
    "a read of several", [0x0E, 0x0E, 0x00, 0x09, 0x00], error(0x0E, 0x0009, .invalidHandle)),
  Exchange("a write", [0x12, 0x09, 0x00, 0x01], error(0x12, 0x0009, .invalidHandle)),
  Exchange("a configuration", [0x12, 0x0A, 0x00, 0x01, 0x00], error(0x12, 0x000A, .invalidHandle)),
  Exchange("a prepared write", [0x16, 0x09, 0x00, 0, 0, 1], error(0x16, 0x0009, .invalidHandle)),
]

private let scenarios: [HostScenario] = [
  Scenario(
    "A command to a vacant line is ignored", on: { controller(removing: true) },
    .ignore([0x52, 0x09, 0x00, 0x01]), .writes()),
  Scenario(
    "An added service is found, is served, and is indicated as changed",
    .exchange([0x12, 0x04, 0x00, 0x02, 0x00], gives: [0x13]), .forget,
    .add(service(.alert, BluetoothUUID(0x1811))),
    .pdus([0x1D, 0x03, 0x00, 0x11, 0x00, 0x15, 0x00]),
    .set(application: \.values[2], [0x33]), .exchange([0x0A, 0x13, 0x00], gives: [0x0B, 0x33]),
    .exchange([0x12, 0x14, 0x00, 0x01, 0x00], gives: [0x13]),
    .lastEvents(.configured(.alert, 0, .notification))),
  Scenario(
    "A removed service is indicated as changed, and its subscriptions end",
    .also { host in
      for handle: UInt8 in [0x0A, 0x0F] {
        host.exchange([0x12, handle, 0x00, 0x01, 0x00], gives: [0x13])
      }
    },
    .exchange([0x12, 0x04, 0x00, 0x02, 0x00], gives: [0x13]), .forget, .remove(0x0007, 0x000B),
    .pdus([0x1D, 0x03, 0x00, 0x07, 0x00, 0x0B, 0x00]),
    .exchange([0x0A, 0x09, 0x00], gives: error(0x0A, 0x0009, .invalidHandle)),
    // The subscriptions to the other service and to Service Changed stay.
    .exchange([0x0A, 0x0F, 0x00], gives: [0x0B, 0x01, 0x00]),
    .exchange([0x0A, 0x04, 0x00], gives: [0x0B, 0x02, 0x00]), .updates(.init(.level, [0x06])),
    .exchange([0x1E], gives: [0x1B, 0x0E, 0x00, 0x06])),
  Scenario(
    "A deferred request for a removed attribute is refused when it is resumed",
    .set(application: \.isBusy, true), .ignore([0x0A, 0x09, 0x00]), .remove(0x0007, 0x000B),
    .resume, .pdus(error(0x0A, 0x0009, .invalidHandle))),
  Scenario(
    "A line of a service's type without a service is skipped",
    on: {
      Controller(
        database: GrowingDatabase([
          .descriptor(.primaryService, .read, .none), .primaryService(.batteryService),
        ]))
    },
    .connect(),
    .exchange(
      [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28],
      gives: [0x11, 6, 0x02, 0x00, 0x02, 0x00, 0x0F, 0x18])),
  Scenario(
    "An empty database responds to every request",
    on: { Controller(database: GrowingDatabase([])) },
    .connect(),
    .exchange(
      [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], gives: error(0x10, 1, .attributeNotFound)),
    .exchange([0x0A, 0x01, 0x00], gives: error(0x0A, 1, .invalidHandle)),
    .also { $0.databaseChanged(in: .all) }, .run),
]

@Suite("Databases that change")
struct ChangingDatabaseTests {
  @Test("Services are added and removed", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: controller()) }

  @Test("A vacant line is not found, read or written", arguments: walks)
  func vacant(exchange: Exchange) {
    controller(removing: true).exchange(exchange.request, gives: exchange.response)
  }

  @Test(
    "A subscription ends if its configuration, 0x000A, is in the changed range",
    arguments: [
      (0x000A, 0x000A, true), (0x0007, 0x000A, true), (0x000A, 0x000B, true),
      (0x0007, 0x0009, false), (0x000B, 0x0010, false),
    ] as [(UInt16, UInt16, Bool)])
  func configurationInRange(start: UInt16, end: UInt16, isForgotten: Bool) {
    let controller = controller()
    controller.exchange([0x12, 0x0A, 0x00, 0x01, 0x00], gives: [0x13])
    controller.databaseChanged(in: range(start, end))
    controller.exchange([0x0A, 0x0A, 0x00], gives: [0x0B, isForgotten ? 0x00 : 0x01, 0x00])
  }

  @Test("A reused slot starts without a subscription")
  func slotUsedAgain() {
    let controller = controller()
    controller.exchange([0x12, 0x0F, 0x00, 0x01, 0x00], gives: [0x13])
    let gone = range(0x000C, 0x0010)
    // Both changes precede both notices to the host: the new service has the old one's slot.
    controller.host.server.database.remove(gone)
    let new = controller.host.server.database.append(service(.alert))
    controller.databaseChanged(in: gone)
    controller.databaseChanged(in: new)
    controller.exchange([0x0A, 0x14, 0x00], gives: [0x0B, 0x00, 0x00])
  }

  @Test("Each change of the structure changes the Database Hash")
  func hash() throws {
    let controller = controller()
    let read: [UInt8] = [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B]
    let before = controller.exchange(read)
    try Step.add(service(.alert)).take(controller)
    let more = controller.exchange(read)
    expect(more != before && more.first?.count == 20)
    try Step.remove(0x0011, 0x0015).take(controller)
    expect(controller.exchange(read), is: before)
  }

  @Test("128 configurations can be written; writing one more is refused")
  func capacity() {
    // Service Changed has the first slot. A service has 4 lines from 0x0005 on, and 127 more slots.
    var table: [Attribute] = [
      .primaryService(.genericAttributeService), .characteristic(.serviceChanged, .indicate),
      .value(.none), .clientCharacteristicConfiguration,
    ]
    for number: UInt16 in 1...128 {
      table += [
        .primaryService(.batteryService), .characteristic(.batteryLevel, .notify),
        .value(.application(ApplicationAttribute(rawValue: number))),
        .clientCharacteristicConfiguration,
      ]
    }
    let controller = Controller(database: GrowingDatabase(table))
    controller.connect()
    controller.connect(0x41)
    for number: UInt16 in 1...127 {
      let cccd = Array(little: 4 + 4 * number)
      controller.exchange([0x12] + cccd + [0x01, 0x00], gives: [0x13])
    }
    let last = Array(little: 4 + 4 * 128)
    controller.exchange(
      [0x12] + last + [0x01, 0x00], gives: error(0x12, 4 + 4 * 128, .insufficientResources))
    controller.exchange([0x0A] + last, gives: [0x0B, 0x00, 0x00])
    // Each one is separate: one in the middle is cleared.
    controller.exchange([0x12] + Array(little: 4 + 4 * 64) + [0x00, 0x00], gives: [0x13])
    for number: UInt16 in 1...127 {
      controller.exchange(
        [0x0A] + Array(little: 4 + 4 * number), gives: [0x0B, number == 64 ? 0 : 1, 0])
      controller.exchange([0x0A] + Array(little: 4 + 4 * number), gives: [0x0B, 0, 0], on: 0x41)
    }
    controller.update(ApplicationAttribute(rawValue: 127), [0x07])
    expect(controller.pdus().last, is: [0x1B] + Array(little: 3 + 4 * 127) + [0x07])
  }
}
