import Expectations

@testable import BluetoothHost

private let hardwareError: [UInt8] = [0x04, 0x10, 1, 0x42]

/// The host's delay before a reset after a Hardware Error.
private func delay(_ controller: ScriptedController) -> UInt64? {
  controller.receive(hardwareError)
  return controller.deadline.map { $0.rawValue - controller.now.rawValue }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "After 10 s without one, the next counts as the first",
    .also { expect(delay($0), is: 0) }, .pass(0), .pass(9_999),
    .also { expect(delay($0), is: 250) },
    .pass(250), .pass(10_000), .also { expect(delay($0), is: 0) }),
  Scenario(
    "Errors during the wait do not extend it",
    .receive(hardwareError), .pass(0), .receive(hardwareError),
    .also { host in
      for _ in 0..<50 {
        host.pass(milliseconds: 5)
        if host.radio != .advertising { host.receive(hardwareError) }
      }
    },
    .radio(.advertising)),
  // Symptom: the controller was reset at once, and the host missed a Hardware Error before the end
  // of the delay.
  Scenario(
    "A request of the owner does not shorten the wait",
    .receive(hardwareError), .pass(0), .receive(hardwareError), .forget, .advertise(nil),
    .pass(249), .commands(), .pass(1), .firstCommands(.reset)),
]

/// Symptom: a controller with a Hardware Error for every Reset was reset 20,000 times a second.
@Suite("Host: repeated Hardware Errors")
struct HardwareErrorTests {
  @Test("The wait before a reset", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: ScriptedPeripheral<1>()) }

  @Test("The first causes a reset at once; each next one after a longer wait, up to 5 s")
  func spaced() {
    let controller = ScriptedPeripheral<1>()
    controller.behaviour.unanswered = .reset
    var waits: [UInt64?] = []
    for _ in 0..<8 {
      let delay = delay(controller)
      waits.append(delay)
      controller.forgetWhatWasSent()
      controller.pass(milliseconds: UInt32(delay ?? 0))
      expect(controller.commands, is: [.reset])
    }
    expect(waits, is: [0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  }

  @Test("A whole start-up between them does not shorten the wait")
  func afterStartUp() {
    let controller = ScriptedPeripheral<1>()
    var waits: [UInt64?] = []
    for _ in 0..<4 {
      let delay = delay(controller)
      waits.append(delay)
      controller.pass(milliseconds: UInt32(delay ?? 0))
      expect(controller.radio, is: .advertising)
    }
    expect(waits, is: [0, 250, 500, 1_000])
  }
}
