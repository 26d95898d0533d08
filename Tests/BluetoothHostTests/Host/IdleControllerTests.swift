import Testing

@testable import BluetoothHost

/// Symptom: the host did not notice that a controller without a link had lost its state, and
/// reported that it was advertising.
@Suite("Host: a controller that advertises and has no link")
struct IdleControllerTests {
  private typealias Controller = ScriptedController<2>

  private func idle(_ behaviour: ControllerBehaviour = ControllerBehaviour()) -> Controller {
    let controller = ScriptedController<2>(behaviour)
    controller.forgetWhatWasSent()
    return controller
  }

  @Test("Every 30 s the host checks that it advertises, and changes nothing")
  func advertising() {
    let controller = idle()
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
    controller.pass(milliseconds: 29_999)
    #expect(controller.commands == [])
    controller.pass(milliseconds: 1)
    #expect(controller.commands == [.leSetAdvertisingParameters])
    #expect(
      controller.parameters(of: .leSetAdvertisingParameters)[0].prefix(4) == [160, 0, 240, 0])
    controller.pass(milliseconds: 30_000)
    #expect(controller.commands == [.leSetAdvertisingParameters, .leSetAdvertisingParameters])
    #expect(controller.radio == .advertising)
    #expect(controller.events == [.radio(.silent), .radio(.advertising)])
  }

  @Test("One that has lost its state is set up again 2 s after the check", arguments: [0, 2])
  func lostState(checks: Int) {
    let controller = idle()
    for _ in 0..<checks { controller.pass(milliseconds: 30_000) }
    controller.isAdvertising = false
    controller.pass(milliseconds: 30_000)
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 1_999)
    #expect(controller.commands == [])
    controller.pass(milliseconds: 1)
    controller.pass(milliseconds: 0)
    #expect(controller.commands.first == .reset)
    #expect(controller.isAdvertising)
    // The host is certain only if the controller has refused the check before.
    let isCertain = controller.events.contains(.radio(.fault(.stoppedAdvertising)))
    #expect(isCertain == (checks > 0))
    #expect(controller.radio == .advertising)
    // The check itself works: it is repeated.
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 30_000)
    #expect(controller.commands == [.leSetAdvertisingParameters])
  }

  /// Symptom: a controller that lost its state twice was not checked again.
  @Test("One that loses its state repeatedly is set up again each time")
  func losesStateOften() {
    let controller = idle()
    for _ in 0..<5 {
      controller.isAdvertising = false
      controller.forgetWhatWasSent()
      controller.pass(milliseconds: 30_000)
      controller.pass(milliseconds: 2_000)
      controller.pass(milliseconds: 0)
      #expect(controller.commands.contains(.reset))
      #expect(controller.isAdvertising)
    }
  }

  @Test("A link that is made during the check is kept")
  func linkMeanwhile() {
    let controller = idle()
    controller.isAdvertising = false
    controller.pass(milliseconds: 30_000)
    controller.connect()
    controller.pass(milliseconds: 2_000)
    #expect(!controller.commands.contains(.reset))
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("One that does not answer the check is reset")
  func unanswered() {
    let controller = idle()
    controller.behaviour.unanswered = .leSetAdvertisingParameters
    controller.pass(milliseconds: 30_000)
    controller.behaviour.unanswered = nil
    controller.pass(milliseconds: 2_000)
    #expect(controller.events.contains(.radio(.fault(.unanswered(.leSetAdvertisingParameters)))))
    #expect(controller.commands.contains(.reset))
    #expect(controller.radio == .advertising)
  }

  @Test(
    "One that accepts parameters while it advertises is reset once, and then trusted")
  func lenient() {
    var behaviour = ControllerBehaviour()
    behaviour.guardsAdvertisingParameters = false
    let controller = idle(behaviour)
    for _ in 0..<10 { controller.pass(milliseconds: 32_000) }
    #expect(controller.commands.filter { $0 == .reset }.count == 1)
    #expect(controller.radio == .advertising)
    // The check goes on: any answer shows that the controller works.
    controller.behaviour.unanswered = .leSetAdvertisingParameters
    controller.pass(milliseconds: 30_000)
    controller.pass(milliseconds: 2_000)
    #expect(controller.events.contains(.radio(.fault(.unanswered(.leSetAdvertisingParameters)))))
  }

  @Test("One that refuses the check for another reason is left alone")
  func refused() {
    let controller = idle()
    controller.behaviour.refused = (.leSetAdvertisingParameters, .unknownCommand)
    for _ in 0..<4 { controller.pass(milliseconds: 30_000) }
    #expect(controller.commands == [HCIOpcode](repeating: .leSetAdvertisingParameters, count: 4))
    #expect(controller.radio == .advertising)
  }

  @Test("A new controller is checked as the first one")
  func anotherController() {
    var behaviour = ControllerBehaviour()
    behaviour.guardsAdvertisingParameters = false
    let controller = idle(behaviour)
    for _ in 0..<3 { controller.pass(milliseconds: 32_000) }
    controller.host.radioLost()
    controller.behaviour.guardsAdvertisingParameters = true
    controller.start()
    controller.isAdvertising = false
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 30_000)
    controller.pass(milliseconds: 2_000)
    #expect(controller.commands.contains(.reset))
  }

  @Test("The host checks only while it advertises without a link")
  func whenAsked() {
    let controller = idle()
    controller.pass(milliseconds: 20_000)
    controller.connect()
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 40_000)
    #expect(!controller.commands.contains(.leSetAdvertisingParameters))
    controller.disconnect()
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
    controller.host.advertise(nil)
    controller.run()
    #expect(controller.deadline == nil)
    controller.pass(milliseconds: 60_000)
    #expect(!controller.commands.contains(.leSetAdvertisingParameters))
  }
}
