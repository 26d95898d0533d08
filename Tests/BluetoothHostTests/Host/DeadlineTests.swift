import BluetoothHost
import Testing

/// A wait of the host with a time limit.
private struct Wait: CustomTestStringConvertible, Sendable {
  typealias Step = @Sendable (ScriptedController<5>) -> Void

  let testDescription: String
  /// The limit in milliseconds.
  let length: UInt32
  let begin: @Sendable (ScriptedController<5>, _ connectionIndex: Int) -> Void
  /// Ends the wait before its limit.
  let end: Step
  /// The next deadline in milliseconds from the expiry; `nil` for none.
  let next: UInt32?

  init(
    _ label: String, _ length: UInt32, then next: UInt32? = nil,
    begin: @escaping @Sendable (ScriptedController<5>, _ connectionIndex: Int) -> Void,
    end: @escaping Step
  ) {
    testDescription = label
    self.length = length
    self.begin = begin
    self.end = end
    self.next = next
  }
}

/// The waits of the link 0x40.
private let linkWaits = [
  Wait("the pause before a request for connection parameters", 5_000) { controller, _ in
    controller.connect(interval: 80)
  } end: {
    $0.disconnect()
  },
  Wait("a confirmation", 30_000) { controller, connectionIndex in
    controller.connect()
    controller.indicate(at: connectionIndex)
  } end: {
    $0.send([0x1E])
  },
  // 72 × 10 = 720 ms of supervision + 2 s.
  Wait("a buffer", 2_720) { controller, _ in
    controller.connect()
    controller.takeBuffer()
  } end: {
    $0.completePackets(of: 0x40)
  },
  // 720 ms of supervision + 2 × 2 s. Then the controller is reset at once.
  Wait("the end of a link", 4_720, then: 0) { controller, connectionIndex in
    controller.connect()
    controller.behaviour.completesDisconnections = false
    controller.indicate(at: connectionIndex)
    controller.pass(milliseconds: 30_000)
  } end: {
    $0.disconnect()
  },
]

/// The waits of the controller.
private let controllerWaits = [
  Wait("the answer to a command", 2_000) { controller, _ in
    controller.connect()
    controller.behaviour.unanswered = .leLongTermKeyRequestNegativeReply
    controller.requestKey()
  } end: {
    $0.complete(.leLongTermKeyRequestNegativeReply, [0x00, 0x40, 0x00])
  },
  Wait("command credits", 2_000) { controller, _ in
    controller.holdCommands()
  } end: {
    $0.releaseCommands()
  },
  Wait("the Connection Complete of a link that has sent data", 2_000) { controller, _ in
    controller.send(.read, on: 0x77)
  } end: {
    $0.disconnect(0x77)
  },
  // After the second failure in a row; the first is answered at once.
  Wait("the pause before a reset", 250) { controller, _ in
    for _ in 0..<2 {
      controller.pass(milliseconds: 0)
      controller.receive([0x04, 0x10, 1, 0x42])
    }
  } end: {
    $0.host.radioLost()
  },
]

