import Testing

@testable import BluetoothHost

/// Symptom: one central that took none of its data held all eight buffers, and three others got
/// nothing for 34 s.
@Suite("Host: fair shares of the controller's buffers")
struct FairShareTests {
  /// Eight buffers, four places, and `links` centrals, the first of which takes nothing; each packet
  /// of the others leaves at once.
  private func controller(links: UInt16, buffers: UInt8 = 8) -> ScriptedController<4> {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (27, buffers)
    behaviour.forgetsPacketsOf = 0x40
    let controller = ScriptedController<4>(behaviour)
    for link in 0..<links { controller.connect(0x40 + link, timeout: 3_200) }
    return controller
  }

  /// The first central asks until it gets no more answers.
  private func exhaust(_ controller: ScriptedController<4>) {
    for _ in 0..<60 { controller.send([0x0A, 0x16, 0x00]) }
  }

  private let read: [UInt8] = [0x0A, 0x16, 0x00]

  @Test(
    "A link has all buffers but one for each link that has none",
    arguments: 1...4 as ClosedRange<UInt16>)
  func share(links: UInt16) {
    let controller = controller(links: links)
    exhaust(controller)
    // 8 less the other links, or less one for a link that may come while there is a place.
    let others = Int(links) - 1 + (links < 4 ? 1 : 0)
    #expect(controller.pdus().count == 8 - others)
    for link in 1..<max(1, links) {
      for _ in 0..<20 { controller.expect(read, gives: [0x0B, 0x64], on: 0x40 + link) }
    }
  }

  @Test("A central that comes later is served, too", arguments: [2, 3, 8])
  func newcomers(buffers: UInt8) {
    let controller = controller(links: 1, buffers: buffers)
    exhaust(controller)
    for link in 1..<4 as Range<UInt16> {
      controller.connect(0x40 + link)
      for _ in 0..<20 { controller.expect(read, gives: [0x0B, 0x64], on: 0x40 + link) }
    }
  }

  @Test("One that frees a packet now and then does not starve the others")
  func dripping() {
    let controller = controller(links: 4)
    for _ in 0..<20 {
      exhaust(controller)
      for link in 1..<4 as Range<UInt16> {
        controller.expect(read, gives: [0x0B, 0x64], on: 0x40 + link)
      }
      controller.pass(milliseconds: 3_000)
      controller.completePackets(of: 0x40)
      controller.run()
    }
    #expect(controller.connectionCount == 4)
  }

  @Test("A link that has used its share and has more to send is ended by its own clock")
  func clock() {
    let controller = controller(links: 4)
    exhaust(controller)
    // 3,200 × 10 = 32 s of supervision, and 2 s of patience.
    controller.pass(milliseconds: 33_999)
    #expect(controller.parameters(of: .disconnect) == [])
    // What happens on other links does not wind it up.
    controller.expect(read, gives: [0x0B, 0x64], on: 0x41)
    controller.pass(milliseconds: 1)
    #expect(controller.parameters(of: .disconnect) == [[0x40, 0x00, 0x13]])
    #expect(controller.connectionCount == 3)
    controller.expect(read, gives: [0x0B, 0x64], on: 0x41)
  }

  /// What a link can have to send when it has used its share of five packets, as `exhaust` shows for
  /// a response.
  private static let more: [Row<@Sendable (ScriptedController<4>) -> Void>] = [
    Row("the rest of a response") { controller in
      controller.exchangeMTU(100)
      for _ in 0..<3 { controller.send(.read) }
      controller.host.server.application.values[0] = [UInt8](counting: 100)
      controller.send([0x0A, 0x0D, 0x00])
    },
    Row("an answer to pairing") { controller in
      for _ in 0..<5 { controller.send(.read) }
      controller.send([0x01, 3, 0, 1, 16, 0, 0], channel: 0x0006)
    },
    Row("Service Changed") { controller in
      controller.subscribe(0x07, 0x02)
      for _ in 0..<4 { controller.send(.read) }
      controller.changeServices()
    },
    Row("a value") { controller in
      controller.subscribe(0x0E, 0x01)
      for _ in 0..<4 { controller.send(.read) }
      controller.update(.text, [0x01])
    },
  ]

  @Test("Whatever it has more to send, its clock runs", arguments: more)
  func clock(more: Row<@Sendable (ScriptedController<4>) -> Void>) {
    let controller = controller(links: 4)
    more.value(controller)
    #expect(controller.aclPackets.count == 5)
    #expect(controller.deadline == controller.now.advanced(by: 34_000))
  }

  @Test("A link that has used its share and has nothing more to send is left alone")
  func content() {
    let controller = controller(links: 4)
    for _ in 0..<5 { controller.send(read) }
    #expect(controller.pdus().count == 5)
    controller.pass(milliseconds: 50_000)
    #expect(controller.connectionCount == 4)
  }

  @Test("The next link in a place has a clock and a share of its own")
  func nextLink() {
    let controller = controller(links: 4)
    exhaust(controller)
    controller.disconnect()
    controller.behaviour.forgetsPacketsOf = nil
    controller.connect(0x40, timeout: 3_200)
    controller.pass(milliseconds: 34_000)
    #expect(controller.parameters(of: .disconnect) == [])
    for _ in 0..<20 { controller.expect(read, gives: [0x0B, 0x64]) }
  }
}
