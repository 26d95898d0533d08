import Expectations

@testable import BluetoothHost

/// A controller with `links` of four connections. It never completes packets of the first link,
/// and completes those of the others at once.
private func controller(links: UInt16, buffers: UInt8 = 8) -> ScriptedPeripheral<4> {
  var behaviour = ControllerBehaviour()
  behaviour.leBuffers = (27, buffers)
  behaviour.forgetsPacketsOf = 0x40
  let controller = ScriptedPeripheral<4>(behaviour)
  for link in 0..<links { controller.connect(0x40 + link, timeout: 3_200) }
  return controller
}

/// The first central reads until its share is used.
private func exhaust(_ controller: ScriptedController) {
  for _ in 0..<60 { controller.send([0x0A, 0x16, 0x00]) }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "A link that rarely completes packets does not starve the others",
    .also { host in
      for _ in 0..<20 {
        exhaust(host)
        for link in 1..<4 as Range<UInt16> {
          host.exchange(.read, gives: [0x0B, 0x64], on: 0x40 + link)
        }
        host.pass(milliseconds: 3_000)
        host.completePackets(of: 0x40)
      }
    },
    .links(4)),
  Scenario(
    "A link that has used its share and has more to send is ended at its deadline",
    .also { exhaust($0) },
    // 3,200 × 10 = 32 s of supervision + 2 s.
    .pass(33_999), .sent(.disconnect),
    // Other links do not extend the deadline.
    .read(on: 0x41), .pass(1), .sent(.disconnect, [0x40, 0x00, 0x13]), .links(3), .read(on: 0x41)),
  Scenario(
    "A link that has used its share and has nothing to send is kept",
    .repeat(5, .send(.read)), .pduCount(5), .pass(50_000), .links(4)),
  Scenario(
    "The next link at an index has its own deadline and share",
    .also { exhaust($0) }, .disconnect(), .set(\.forgetsPacketsOf, nil),
    .connect(0x40, timeout: 3_200), .pass(34_000), .sent(.disconnect), .repeat(20, .read())),
]

/// What a link can have to send when it has used its share of five packets.
private let more: [HostScenario] = [
  Scenario(
    "the rest of a response",
    .exchangeMTU(100), .repeat(3, .send(.read)),
    .set(application: \.values[0], [UInt8](counting: 100)), .send([0x0A, 0x0D, 0x00])),
  Scenario(
    "a pairing response",
    .repeat(5, .send(.read)), .send([0x01, 3, 0, 1, 16, 0, 0], channel: 0x0006)),
  Scenario("Service Changed", .subscribe(0x07, 0x02), .repeat(4, .send(.read)), .changeServices),
  Scenario(
    "a value", .subscribe(0x0E, 0x01), .repeat(4, .send(.read)), .update(.text, [0x01])),
]

/// Symptom: one central without acknowledgements held all eight buffers, and three others got
/// nothing for 34 s.
@Suite("Host: fair shares of the controller's buffers")
struct FairShareTests {
  @Test("A link that used its share", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: controller(links: 4)) }

  @Test(
    "A link gets all buffers but one for each other link", arguments: 1...4 as ClosedRange<UInt16>)
  func share(links: UInt16) {
    let controller = controller(links: links)
    exhaust(controller)
    // 8 less one for each other link, and one for a further link if there is capacity.
    let others = Int(links) - 1 + (links < 4 ? 1 : 0)
    expect(controller.pdus().count, is: 8 - others)
    for link in 1..<max(1, links) {
      for _ in 0..<20 { controller.exchange(.read, gives: [0x0B, 0x64], on: 0x40 + link) }
    }
  }

  @Test("A central that connects later is served, too", arguments: [2, 3, 8])
  func newcomers(buffers: UInt8) {
    let controller = controller(links: 1, buffers: buffers)
    exhaust(controller)
    for link in 1..<4 as Range<UInt16> {
      controller.connect(0x40 + link)
      for _ in 0..<20 { controller.exchange(.read, gives: [0x0B, 0x64], on: 0x40 + link) }
    }
  }

  @Test("Each kind of data to send starts the deadline", arguments: more)
  func clock(_ scenario: HostScenario) throws {
    let controller = controller(links: 4)
    try scenario.run(on: controller)
    expect(controller.aclPackets.count, is: 5)
    expect(controller.deadline, is: controller.now.advanced(by: 34_000))
  }
}
