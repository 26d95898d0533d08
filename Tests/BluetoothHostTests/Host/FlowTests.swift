import Expectations

@testable import BluetoothHost

/// A host of as many connections as `links`, with `count` buffers of 27 bytes. The controller never
/// completes packets.
private func controller(
  buffers count: UInt8, links: UInt16, timeout: UInt16 = 72
) -> ScriptedController {
  var behaviour = ControllerBehaviour()
  behaviour.leBuffers = (27, count)
  behaviour.completesPackets = false
  let controller: ScriptedController =
    switch links {
    case 1: ScriptedPeripheral<1>(behaviour)
    case 2: ScriptedPeripheral<2>(behaviour)
    default: ScriptedPeripheral<3>(behaviour)
    }
  for link in 0..<links { controller.connect(0x40 + link, timeout: timeout) }
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "All links together have no more packets than buffers",
    on: { controller(buffers: 2, links: 3) },
    .also { host in for link: UInt16 in 0..<3 { host.send([0x0A, 0x16, 0x00], on: 0x40 + link) } },
    .packets(2), .completePackets(of: 0x41),
    .also { expect($0.frames.map(\.handle), is: [0x40, 0x41, 0x42]) }),
  Scenario(
    "Excess completed packets, and those of unknown links, free no buffers",
    on: { controller(buffers: 1, links: 2) },
    .completePackets(0xFFFF), .completePackets(5, of: 0x77), .send([0x0A, 0x16, 0x00]),
    .send([0x0A, 0x16, 0x00], on: 0x41), .packets(1),
    // the link had none
    .completePackets(3, of: 0x41), .packets(1), .completePackets(3), .packets(2)),
  Scenario(
    "Number Of Completed Packets may name several links; a malformed one is ignored",
    on: { controller(buffers: 2, links: 2) },
    .send([0x0A, 0x16, 0x00]), .send([0x0A, 0x16, 0x00], on: 0x41),
    .truncated(0x13, [2, 0x40, 0x00, 1, 0, 0x41, 0x00, 1, 0]),
    .receive([0x04, 0x13, 9, 3] + [2, 0x40, 0x00, 1, 0, 0x41, 0x00, 1, 0][1...]),
    .send([0x0A, 0x16, 0x00]), .packets(2),
    .receive([0x04, 0x13, 9] + [2, 0x40, 0x00, 1, 0, 0x41, 0x00, 1, 0]),
    .send([0x0A, 0x16, 0x00], on: 0x41), .packets(4)),
  Scenario(
    "The buffers of an ended link are free",
    on: { controller(buffers: 1, links: 2) },
    .send([0x0A, 0x16, 0x00]), .send([0x0A, 0x16, 0x00], on: 0x41), .pdus(on: 0x41), .disconnect(),
    .pdus([0x0B, 0x64], on: 0x41)),
  Scenario(
    "A link with a reused index and handle starts without packets",
    on: { controller(buffers: 3, links: 2) },
    .send([0x0A, 0x16, 0x00]), .disconnect(), .connect(), .send([0x0A, 0x16, 0x00], on: 0x41),
    .send([0x0A, 0x16, 0x00]),
    // Only one of these three was sent.
    .completePackets(3), .send([0x0A, 0x16, 0x00], on: 0x41), .send([0x0A, 0x16, 0x00], on: 0x41),
    .pduCount(2, on: 0x41)),
  Scenario(
    "A link whose packets are never completed is ended; others go on",
    on: { controller(buffers: 1, links: 2, timeout: 100) },
    .set(\.completesPackets, true), .set(\.forgetsPacketsOf, 0x40), .send([0x0A, 0x16, 0x00]),
    .send([0x0A, 0x16, 0x00], on: 0x41),
    // 100 × 10 = 1 s of supervision + 2 s.
    .deadline(3_000), .pass(2_999), .sent(.disconnect), .pass(1),
    .sent(.disconnect, [0x40, 0x00, 0x13]), .pdus([0x0B, 0x64], on: 0x41), .links(1),
    .read(on: 0x41), .radio(.advertising)),
  Scenario(
    "A slow controller within the limit ends no link",
    on: { controller(buffers: 1, links: 1, timeout: 100) },
    .repeat(5, .send([0x0A, 0x16, 0x00]), .pass(2_900), .completePackets()), .pass(60_000),
    .sent(.disconnect), .pduCount(5)),
  Scenario(
    "A lost completion reduces the buffers by one",
    on: { controller(buffers: 2, links: 1) },
    .send([0x0A, 0x16, 0x00]), .set(\.completesPackets, true), .repeat(10, .read(), .pass(10_000)),
    .links(1)),
  Scenario(
    "A value written by one central is notified to another at once",
    .subscribe(0x0E, 0x01, on: 0x41), .set(application: \.relayIndex, 1), .run,
    .also { host in
      for value: UInt8 in [7, 8] {
        host.send([0x52, 0x0D, 0x00, value], on: 0x40)
        expect(host.pdus(on: 0x41).last, is: [0x1B, 0x0D, 0x00, value])
      }
    }),
]

@Suite("Host: flow control")
struct FlowTests {
  @Test("Buffers and completed packets", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedPeripheral<2>.connected())
  }

  @Test("Busy links take turns with the buffers")
  func fair() {
    let controller = controller(buffers: 1, links: 2)
    controller.behaviour.completesPackets = true
    for link: UInt16 in 0..<2 { controller.exchangeMTU(517, on: 0x40 + link) }
    controller.application.values[0] = [UInt8](counting: 500)
    controller.behaviour.completesPackets = false
    for link: UInt16 in 0..<2 { controller.send([0x0A, 0x0D, 0x00], on: 0x40 + link) }
    controller.forgetWhatWasSent()
    for _ in 0..<10 { for link: UInt16 in 0..<2 { controller.completePackets(of: 0x40 + link) } }
    let handles = controller.aclPackets.map { $0[1] }
    expect(handles.filter { $0 == 0x40 }.count, is: handles.filter { $0 == 0x41 }.count)
  }
}