@Suite("Host: the deadline")
struct DeadlineTests {
  /// A controller with one buffer that does not answer Read RSSI, and a host without advertising:
  /// the host has no wait.
  private func quiet() -> ScriptedController<5> {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (27, 1)
    behaviour.unanswered = .readRSSI
    let controller = ScriptedController<5>(behaviour, service: nil)
    #expect(controller.deadline == nil)
    controller.connect()
    #expect(controller.deadline == controller.now.advanced(by: 60_000))
    controller.pass(milliseconds: 60_000)
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 2_000)
    controller.behaviour.unanswered = nil
    controller.disconnect()
    #expect(controller.deadline == nil)
    return controller
  }

  /// A controller with only this wait, and with as many other links as precede `connectionIndex`.
  private func waiting(for wait: Wait, at connectionIndex: Int) -> ScriptedController<5> {
    let controller = quiet()
    for other in 0..<connectionIndex { controller.connect(0x50 + UInt16(other)) }
    #expect(controller.deadline == nil)
    wait.begin(controller, connectionIndex)
    #expect(controller.deadline == controller.now.advanced(by: wait.length))
    return controller
  }

  @Test(
    "It is that of a link's only wait, at each index, and nil when the wait ends",
    arguments: linkWaits, 0..<5)
  fileprivate func linkWait(wait: Wait, connectionIndex: Int) {
    expectExpiry(of: wait, at: connectionIndex)
    expectEnd(of: wait, at: connectionIndex)
  }

  @Test(
    "It is that of the controller's only wait, and nil when the wait ends",
    arguments: controllerWaits)
  fileprivate func controllerWait(wait: Wait) {
    expectExpiry(of: wait, at: 0)
    expectEnd(of: wait, at: 0)
  }

  private func expectExpiry(of wait: Wait, at connectionIndex: Int) {
    let controller = waiting(for: wait, at: connectionIndex)
    let time = controller.deadline
    controller.pass(milliseconds: wait.length - 1)
    #expect(controller.deadline == time)
    controller.pass(milliseconds: 1)
    #expect(controller.deadline == wait.next.map { controller.now.advanced(by: $0) })
  }

  private func expectEnd(of wait: Wait, at connectionIndex: Int) {
    let controller = waiting(for: wait, at: connectionIndex)
    controller.pass(milliseconds: wait.length - 1)
    wait.end(controller)
    controller.run()
    #expect(controller.deadline == nil)
  }

  @Test("Links are checked after 60 s, advertising after 30 s, and the result after 2 s")
  func checks() {
    let controller = ScriptedController<5>()
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
    controller.connect()
    #expect(controller.deadline == controller.now.advanced(by: 60_000))
    controller.pass(milliseconds: 60_000)
    #expect(controller.deadline == controller.now.advanced(by: 60_000))
    controller.disconnect()
    #expect(controller.deadline == controller.now.advanced(by: 30_000))
    controller.isAdvertising = false
    controller.pass(milliseconds: 30_000)
    #expect(controller.deadline == controller.now.advanced(by: 2_000))
    controller.connect()
    #expect(controller.deadline == controller.now.advanced(by: 60_000))
  }

  /// A controller with every wait at once, and the end of each wait, the soonest first. Each begins
  /// 10 ms after the previous one.
  private func everything() -> (ScriptedController<5>, [(time: Instant, end: Wait.Step)]) {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (27, 1)
    behaviour.completesDisconnections = false
    behaviour.unanswered = .leLongTermKeyRequestNegativeReply
    let controller = ScriptedController<5>(behaviour, service: nil)
    var waits: [(time: Instant, end: Wait.Step)] = []
    func begin(_ length: UInt32, end: @escaping Wait.Step, _ begin: () -> Void) {
      controller.pass(milliseconds: 10)
      begin()
      waits.append((controller.now.advanced(by: length), end))
    }
    // 720 ms + 2 × 2 s. The check of the links begins here, too.
    begin(4_720) {
      $0.disconnect(0x40)
    } _: {
      controller.connect(0x40)
      controller.host.disconnectAll()
      controller.run()
    }
    waits.append((controller.now.advanced(by: 60_000), { $0.disconnect(0x43) }))
    begin(5_000) {
      $0.disconnect(0x41)
    } _: {
      controller.connect(0x41, interval: 80)
    }
    begin(30_000) {
      $0.send([0x1E], on: 0x42)
      $0.disconnect(0x42)
    } _: {
      controller.connect(0x42)
      controller.indicate(on: 0x42, at: 2)
    }
    begin(2_000) {
      $0.disconnect(0x77)
    } _: {
      controller.send(.read, on: 0x77)
    }
    begin(2_000) {
      $0.complete(.leLongTermKeyRequestNegativeReply, [0x00, 0x42, 0x00])
    } _: {
      controller.requestKey(of: 0x42)
    }
    // 100 × 10 = 1 s of supervision + 2 s.
    begin(3_000) {
      $0.completePackets(of: 0x43)
    } _: {
      controller.connect(0x43, timeout: 100)
      controller.takeBuffer(on: 0x43)
    }
    return (controller, waits.sorted { $0.time < $1.time })
  }

  @Test("It is the soonest of several; when that wait ends, the next")
  func soonestFirst() {
    let (controller, waits) = everything()
    #expect(waits.count == 7)
    for wait in waits {
      #expect(controller.deadline == wait.time)
      wait.end(controller)
      controller.run()
    }
    #expect(controller.deadline == nil)
  }

  @Test("Waits that end before the soonest one do not change it")
  func soonestLast() {
    let (controller, waits) = everything()
    // The check of the links ends with the last of them.
    for wait in waits[1..<6].reversed() {
      wait.end(controller)
      controller.run()
      #expect(controller.deadline == waits[0].time)
    }
    waits[0].end(controller)
    controller.run()
    #expect(controller.deadline == waits[6].time)
  }
}
