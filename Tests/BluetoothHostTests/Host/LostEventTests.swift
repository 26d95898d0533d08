import Testing

@testable import BluetoothHost

@Suite("Host: lost events")
struct LostEventTests {
  @Test("A link with data but without an event is ended after 2 s")
  func unknownLink() {
    let controller = ScriptedController<3>.connected()
    controller.send([0x0A, 0x16, 0x00], on: 0x77)
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 1_999)
    controller.send([0x0A, 0x16, 0x00], on: 0x77)
    #expect(controller.commands == [])
    controller.pass(milliseconds: 1)
    #expect(controller.parameters(of: .disconnect) == [[0x77, 0x00, 0x13]])
    // The link ended the advertising, which the host restarts.
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00], [0x01]])
    #expect(controller.connectionCount == 2)
    #expect(controller.radio == .advertising)
  }

  @Test("The end of an unknown link restarts advertising")
  func unknownLinkEnds() {
    let controller = ScriptedController<3>.connected()
    controller.disconnect(0x77)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00], [0x01]])
    #expect(controller.radio == .advertising)
    controller.connect(0x42)
    controller.forgetWhatWasSent()
    controller.disconnect(0x77)
    #expect(controller.commands == [], "advertising is off at full capacity")
  }

  @Test("The end of an unknown link does not hasten a reset")
  func unknownLinkEndsDuringFault() {
    let controller = ScriptedController<3>.with { $0.refused = (.reset, .hardwareFailure) }
    controller.behaviour.refused = nil
    controller.disconnect(0x77)
    controller.pass(milliseconds: 1_999)
    #expect(controller.commands == [.reset])
    controller.pass(milliseconds: 1)
    #expect(controller.commands.filter { $0 == .reset }.count == 2)
    #expect(controller.radio == .advertising)
  }

  @Test("A link that is silent for a minute is checked")
  func silent() {
    let controller = ScriptedController<3>.connected()
    controller.pass(milliseconds: 59_000)
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    #expect(controller.parameters(of: .readRSSI) == [])
    controller.pass(milliseconds: 1_000)
    #expect(controller.parameters(of: .readRSSI) == [[0x40, 0x00]])
    #expect(controller.connectionCount == 2)
    controller.pass(milliseconds: 60_000)
    #expect(controller.parameters(of: .readRSSI) == [[0x40, 0x00], [0x40, 0x00], [0x41, 0x00]])
  }

  @Test("A link that the controller does not know ends")
  func missing() {
    let controller = ScriptedController<3>.connected()
    controller.connect(0x42)
    #expect(controller.radio == .silent)
    controller.behaviour.refused = (.readRSSI, .unknownConnectionIdentifier)
    controller.pass(milliseconds: 59_000)
    controller.send([0x0A, 0x16, 0x00], on: 0x40)
    controller.send([0x0A, 0x16, 0x00], on: 0x42)
    controller.forgetWhatWasSent()
    controller.pass(milliseconds: 1_000)
    #expect(controller.events.contains(.disconnected(1, .unspecifiedError)))
    #expect(controller.connectionCount == 2)
    #expect(controller.commands == [.readRSSI, .leSetAdvertisingEnable])
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that knows no link is set up again")
  func allMissing() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.refused = (.readRSSI, .unknownConnectionIdentifier)
    controller.pass(milliseconds: 60_000)
    #expect(controller.connectionCount == 0)
    #expect(controller.commands.contains(.reset))
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that ignores the check is not asked again")
  func unanswered() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.unanswered = .readRSSI
    for _ in 0..<10 { controller.pass(milliseconds: 60_000) }
    #expect(controller.parameters(of: .readRSSI).count == 1)
    #expect(controller.connectionCount == 2)
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
  }

  @Test("Without links there is no check")
  func lastHasGone() {
    let controller = ScriptedController<3>.connected()
    controller.disconnect(0x40)
    controller.disconnect(0x41)
    controller.pass(milliseconds: 60_000)
    #expect(!controller.commands.contains(.readRSSI))
  }

  @Test("A late answer about an ended link does not end the next one")
  func staleCheck() {
    let controller = ScriptedController<2>()
    controller.connect(0x40)
    controller.connect(0x41)
    controller.behaviour.unanswered = .readRSSI
    controller.pass(milliseconds: 59_999)
    controller.send(.read, on: 0x41)
    controller.pass(milliseconds: 1)
    controller.disconnect(0x40)
    controller.connect(0x40)
    controller.complete(.readRSSI, [0x02, 0x40, 0x00, 0])
    controller.run()
    #expect(controller.connectionCount == 2)
  }
}
