import Testing

@testable import BluetoothHost

/// Symptom: four centrals that sent nothing held all places for ever.
@Suite("Host: a place for another central when all are taken")
struct IdleLimitTests {
  private let read: [UInt8] = [0x0A, 0x16, 0x00]
  private let minute: UInt32 = 60_000

  /// A host with two places, a limit of `limit` minutes, and two centrals.
  private func full(limit: UInt16?, service: BluetoothUUID? = .testService) -> ScriptedController<2>
  {
    let controller = ScriptedController<2>(service: service, idleLimit: limit)
    controller.connect(0x40)
    controller.connect(0x41)
    controller.forgetWhatWasSent()
    return controller
  }

  @Test("The link that was silent the longest is ended, when it has been for the limit")
  func quietest() {
    let controller = full(limit: 5)
    for _ in 0..<2 {
      controller.pass(milliseconds: minute)
      controller.send(read, on: 0x40)
    }
    // 0x41 has been silent for 4 minutes, then for 5.
    for _ in 0..<2 { controller.pass(milliseconds: minute) }
    #expect(controller.parameters(of: .disconnect) == [])
    controller.pass(milliseconds: minute)
    #expect(controller.parameters(of: .disconnect) == [[0x41, 0x00, 0x13]])
    #expect(controller.radio == .advertising)
    // There is a place now: the other may be silent for as long as it likes.
    for _ in 0..<20 { controller.pass(milliseconds: minute) }
    #expect(controller.connectionCount == 1)
  }

  @Test("One that sends something once a minute is never ended")
  func alive() {
    let controller = full(limit: 1)
    for _ in 0..<20 {
      controller.send(read, on: 0x40)
      controller.send(read, on: 0x41)
      controller.pass(milliseconds: minute)
    }
    #expect(controller.parameters(of: .disconnect) == [])
  }

  @Test("Links are kept without a limit, with a free place, and with nothing to advertise")
  func kept() {
    let controllers = [full(limit: nil), full(limit: 1, service: nil), full(limit: 2)]
    controllers[2].disconnect(0x41)
    for controller in controllers {
      for _ in 0..<20 { controller.pass(milliseconds: minute) }
      #expect(controller.parameters(of: .disconnect) == [])
    }
  }

  @Test("The next link in the place begins anew")
  func nextLink() {
    let controller = full(limit: 3)
    for _ in 0..<2 {
      controller.pass(milliseconds: minute)
      controller.send(read, on: 0x40)
    }
    controller.disconnect(0x41)
    controller.connect(0x41)
    for _ in 0..<2 {
      controller.pass(milliseconds: minute)
      controller.send(read, on: 0x40)
    }
    #expect(controller.parameters(of: .disconnect) == [])
    controller.pass(milliseconds: minute)
    #expect(controller.parameters(of: .disconnect) == [[0x41, 0x00, 0x13]])
  }

  @Test("A controller that cannot be asked after links keeps the limit all the same")
  func withoutChecks() {
    let controller = full(limit: 5)
    controller.behaviour.unanswered = .readRSSI
    controller.pass(milliseconds: minute)
    for _ in 0..<5 {
      controller.pass(milliseconds: minute)
      controller.send(read, on: 0x40)
    }
    #expect(controller.parameters(of: .disconnect) == [[0x41, 0x00, 0x13]])
  }

  @Test("65,536 minutes of silence, 45 days, are no fewer than 65,535")
  func longest() {
    let controller = ScriptedController<2>(idleLimit: .max)
    controller.behaviour.unanswered = .readRSSI
    controller.connect(0x40)
    for _ in 0...65_536 { controller.pass(milliseconds: minute) }
    // There is a place: only now, when there is none, the limit counts.
    controller.connect(0x41)
    #expect(controller.connectionCount == 2)
    controller.pass(milliseconds: minute)
    #expect(controller.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
  }
}
