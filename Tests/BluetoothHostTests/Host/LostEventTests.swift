import Testing

@testable import BluetoothHost

@Suite("Host: events that were lost")
struct LostEventTests {
  @Test("Data of a link that the host was not told of: after 2 s the link is ended")
  func stranger() {
    let controller = ScriptedController<3>.connected()
    controller.send([0x0A, 0x16, 0x00], on: 0x77)
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 1_999)
    controller.send([0x0A, 0x16, 0x00], on: 0x77)
    #expect(controller.commands == [])
    controller.pass(milliseconds: 1)
    #expect(controller.parameters(of: .disconnect) == [[0x77, 0x00, 0x13]])
    // It was made out of advertising that the host thinks is on.
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00], [0x01]])
    #expect(controller.connectionCount == 2)
    #expect(controller.radio == .advertising)
  }

  @Test("Data that overtakes the news of its link ends nothing")
  func overtaken() {
    let controller = ScriptedController<3>.connected()
    controller.send([0x0A, 0x16, 0x00], on: 0x42)
    controller.connect(0x42)
    controller.pass(milliseconds: 10_000)
    #expect(controller.parameters(of: .disconnect) == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x42)
  }

  @Test("The end of a link that the host was not told of: advertising is begun again")
  func strangerLeft() {
    let controller = ScriptedController<3>.connected()
    controller.disconnect(0x77)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00], [0x01]])
    #expect(controller.radio == .advertising)
    controller.connect(0x42)
    controller.forgetWhatWasSent()
    controller.disconnect(0x77)
    #expect(controller.commands == [], "it was off, since every place is taken")
  }

  @Test("The same while a reset waits for its time: it is not hastened")
  func strangerLeftDuringFault() {
    var behaviour = ControllerBehaviour()
    behaviour.refused = (.reset, .hardwareFailure)
    let controller = ScriptedController<3>(behaviour)
    controller.behaviour.refused = nil
    controller.disconnect(0x77)
    controller.pass(milliseconds: 1_999)
    #expect(controller.commands == [.reset])
    controller.pass(milliseconds: 1)
    #expect(controller.commands.filter { $0 == .reset }.count == 2)
    #expect(controller.radio == .advertising)
  }

  @Test("A link that is silent for a minute is asked after; one that is not is left alone")
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

  @Test("A link that the controller does not know any more: its place is free")
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

  @Test("With the last link that is missing, the controller is set up again")
  func allMissing() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.refused = (.readRSSI, .unknownConnectionIdentifier)
    controller.pass(milliseconds: 60_000)
    #expect(controller.connectionCount == 0)
    #expect(controller.commands.contains(.reset))
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that leaves the question unanswered is not asked again")
  func unanswered() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.unanswered = .readRSSI
    for _ in 0..<10 { controller.pass(milliseconds: 60_000) }
    #expect(controller.parameters(of: .readRSSI).count == 1)
    #expect(controller.connectionCount == 2)
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
  }

  @Test("No link is asked after once the last has gone")
  func lastHasGone() {
    let controller = ScriptedController<3>.connected()
    controller.disconnect(0x40)
    controller.disconnect(0x41)
    controller.pass(milliseconds: 60_000)
    #expect(!controller.commands.contains(.readRSSI))
  }

  @Test("A late answer about the last link of a handle says nothing about the next one")
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
