import Testing

@testable import BluetoothHost

@Suite("Host: ending links, shutting down, losing the radio")
struct EndingTests {
  @Test("Shutting down ends the links and turns advertising off")
  func shutDown() {
    let controller = ScriptedController<3>.connected()
    #expect(!controller.isShutDown)
    controller.host.shutDown()
    #expect(!controller.isShutDown)
    controller.run()
    #expect(controller.commands == [.disconnect, .disconnect, .leSetAdvertisingEnable])
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00]])
    #expect(controller.isShutDown)
    #expect(controller.radio == .silent)
    controller.pass(milliseconds: 60_000)
    #expect(controller.commands.count == 3)
    #expect(controller.deadline == nil)
  }

  @Test("Shutting down waits for the links to have ended")
  func waits() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.completesDisconnections = false
    controller.host.shutDown()
    controller.run()
    #expect(!controller.isShutDown)
    controller.disconnect(0x40)
    #expect(!controller.isShutDown)
    controller.disconnect(0x41)
    #expect(controller.isShutDown)
  }

  @Test("A central that connects during the shutdown is disconnected, too")
  func lastMoment() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.unanswered = .leSetAdvertisingEnable
    controller.host.shutDown()
    controller.run()
    controller.connect(0x42)
    #expect(!controller.isShutDown)
    controller.complete(.leSetAdvertisingEnable, [0x00])
    controller.run()
    #expect(controller.parameters(of: .disconnect).last == [0x42, 0x00, 0x13])
    #expect(controller.isShutDown)
  }

  @Test(
    "A controller that does not answer delays the shutdown by 2 s",
    arguments: [HCIOpcode.disconnect, .leSetAdvertisingEnable])
  func unanswered(opcode: HCIOpcode) {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.unanswered = opcode
    controller.host.shutDown()
    controller.run()
    #expect(!controller.isShutDown)
    controller.pass(milliseconds: 2_000)
    #expect(controller.isShutDown)
  }

  @Test("Shutting down a radio that is not set up takes no time")
  func notReady() {
    let notStarted = ScriptedController<1>(starts: false)
    notStarted.host.shutDown()
    #expect(notStarted.isShutDown)
    let starting = ScriptedController<1>.with { $0.unanswered = .reset }
    starting.host.shutDown()
    #expect(starting.isShutDown)
  }

  @Test("Disconnecting all links leaves advertising on")
  func disconnectAll() {
    let controller = ScriptedController<3>.connected()
    controller.events = []
    controller.host.disconnectAll()
    controller.run()
    #expect(controller.connectionCount == 0)
    #expect(
      controller.events.filter { if case .disconnected = $0 { true } else { false } } == [
        .disconnected(0, .connectionTerminatedByLocalHost),
        .disconnected(1, .connectionTerminatedByLocalHost),
      ])
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that never reports a disconnection is reset")
  func lostDisconnection() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.completesDisconnections = false
    controller.host.disconnectAll()
    controller.run()
    // 72 × 10 = 720 ms of supervision + 2 × 2 s.
    #expect(controller.deadline == controller.now.advanced(by: 4_720))
    controller.pass(milliseconds: 4_720)
    #expect(controller.connectionCount == 0)
    #expect(controller.events.contains(.radio(.fault(.unanswered(.disconnect)))))
    controller.pass(milliseconds: 0)
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that knows none of the links is set up again")
  func unknownLink() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.refused = (.disconnect, .unknownConnectionIdentifier)
    controller.host.disconnectAll()
    controller.run()
    #expect(controller.connectionCount == 0)
    #expect(controller.radio == .advertising)
    #expect(controller.commands.prefix(3) == [.disconnect, .disconnect, .reset])
  }

  @Test("A link that ends while it is being disconnected ends no other")
  func crossing() {
    let controller = ScriptedController<3>.connected()
    controller.behaviour.completesDisconnections = false
    controller.host.disconnectAll()
    // The controller accepts the Disconnect for 0x40.
    if let packet = controller.nextPacket() { controller.answer(packet) }
    // The Disconnect for 0x41 crosses the event for the end of the link.
    _ = controller.nextPacket()
    controller.disconnect(0x41, reason: 0x13)
    controller.status(.unknownConnectionIdentifier, of: .disconnect)
    controller.run()
    #expect(controller.connectionCount == 1)
    controller.disconnect(0x40, reason: 0x16)
    #expect(controller.connectionCount == 0)
  }

  @Test("A lost radio ends every link, and the host waits for a new one")
  func radioLost() {
    let controller = ScriptedController<3>.connected()
    controller.events = []
    controller.host.radioLost()
    #expect(
      controller.events == [
        .disconnected(0, .hardwareFailure), .disconnected(1, .hardwareFailure),
        .radio(.fault(.lost)),
      ])
    controller.pass(milliseconds: 60_000)
    controller.send([0x0A, 0x16, 0x00])
    #expect(controller.commands == [] && controller.aclPackets == [])
    #expect(controller.deadline == nil)
    controller.start()
    #expect(controller.radio == .advertising)
    controller.connect()
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("Starting again ends the links, and reports their ends")
  func startAgain() {
    let controller = ScriptedController<3>.connected()
    controller.events = []
    controller.start()
    #expect(
      controller.events.prefix(2) == [
        .disconnected(0, .connectionTerminatedByLocalHost),
        .disconnected(1, .connectionTerminatedByLocalHost),
      ])
    #expect(controller.radio == .advertising)
  }
}
