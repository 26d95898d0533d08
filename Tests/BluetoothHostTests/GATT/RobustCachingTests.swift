import BallTestSupport
import Expectations

@testable import BluetoothHost

/// A controller with a central that supports robust caching, and is subscribed to a value and, if
/// `isSubscribed`, to Service Changed.
private func controller(isSubscribed: Bool = false, features: UInt8 = 1) -> ScriptedPeripheral<2> {
  let controller = connectedController()
  if isSubscribed { controller.subscribe(0x07, 0x02) }
  controller.subscribe(0x0E, 0x01)
  controller.exchange([0x12, 0x09, 0x00, features], gives: [0x13])
  controller.forgetWhatWasSent()
  return controller
}

private func outOfSync(_ request: UInt8) -> [UInt8] { error(request, 0, .databaseOutOfSync) }

private let scenarios: [HostScenario] = [
  Scenario(
    "Commands of a change-unaware central are ignored",
    .changeServices, .ignore([0x52, 0x0D, 0x00, 0x01]), .writes(),
    .exchange([0x0A, 0x16, 0x00], gives: outOfSync(0x0A)), .read(),
    .ignore([0x52, 0x0D, 0x00, 0x01]),
    .writes([0x01])),
  Scenario(
    "A change-unaware central gets no notifications",
    .changeServices, .update(.text, [0x01]), .pdus(), .receivesUpdates(false),
    .exchange([0x0A, 0x16, 0x00], gives: outOfSync(0x0A)), .receivesUpdates(false),
    .exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], [0x1B, 0x0D, 0x00, 0x01]),
    .receivesUpdates(true), .disconnect(), .receivesUpdates(false)),
  Scenario(
    "A central that confirms Service Changed is change-aware",
    on: { controller(isSubscribed: true) },
    .updates(.init(.text, [0x01])), .changeServices,
    .pdus([0x1D, 0x06, 0x00, 0x19, 0x00, 0x1B, 0x00]), .receivesUpdates(true),
    .exchange([0x1E], gives: [0x1B, 0x0D, 0x00, 0x01]), .read()),
  Scenario(
    "A change after an indication is indicated again", on: { controller(isSubscribed: true) },
    .changeServices, .changeServices,
    .exchange([0x1E], gives: [0x1D, 0x06, 0x00, 0x19, 0x00, 0x1B, 0x00]),
    .exchange([0x0A, 0x16, 0x00], gives: outOfSync(0x0A)), .ignore([0x1E]), .read()),
  Scenario(
    "A request deferred before the change is answered after it",
    .set(application: \.isBusy, true), .ignore([0x12, 0x14, 0x00, 0x02]), .changeServices,
    .set(application: \.isBusy, false),
    // Commands of a change-unaware central are ignored.
    .ignore([0x52, 0x0D, 0x00, 0x01]), .resume, .pdus([0x13]), .writes([0x02]),
    .exchange([0x0A, 0x16, 0x00], gives: outOfSync(0x0A))),
]

/// Core Specification, Vol 3, Part G, 2.5.2.1.
@Suite("Robust caching")
struct RobustCachingTests {
  @Test("A client becomes change-unaware, and change-aware", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: controller()) }

  @Test(
    "After a change the first request by handle is refused, and the next is answered",
    arguments: [
      Exchange("read", [0x0A, 0x16, 0x00], [0x0B, 0x64]),
      Exchange("read a part", [0x0C, 0x16, 0x00, 0, 0], [0x0D, 0x64]),
      Exchange("read several", [0x0E, 0x16, 0x00, 0x16, 0x00], [0x0F, 0x64, 0x64]),
      Exchange(
        "read several with lengths", [0x20, 0x16, 0x00, 0x16, 0x00], [0x21, 1, 0, 0x64, 1, 0, 0x64]),
      Exchange("write", [0x12, 0x14, 0x00, 0x01], [0x13]),
      Exchange("prepare a write", [0x16, 0x14, 0x00, 0, 0, 1], [0x17, 0x14, 0x00, 0, 0, 1]),
      Exchange(
        "read by type in a part of the handles", [0x08, 0x15, 0x00, 0xFF, 0xFF, 0x19, 0x2A],
        [0x09, 3, 0x16, 0x00, 0x64]),
    ])
  func refused(exchange: Exchange) {
    let controller = controller()
    controller.changeServices()
    controller.exchange(exchange.request, gives: outOfSync(exchange.request[0]))
    expect(controller.writes, is: [])
    controller.exchange(exchange.request, gives: exchange.response)
    controller.exchange(exchange.request, gives: exchange.response)
  }

  @Test(
    "Discovery is answered, and leaves the central change-unaware",
    arguments: [
      Exchange(
        "services", [0x10, 0x01, 0x00, 0x03, 0x00, 0x00, 0x28],
        [0x11, 6, 0x01, 0x00, 0x03, 0x00, 0x00, 0x18]),
      Exchange(
        "a service by its UUID", [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x00, 0x18],
        [0x07, 0x01, 0x00, 0x03, 0x00]),
      Exchange(
        "characteristics", [0x08, 0x02, 0x00, 0x02, 0x00, 0x03, 0x28],
        [0x09, 7, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A]),
      Exchange(
        "included services", [0x08, 0x0B, 0x00, 0x0B, 0x00, 0x02, 0x28],
        [0x09, 8, 0x0B, 0x00, 0x19, 0x00, 0x1B, 0x00, 0x0F, 0x18]),
      Exchange("descriptors", [0x04, 0x07, 0x00, 0x07, 0x00], [0x05, 1, 0x07, 0x00, 0x02, 0x29]),
      Exchange("the MTU", [0x02, 23, 0], [0x03, 0x05, 0x02]),
      Exchange("a request that is malformed", [0x08, 0x01], error(0x08, 0, .invalidPDU)),
    ])
  func discovery(exchange: Exchange) {
    let controller = controller()
    controller.changeServices()
    controller.exchange(exchange.request, gives: exchange.response)
    controller.exchange(exchange.request, gives: exchange.response)
    controller.exchange([0x0A, 0x16, 0x00], gives: outOfSync(0x0A))
  }

  @Test("A central that reads the Database Hash is change-aware with its next request")
  func hash() {
    var database = GrowingDatabase([
      .primaryService(.genericAttributeService), .characteristic(.databaseHash, .read),
      .value(.databaseHash), .characteristic(.clientSupportedFeatures, .read | .write),
      .value(.clientSupportedFeatures),  // 0x0005
    ])
    let range = database.append([.primaryService(.batteryService)])
    let controller = ScriptedServer<1, GrowingDatabase>(database: database)
    controller.connect()
    controller.exchange([0x12, 0x05, 0x00, 1], gives: [0x13])
    controller.databaseChanged(in: range)
    expect(
      controller.exchange([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B]).first?.prefix(2),
      is: [0x09, 18])
    controller.exchange([0x0A, 0x05, 0x00], gives: [0x0B, 1])
  }

  @Test("An unused connection gets no values", arguments: [-1, 1, 2, .max])
  func unusedConnection(connectionIndex: Int) {
    let controller = controller()
    expect(!controller.receivesUpdates(at: connectionIndex) && controller.receivesUpdates())
  }

  @Test("A central without robust caching is served as before", arguments: [0, 0b110])
  func notSaid(features: UInt8) {
    let controller = controller(features: features)
    controller.changeServices()
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    expect(controller.exchange([0x52, 0x0D, 0x00, 0x01]), is: [])
    expect(controller.writes, is: [[0x01]])
  }
}
