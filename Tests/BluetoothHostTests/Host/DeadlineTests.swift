import BluetoothHost
import Expectations

/// A wait of the host with a time limit.
private struct Wait: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The limit in milliseconds.
  let length: UInt32
  /// The next deadline in milliseconds from the expiry; `nil` for none.
  let next: UInt32?
  private let steps: [Step<ScriptedController>]
  private let lastStep: Step<ScriptedController>

  init(
    _ label: String, _ length: UInt32, then next: UInt32? = nil,
    _ steps: Step<ScriptedController>..., end: Step<ScriptedController>
  ) {
    testDescription = label
    self.length = length
    self.next = next
    self.steps = steps
    lastStep = end
  }

  func begin(_ host: ScriptedController) throws { for step in steps { try step.take(host) } }

  /// Ends the wait before its limit.
  func end(_ host: ScriptedController) throws {
    try lastStep.take(host)
    host.run()
  }
}

extension Step where Subject == ScriptedController {
  /// The central of the newest link gets an indication, which it does not confirm.
  fileprivate static func indicate(on handle: UInt16) -> Step {
    Step { $0.indicate(on: handle, at: $0.connectionCount - 1) }
  }
}

/// The waits of the link 0x40.
private let linkWaits = [
  Wait(
    "the pause before a request for connection parameters", 5_000,
    .connect(interval: 80), end: .disconnect()),
  Wait("a confirmation", 30_000, .connect(), .indicate(on: 0x40), end: .send([0x1E])),
  // 72 × 10 = 720 ms of supervision + 2 s.
  Wait("a buffer", 2_720, .connect(), .takeBuffer(), end: .completePackets(of: 0x40)),
  // 720 ms of supervision + 2 × 2 s. Then the controller is reset at once.
  Wait(
    "the end of a link", 4_720, then: 0,
    .connect(), .set(\.completesDisconnections, false), .indicate(on: 0x40), .pass(30_000),
    end: .disconnect()),
]

/// The waits of the controller.
private let controllerWaits = [
  Wait(
    "the answer to a command", 2_000,
    .connect(), .set(\.unanswered, .leLongTermKeyRequestNegativeReply), .requestKey(),
    end: .complete(.leLongTermKeyRequestNegativeReply, [0x00, 0x40, 0x00])),
  Wait("command credits", 2_000, .holdCommands, end: .also { $0.releaseCommands() }),
  Wait(
    "the Connection Complete of a link that has sent data", 2_000, .send(.read, on: 0x77),
    end: .disconnect(0x77)),
  // After the second failure in a row; the first is answered at once.
  Wait(
    "the pause before a reset", 250, .repeat(2, .pass(0), .receive([0x04, 0x10, 1, 0x42])),
    end: .radioLost),
]

/// Waits that are under way together.
private let together = [
  Wait("the check of the links", 60_000, .connect(0x40), end: .disconnect(0x43)),
  // 720 ms + 2 × 2 s.
  Wait("the end of a link", 4_720, .disconnectAll, .run, end: .disconnect(0x40)),
  Wait(
    "the pause before a request for connection parameters", 5_000,
    .connect(0x41, interval: 80), end: .disconnect(0x41)),
  Wait(
    "a confirmation", 30_000, .connect(0x42), .indicate(on: 0x42),
    end: .also {
      $0.send([0x1E], on: 0x42)
      $0.disconnect(0x42)
    }),
  Wait("a Connection Complete", 2_000, .send(.read, on: 0x77), end: .disconnect(0x77)),
  Wait(
    "the answer to a command", 2_000, .also { $0.requestKey(of: 0x42) },
    end: .complete(.leLongTermKeyRequestNegativeReply, [0x00, 0x42, 0x00])),
  // 100 × 10 = 1 s of supervision + 2 s.
  Wait(
    "a buffer", 3_000, .connect(0x43, timeout: 100), .also { $0.takeBuffer(on: 0x43) },
    end: .completePackets(of: 0x43)),
]

