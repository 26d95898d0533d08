import Testing

@testable import BluetoothHost

/// Symptom: a controller that lost its state without a link was never noticed, and the peripheral
/// said that it was advertising for ever.
@Suite("Host: a controller that advertises and has no link")
struct IdleControllerTests {
  private typealias Controller = ScriptedController<2>

  private func idle(_ behaviour: ControllerBehaviour = ControllerBehaviour()) -> Controller {
    let controller = ScriptedController<2>(behaviour)
    controller.forgetWhatWasSent()
    return controller
  }

  @Test("Every 30 s the host asks whether it still advertises, and changes nothing if it does")
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

  @Test("One that has lost its state is set up again 2 s after it was asked", arguments: [0, 2])
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
    // Before it has refused the question once, nothing is known for certain.
    let isCertain = controller.events.contains(.radio(.fault(.stoppedAdvertising)))
    #expect(isCertain == (checks > 0))
    #expect(controller.radio == .advertising)
    // It was no fault of the way of asking: it is asked again.
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 30_000)
    #expect(controller.commands == [.leSetAdvertisingParameters])
  }

  /// Symptom of an earlier attempt: one that lost its state twice was never asked again.
  @Test("One that loses its state again and again is set up again each time")
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

  @Test("A link that was made at the moment of the question is kept")
  func linkMeanwhile() {
    let controller = idle()
    controller.isAdvertising = false
    controller.pass(milliseconds: 30_000)
    controller.connect()
    controller.pass(milliseconds: 2_000)
    #expect(!controller.commands.contains(.reset))
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("One that never answers the question is reset")
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
    "One that takes new parameters while it advertises is reset once, and believed from then on")
  func lenient() {
    var behaviour = ControllerBehaviour()
    behaviour.guardsAdvertisingParameters = false
    let controller = idle(behaviour)
    for _ in 0..<10 { controller.pass(milliseconds: 32_000) }
    #expect(controller.commands.filter { $0 == .reset }.count == 1)
    #expect(controller.radio == .advertising)
    // It is still asked: an answer of any kind says that it is there.
    controller.behaviour.unanswered = .leSetAdvertisingParameters
    controller.pass(milliseconds: 30_000)
    controller.pass(milliseconds: 2_000)
    #expect(controller.events.contains(.radio(.fault(.unanswered(.leSetAdvertisingParameters)))))
  }

  @Test("One that refuses the question for another reason is left alone")
  func refused() {
    let controller = idle()
    controller.behaviour.refused = (.leSetAdvertisingParameters, .unknownCommand)
    for _ in 0..<4 { controller.pass(milliseconds: 30_000) }
    #expect(controller.commands == [HCIOpcode](repeating: .leSetAdvertisingParameters, count: 4))
    #expect(controller.radio == .advertising)
  }

  @Test("Another controller behind the same host is judged anew")
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

  @Test("The host asks again once the last link has gone, and nothing while it does not advertise")
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
