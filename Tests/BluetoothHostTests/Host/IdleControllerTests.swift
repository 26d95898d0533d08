import Expectations

@testable import BluetoothHost

private func idle(_ behaviour: ControllerBehaviour = ControllerBehaviour()) -> ScriptedPeripheral<2>
{
  let controller = ScriptedPeripheral<2>(behaviour)
  controller.forgetWhatWasSent()
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "Every 30 s the host checks that it advertises, and changes nothing",
    .deadline(30_000), .pass(29_999), .commands(), .pass(1), .commands(.leSetAdvertisingParameters),
    .also {
      expect($0.parameters(of: .leSetAdvertisingParameters)[0].prefix(4), is: [160, 0, 240, 0])
    },
    .pass(30_000), .commands(.leSetAdvertisingParameters, .leSetAdvertisingParameters),
    .radio(.advertising), .events(.radio(.silent), .radio(.advertising))),
  // Symptom: a controller that lost its state twice was not checked again.
  Scenario(
    "One that loses its state repeatedly is set up again each time",
    .also { host in
      for _ in 0..<5 {
        host.isAdvertising = false
        host.forgetWhatWasSent()
        host.pass(milliseconds: 30_000)
        host.pass(milliseconds: 2_000)
        host.pass(milliseconds: 0)
        expect(host.commands.contains(.reset))
        expect(host.isAdvertising)
      }
    }),
  Scenario(
    "A link that is made during the check is kept",
    .isAdvertising(false), .pass(30_000), .connect(), .pass(2_000), .has(.reset, false), .read()),
  Scenario(
    "One that does not answer the check is reset",
    .set(\.unanswered, .leSetAdvertisingParameters), .pass(30_000), .set(\.unanswered, nil),
    .pass(2_000), .event(.radio(.fault(.unanswered(.leSetAdvertisingParameters)))), .has(.reset),
    .radio(.advertising)),
  Scenario(
    "One that refuses the check for another reason is left alone",
    .refuse(.leSetAdvertisingParameters, .unknownCommand), .repeat(4, .pass(30_000)),
    .also {
      expect($0.commands, is: [HCIOpcode](repeating: .leSetAdvertisingParameters, count: 4))
    },
    .radio(.advertising)),
  Scenario(
    "The host checks only while it advertises without a link",
    .pass(20_000), .connect(), .forget, .pass(40_000), .has(.leSetAdvertisingParameters, false),
    .disconnect(), .deadline(30_000), .advertise(nil), .deadline(nil), .pass(60_000),
    .has(.leSetAdvertisingParameters, false)),
]

/// Symptom: the host did not notice that a controller without a link had lost its state, and
/// reported that it was advertising.
@Suite("Host: a controller that advertises and has no link")
struct IdleControllerTests {
  @Test("The check of the advertising", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: idle()) }

  @Test("One that has lost its state is set up again 2 s after the check", arguments: [0, 2])
  func lostState(checks: Int) {
    let controller = idle()
    for _ in 0..<checks { controller.pass(milliseconds: 30_000) }
    controller.isAdvertising = false
    controller.pass(milliseconds: 30_000)
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 1_999)
    expect(controller.commands, is: [])
    controller.pass(milliseconds: 1)
    controller.pass(milliseconds: 0)
    expect(controller.commands.first, is: .reset)
    expect(controller.isAdvertising)
    // The host is certain only if the controller has refused the check before.
    expect(controller.events.contains(.radio(.fault(.stoppedAdvertising))), is: checks > 0)
    expect(controller.radio, is: .advertising)
    // The check itself works: it is repeated.
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 30_000)
    expect(controller.commands, is: [.leSetAdvertisingParameters])
  }

  @Test("One that accepts parameters while it advertises is reset once, and then trusted")
  func lenient() {
    var behaviour = ControllerBehaviour()
    behaviour.guardsAdvertisingParameters = false
    let controller = idle(behaviour)
    for _ in 0..<10 { controller.pass(milliseconds: 32_000) }
    expect(controller.commands.filter { $0 == .reset }.count, is: 1)
    expect(controller.radio, is: .advertising)
    // The check goes on: any answer shows that the controller works.
    controller.behaviour.unanswered = .leSetAdvertisingParameters
    controller.pass(milliseconds: 30_000)
    controller.pass(milliseconds: 2_000)
    expect(controller.events.contains(.radio(.fault(.unanswered(.leSetAdvertisingParameters)))))
  }

  @Test("A new controller is checked as the first one")
  func anotherController() {
    var behaviour = ControllerBehaviour()
    behaviour.guardsAdvertisingParameters = false
    let controller = idle(behaviour)
    for _ in 0..<3 { controller.pass(milliseconds: 32_000) }
    controller.radioLost()
    controller.behaviour.guardsAdvertisingParameters = true
    controller.start()
    controller.isAdvertising = false
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 30_000)
    controller.pass(milliseconds: 2_000)
    expect(controller.commands.contains(.reset))
  }
}
