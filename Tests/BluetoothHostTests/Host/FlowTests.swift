import Testing

@testable import BluetoothHost

@Suite("Host: flow control")
struct FlowTests {
  /// A controller with `count` buffers of 27 bytes that never completes packets.
  private func controller<let capacity: Int>(
    buffers count: UInt8, links: UInt16, timeout: UInt16 = 72
  ) -> ScriptedController<capacity> {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (27, count)
    behaviour.completesPackets = false
    let controller = ScriptedController<capacity>(behaviour)
    for link in 0..<links { controller.connect(0x40 + link, timeout: timeout) }
    return controller
  }

  @Test("All links together have no more packets than buffers")
  func bounded() {
    let controller: ScriptedController<3> = controller(buffers: 2, links: 3)
    for link: UInt16 in 0..<3 { controller.send([0x0A, 0x16, 0x00], on: 0x40 + link) }
    #expect(controller.aclPackets.count == 2)
    controller.completePackets(of: 0x41)
    controller.run()
    #expect(controller.frames.map(\.handle) == [0x40, 0x41, 0x42])
  }

  @Test("Busy links take turns with the buffers")
  func fair() {
    let controller: ScriptedController<2> = controller(buffers: 1, links: 2)
    controller.behaviour.completesPackets = true
    for link: UInt16 in 0..<2 { controller.exchangeMTU(517, on: 0x40 + link) }
    controller.host.server.application.values[0] = [UInt8](counting: 500)
    controller.behaviour.completesPackets = false
    for link: UInt16 in 0..<2 { controller.send([0x0A, 0x0D, 0x00], on: 0x40 + link) }
    controller.forgetWhatWasSent()
    for _ in 0..<10 {
      for link: UInt16 in 0..<2 {
        controller.completePackets(of: 0x40 + link)
        controller.run()
      }
    }
    let handles = controller.aclPackets.map { $0[1] }
    #expect(handles.filter { $0 == 0x40 }.count == handles.filter { $0 == 0x41 }.count)
  }

  @Test("Excess completed packets, and those of unknown links, free no buffers")
  func tooMany() {
    let controller: ScriptedController<2> = controller(buffers: 1, links: 2)
    controller.completePackets(of: 0x40, count: 0xFFFF)
    controller.completePackets(of: 0x77, count: 5)
    controller.send([0x0A, 0x16, 0x00])
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    #expect(controller.aclPackets.count == 1)
    controller.completePackets(of: 0x41, count: 3)  // the link had none
    controller.run()
    #expect(controller.aclPackets.count == 1)
    controller.completePackets(of: 0x40, count: 3)
    controller.run()
    #expect(controller.aclPackets.count == 2)
  }

  @Test("Number Of Completed Packets may name several links; a malformed one is ignored")
  func severalLinks() {
    let controller: ScriptedController<2> = controller(buffers: 2, links: 2)
    controller.send([0x0A, 0x16, 0x00])
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    let event: [UInt8] = [2, 0x40, 0x00, 1, 0, 0x41, 0x00, 1, 0]
    for cut in truncations(of: event) { controller.receive([0x04, 0x13, UInt8(cut.count)] + cut) }
    controller.receive([0x04, 0x13, 9, 3] + event[1...])
    controller.send([0x0A, 0x16, 0x00])
    #expect(controller.aclPackets.count == 2)
    controller.receive([0x04, 0x13, 9] + event)
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    #expect(controller.aclPackets.count == 4)
  }

  @Test("The buffers of an ended link are free")
  func endedLink() {
    let controller: ScriptedController<2> = controller(buffers: 1, links: 2)
    controller.send([0x0A, 0x16, 0x00])
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    #expect(controller.pdus(on: 0x41) == [])
    controller.disconnect()
    #expect(controller.pdus(on: 0x41) == [[0x0B, 0x64]])
  }

  @Test("A link with a reused index and handle starts without packets")
  func sameHandle() {
    let controller: ScriptedController<2> = controller(buffers: 3, links: 2)
    controller.send([0x0A, 0x16, 0x00])
    controller.disconnect()
    controller.connect()
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    controller.send([0x0A, 0x16, 0x00])
    // Only one of these three was sent.
    controller.completePackets(of: 0x40, count: 3)
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    #expect(controller.pdus(on: 0x41).count == 2)
  }

  @Test("A link whose packets are never completed is ended; others go on")
  func stalled() {
    let controller: ScriptedController<2> = controller(buffers: 1, links: 2, timeout: 100)
    controller.behaviour.completesPackets = true
    controller.behaviour.forgetsPacketsOf = 0x40
    controller.send([0x0A, 0x16, 0x00])
    controller.send([0x0A, 0x16, 0x00], on: 0x41)
    // 100 × 10 = 1 s of supervision + 2 s.
    #expect(controller.deadline == controller.now.advanced(by: 3_000))
    controller.pass(milliseconds: 2_999)
    #expect(controller.parameters(of: .disconnect) == [])
    controller.pass(milliseconds: 1)
    #expect(controller.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
    #expect(controller.pdus(on: 0x41) == [[0x0B, 0x64]])
    #expect(controller.connectionCount == 1)
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
    #expect(controller.radio == .advertising)
  }

  @Test("A slow controller within the limit ends no link")
  func slow() {
    let controller: ScriptedController<1> = controller(buffers: 1, links: 1, timeout: 100)
    for _ in 0..<5 {
      controller.send([0x0A, 0x16, 0x00])
      controller.pass(milliseconds: 2_900)
      controller.completePackets(of: 0x40)
      controller.run()
    }
    controller.pass(milliseconds: 60_000)
    #expect(controller.parameters(of: .disconnect) == [])
    #expect(controller.pdus().count == 5)
  }

  @Test("A lost completion reduces the buffers by one")
  func oneLost() {
    let controller: ScriptedController<1> = controller(buffers: 2, links: 1)
    controller.send([0x0A, 0x16, 0x00])
    controller.behaviour.completesPackets = true
    for _ in 0..<10 {
      controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
      controller.pass(milliseconds: 10_000)
    }
    #expect(controller.connectionCount == 1)
  }

  @Test("A value written by one central is notified to another at once")
  func relay() {
    let controller = ScriptedController<2>.connected()
    controller.subscribe(0x0E, 0x01, on: 0x41)
    controller.host.server.application.relayIndex = 1
    controller.run()
    for value: UInt8 in [7, 8] {
      controller.send([0x52, 0x0D, 0x00, value], on: 0x40)
      #expect(controller.pdus(on: 0x41).last == [0x1B, 0x0D, 0x00, value])
    }
  }
}