@Suite("Host: the deadline")
struct DeadlineTests {
  /// A controller with one buffer that does not answer Read RSSI, and a host without advertising:
  /// the host has no wait.
  private func quiet() -> ScriptedPeripheral<5> {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (27, 1)
    behaviour.unanswered = .readRSSI
    let controller = ScriptedPeripheral<5>(behaviour, service: nil)
    expect(controller.deadline, is: nil)
    controller.connect()
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
    controller.pass(milliseconds: 60_000)
    expect(controller.deadline, is: controller.now.advanced(by: 2_000))
    controller.pass(milliseconds: 2_000)
    controller.behaviour.unanswered = nil
    controller.disconnect()
    expect(controller.deadline, is: nil)
    return controller
  }

  /// A controller with only this wait, and with as many other links as precede `connectionIndex`.
  private func waiting(for wait: Wait, at connectionIndex: Int) throws -> ScriptedPeripheral<5> {
    let controller = quiet()
    for other in 0..<connectionIndex { controller.connect(0x50 + UInt16(other)) }
    expect(controller.deadline, is: nil)
    try wait.begin(controller)
    let time = controller.now.advanced(by: wait.length)
    expect(controller.deadline, is: time)
    controller.pass(milliseconds: wait.length - 1)
    expect(controller.deadline, is: time)
    return controller
  }

  private func expectWait(_ wait: Wait, at connectionIndex: Int) throws {
    let expiring = try waiting(for: wait, at: connectionIndex)
    expiring.pass(milliseconds: 1)
    expect(expiring.deadline, is: wait.next.map { expiring.now.advanced(by: $0) })
    let ending = try waiting(for: wait, at: connectionIndex)
    try wait.end(ending)
    expect(ending.deadline, is: nil)
  }

  @Test(
    "It is that of a link's only wait, at each index, and nil when the wait ends",
    arguments: linkWaits, 0..<5)
  fileprivate func linkWait(wait: Wait, connectionIndex: Int) throws {
    try expectWait(wait, at: connectionIndex)
  }

  @Test(
    "It is that of the controller's only wait, and nil when the wait ends",
    arguments: controllerWaits)
  fileprivate func controllerWait(wait: Wait) throws { try expectWait(wait, at: 0) }

  @Test("Links are checked after 60 s, advertising after 30 s, and the result after 2 s")
  func checks() {
    let controller = ScriptedPeripheral<5>()
    expect(controller.deadline, is: controller.now.advanced(by: 30_000))
    controller.connect()
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
    controller.pass(milliseconds: 60_000)
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
    controller.disconnect()
    expect(controller.deadline, is: controller.now.advanced(by: 30_000))
    controller.isAdvertising = false
    controller.pass(milliseconds: 30_000)
    expect(controller.deadline, is: controller.now.advanced(by: 2_000))
    controller.connect()
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
  }

  /// A controller with every wait at once, and the waits with their limits, the soonest first. Each
  /// begins 10 ms after the previous one.
  private func everything() throws -> (ScriptedPeripheral<5>, [(time: Instant, wait: Wait)]) {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (27, 1)
    behaviour.completesDisconnections = false
    behaviour.unanswered = .leLongTermKeyRequestNegativeReply
    let controller = ScriptedPeripheral<5>(behaviour, service: nil)
    let waits = try together.map { wait in
      controller.pass(milliseconds: 10)
      try wait.begin(controller)
      return (time: controller.now.advanced(by: wait.length), wait: wait)
    }
    return (controller, waits.sorted { $0.time < $1.time })
  }

  @Test("It is the soonest of several; when that wait ends, the next")
  func soonestFirst() throws {
    let (controller, waits) = try everything()
    for (time, wait) in waits {
      expect(controller.deadline, is: time)
      try wait.end(controller)
    }
    expect(controller.deadline, is: nil)
  }

  @Test("Waits that end before the soonest one do not change it")
  func soonestLast() throws {
    let (controller, waits) = try everything()
    // The check of the links ends with the last of them.
    for (_, wait) in waits[1..<6].reversed() {
      try wait.end(controller)
      expect(controller.deadline, is: waits[0].time)
    }
    try waits[0].wait.end(controller)
    expect(controller.deadline, is: waits[6].time)
  }
}
