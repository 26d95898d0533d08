import Testing

@testable import BluetoothHost

private let hardwareError: [UInt8] = [0x04, 0x10, 1, 0x42]

/// Symptom: a controller with a Hardware Error for every Reset was reset 20,000 times a second.
@Suite("Host: repeated Hardware Errors")
struct HardwareErrorTests {
  /// The host's delay before a reset after a Hardware Error.
  private func delay(_ controller: ScriptedController<1>) -> UInt64? {
    controller.receive(hardwareError)
    return controller.deadline.map { $0.rawValue - controller.now.rawValue }
  }

  @Test("The first causes a reset at once; each next one after a longer wait, up to 5 s")
  func spaced() {
    let controller = ScriptedController<1>()
    controller.behaviour.unanswered = .reset
    var waits: [UInt64?] = []
    for _ in 0..<8 {
      let delay = delay(controller)
      waits.append(delay)
      controller.forgetWhatWasSent()
      controller.pass(milliseconds: UInt32(delay ?? 0))
      #expect(controller.commands == [.reset])
    }
    #expect(waits == [0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  }

  @Test("A whole start-up between them does not shorten the wait")
  func afterStartUp() {
    let controller = ScriptedController<1>()
    var waits: [UInt64?] = []
    for _ in 0..<4 {
      let delay = delay(controller)
      waits.append(delay)
      controller.pass(milliseconds: UInt32(delay ?? 0))
      #expect(controller.radio == .advertising)
    }
    #expect(waits == [0, 250, 500, 1_000])
  }

  @Test("After 10 s without one, the next counts as the first")
  func calm() {
    let controller = ScriptedController<1>()
    #expect(delay(controller) == 0)
    controller.pass(milliseconds: 0)
    controller.pass(milliseconds: 9_999)
    #expect(delay(controller) == 250)
    controller.pass(milliseconds: 250)
    controller.pass(milliseconds: 10_000)
    #expect(delay(controller) == 0)
  }

  @Test("Errors during the wait do not extend it")
  func meanwhile() {
    let controller = ScriptedController<1>()
    controller.receive(hardwareError)
    controller.pass(milliseconds: 0)
    controller.receive(hardwareError)
    for _ in 0..<50 {
      controller.pass(milliseconds: 5)
      if controller.radio != .advertising { controller.receive(hardwareError) }
    }
    #expect(controller.radio == .advertising)
  }

  /// Symptom: the controller was reset at once, and the host missed a Hardware Error before the end
  /// of the delay.
  @Test("A request of the owner does not shorten the wait")
  func asked() {
    let controller = ScriptedController<1>()
    controller.receive(hardwareError)
    controller.pass(milliseconds: 0)
    controller.receive(hardwareError)
    controller.forgetWhatWasSent()
    controller.host.advertise(nil)
    controller.pass(milliseconds: 249)
    #expect(controller.commands == [])
    controller.pass(milliseconds: 1)
    #expect(controller.commands.first == .reset)
  }
}
