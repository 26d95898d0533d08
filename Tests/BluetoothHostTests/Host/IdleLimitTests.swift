import Testing

@testable import BluetoothHost

/// Symptom: four silent centrals held the whole capacity forever.
@Suite("Host: the idle limit at full capacity")
struct IdleLimitTests {
  private let minute: UInt32 = 60_000

  /// A host with a capacity of two connections, a limit of `limit` minutes, and two centrals.
  private func full(limit: UInt16?, service: BluetoothUUID? = .testService) -> ScriptedController<2>
  {
    let controller = ScriptedController<2>(service: service, idleLimit: limit)
    controller.connect(0x40)
    controller.connect(0x41)
    controller.forgetWhatWasSent()
    return controller
  }

  @Test("The link that has been silent longest is ended at the limit")
  func quietest() {
    let controller = full(limit: 5)
    for _ in 0..<2 {
      controller.pass(milliseconds: minute)
      controller.send(.read, on: 0x40)
    }
    // 0x41 has been silent for 4 minutes, then for 5.
    for _ in 0..<2 { controller.pass(milliseconds: minute) }
    #expect(controller.parameters(of: .disconnect) == [])
    controller.pass(milliseconds: minute)
    #expect(controller.parameters(of: .disconnect) == [[0x41, 0x00, 0x13]])
    #expect(controller.radio == .advertising)
    // Below capacity, the other link may stay silent.
    for _ in 0..<20 { controller.pass(milliseconds: minute) }
    #expect(controller.connectionCount == 1)
  }

  @Test("A link with data every minute is not ended")
  func alive() {
    let controller = full(limit: 1)
    for _ in 0..<20 {
      controller.send(.read, on: 0x40)
      controller.send(.read, on: 0x41)
      controller.pass(milliseconds: minute)
    }
    #expect(controller.parameters(of: .disconnect) == [])
  }

  @Test("Links are kept without a limit, with room for a connection, or without advertising")
  func kept() {
    let controllers = [full(limit: nil), full(limit: 1, service: nil), full(limit: 2)]
    controllers[2].disconnect(0x41)
    for controller in controllers {
      for _ in 0..<20 { controller.pass(milliseconds: minute) }
      #expect(controller.parameters(of: .disconnect) == [])
    }
  }

  @Test("The limit holds with a controller that does not answer Read RSSI")
  func withoutChecks() {
    let controller = full(limit: 5)
    controller.behaviour.unanswered = .readRSSI
    controller.pass(milliseconds: minute)
    for _ in 0..<5 {
      controller.pass(milliseconds: minute)
      controller.send(.read, on: 0x40)
    }
    #expect(controller.parameters(of: .disconnect) == [[0x41, 0x00, 0x13]])
  }

  @Test("The count of silent minutes stops at 65,535, 45 days")
  func longest() {
    let controller = ScriptedController<2>(idleLimit: .max)
    controller.behaviour.unanswered = .readRSSI
    controller.connect(0x40)
    for _ in 0...65_536 { controller.pass(milliseconds: minute) }
    // The limit counts only at full capacity.
    controller.connect(0x41)
    #expect(controller.connectionCount == 2)
    controller.pass(milliseconds: minute)
    #expect(controller.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
  }
}
