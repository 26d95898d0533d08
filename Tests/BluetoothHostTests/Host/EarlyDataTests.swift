import Expectations

@testable import BluetoothHost

private let scenarios: [HostScenario] = [
  Scenario(
    "An early request is answered when its link is reported",
    .send([0x0A, 0x16, 0x00], on: 0x40), .frames(), .connect(0x40), .pdus([0x0B, 0x64], on: 0x40),
    .read()),
  Scenario(
    "Early packets keep their order",
    // 0x52: Write Command.
    .also { host in
      for value in 1...3 as ClosedRange<UInt8> { host.send([0x52, 0x0D, 0x00, value]) }
    },
    .connect(), .writes([1], [2], [3])),
  Scenario(
    "Two links get their own early data",
    .send([0x52, 0x0D, 0x00, 0x40], on: 0x40), .send([0x52, 0x0D, 0x00, 0x41], on: 0x41),
    .connect(0x41), .writes([0x41]), .connect(0x40), .writes([0x41], [0x40]), .pass(10_000),
    .sent(.disconnect)),
  Scenario(
    "Data of a link beyond the capacity do not reach another link", on: { ScriptedPeripheral<1>() },
    .send([0x52, 0x0D, 0x00, 0x40], on: 0x40), .send([0x52, 0x0D, 0x00, 0x41], on: 0x41),
    .connect(0x40), .writes([0x40])),
  Scenario(
    "A link gets its data when another ends before it is reported",
    .send([0x52, 0x0D, 0x00, 0x40], on: 0x40), .send([0x52, 0x0D, 0x00, 0x41], on: 0x41),
    .disconnect(0x40), .connect(0x41), .writes([0x41])),
  Scenario(
    "A link gets no early data of another handle",
    .send([0x52, 0x0D, 0x00, 0x77], on: 0x77), .connect(0x40), .connect(0x41), .pass(2_000),
    .writes(), .sent(.disconnect, [0x77, 0x00, 0x13]), .read(on: 0x41)),
  Scenario(
    "521 bytes of early data are kept; more are dropped", on: { ScriptedPeripheral<1>() },
    // 5 (HCI) + 4 (L2CAP) + 3 (ATT) + 20 = 32 bytes: 16 × 32 = 512
    .also { host in
      for value in 0..<30 as Range<UInt8> {
        host.send([0x52, 0x0D, 0x00] + [UInt8](repeating: value, count: 20))
      }
    },
    .connect(),
    .also { expect($0.writes.map(\.first), is: (0..<16 as Range<UInt8>).map(Optional.init)) },
    .read()),
  Scenario(
    "More unknown handles than the host can track are ended one after the other",
    on: { ScriptedPeripheral<1>() },
    .also { host in
      for _ in 0..<20 {
        for handle in 0x70..<0x90 as Range<UInt16> {
          let hasEnded = host.parameters(of: .disconnect).contains { $0[0] == UInt8(handle) }
          if !hasEnded { host.send([0x0A, 0x16, 0x00], on: handle) }
        }
        host.pass(milliseconds: 2_000)
      }
    },
    .also { host in
      expect(Set(host.parameters(of: .disconnect).map { $0[0] }), is: Set(0x70..<0x90))
    }),
]

/// USB carries data and events in different pipes, so data may precede their Connection Complete.
///
/// Symptom: such data was lost, and of six unknown handles one was ended in 2.5 s.
@Suite("Host: data before its Connection Complete")
struct EarlyDataTests {
  @Test("Data before a Connection Complete", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: ScriptedPeripheral<2>()) }

  @Test("A request in fragments may be split by the event", arguments: 1..<7)
  func fragments(length: Int) {
    let controller = ScriptedPeripheral<2>()
    let frame: [UInt8] = [3, 0, 0x04, 0x00, 0x0A, 0x16, 0x00]
    controller.receive(controller.acl(Array(frame[..<length]), on: 0x40))
    controller.receive(controller.acl([], on: 0x40, boundary: 0b01))
    controller.connect(0x40)
    expect(controller.frames, is: [])
    controller.receive(controller.acl(Array(frame[length...]), on: 0x40, boundary: 0b01))
    expect(controller.pdus(on: 0x40), is: [[0x0B, 0x64]])
  }

  @Test("The end of the wait discards the early data", arguments: 0..<3)
  func forgotten(end: Int) {
    let controller = ScriptedPeripheral<2>()
    controller.send([0x52, 0x0D, 0x00, 0x77], on: 0x40)
    switch end {
    case 0: controller.disconnect(0x40)
    case 1: controller.pass(milliseconds: 2_000)
    default: controller.start()
    }
    controller.connect(0x40)
    expect(controller.writes, is: [])
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("Six unknown handles are each ended 2 s after their first data")
  func sixUnknownHandles() {
    let controller = ScriptedPeripheral<2>()
    let handles = (0x70..<0x76 as Range<UInt16>)
    for handle in handles {
      controller.send([0x0A, 0x16, 0x00], on: handle)
      controller.pass(milliseconds: 10)
    }
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 1_939)
    expect(controller.parameters(of: .disconnect), is: [])
    controller.pass(milliseconds: 1)
    expect(controller.parameters(of: .disconnect), is: [[0x70, 0x00, 0x13]])
    for _ in 1..<6 { controller.pass(milliseconds: 10) }
    expect(controller.parameters(of: .disconnect), is: handles.map { [UInt8($0), 0x00, 0x13] })
    controller.connect(0x40)
    controller.connect(0x41)
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
  }
}
