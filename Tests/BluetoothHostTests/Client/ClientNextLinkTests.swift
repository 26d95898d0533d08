import BluetoothHost
import Expectations

/// How a link of a central ends before the next one.
private struct Passage: CustomTestStringConvertible, Sendable {
  enum Ending: String, CaseIterable {
    case disconnection = "Disconnection Complete"
    case reset = "a Hardware Error"
  }

  var ending: Ending
  var reusesHandle: Bool

  var testDescription: String {
    "\(ending.rawValue), then \(reusesHandle ? "the same" : "another") handle"
  }

  static let all = Ending.allCases.flatMap { ending in
    [false, true].map { Passage(ending: ending, reusesHandle: $0) }
  }
}

@Suite("A client's next link at an index")
struct ClientNextLinkTests {
  /// A capacity of one connection, one buffer, data length extension and 2M PHY.
  private func central() -> ScriptedCentral<1> {
    .connected {
      $0.leBuffers = (27, 1)
      $0.features = 0x120
    }
  }

  @Test("It inherits no state from the last link", arguments: LinkState.ofClients, Passage.all)
  private func nothing(state: LinkState, passage: Passage) throws {
    let central = central()
    try state.enter(central)
    finish(state, passage, on: central)
    central.reusesHandle = passage.reusesHandle
    expectNew(on: central)
  }

  /// Ends the link, and restores the controller.
  private func finish(_ state: LinkState, _ passage: Passage, on central: ScriptedCentral<1>) {
    _ = central.takeEvents()
    central.script = { _, _ in nil }
    central.forgetWhatWasSent()
    var expected: [Collector.Event] = []
    if let operation = state.operation { expected.append(.ended(operation, .disconnected)) }
    switch passage.ending {
    case .disconnection:
      central.receive(Events.disconnected(central.lastHandle, reason: 0x08))
      expected.append(.disconnected(0, .connectionTimeout))
    case .reset:
      central.receive([0x04, 0x10, 1, 0x42])
      expected += [.disconnected(0, .hardwareFailure), .radio(.fault(.hardwareError(0x42)))]
    }
    expect(central.takeEvents(), is: expected)
    central.completesPackets = true
    central.completesDisconnections = true
    central.releaseCommands()
    central.pass(milliseconds: 0)
    expect(central.connectionCount, is: 0)
    expect(central.radio, is: .silent)
    expect(central.deadline, is: nil)
    expect(central.aclPackets, is: [])
    for opcode in [.disconnect, .readRSSI, .leConnectionUpdate] as [HCIOpcode] {
      expect(central.parameters(of: opcode), is: [])
    }
    _ = central.takeEvents()
    central.forgetWhatWasSent()
  }

  /// Connects the next link, and checks that it inherits no state.
  private func expectNew(on central: ScriptedCentral<1>) {
    // What the host does without a request.
    expect(central.connect(to: .numbered(3)))
    expect(central.takeEvents(), is: [.connected(0, .numbered(3), .central)])
    expect(central.commands, is: [.leCreateConnection, .leSetDataLength, .leSetPHY])
    expect(central.frames, is: [])
    let check = central.now.advanced(by: 60_000)
    expect(central.deadline, is: check)
    expect(central.mtu(), is: 23)
    expect(central.host.operation(at: 0), is: nil)
    // The rest of a frame, and a response: this link expects neither.
    let handle = Array(little: central.lastHandle)
    central.receive([0x02, handle[0], handle[1] | 0x10, 4, 0, 7, 0, 1, 2])
    central.send([0x0B, 1])
    expect(central.takeEvents(), is: [])
    expect(central.frames, is: [])
    // A value is read from its beginning.
    central.perform(.read(.nine), sends: [0x0A, 9, 0])
    expect(central.deadline, is: central.now.advanced(by: 30_000))
    // 23 (MTU) − 1 (opcode) = 22
    central.send([0x0B] + [UInt8](counting: 22))
    expect(central.pdus(on: central.lastHandle), is: [[0x0C, 9, 0, 22, 0]])
    central.send([0x0D])
    expect(central.takeEvents().value, is: [UInt8](counting: 22))
    expect(central.deadline, is: check)
    // A value is prepared from its beginning, and reports its own refusal.
    let value: [UInt8] = [UInt8](repeating: 9, count: 40)
    central.perform(
      .write(.nine, byteCount: 40), writing: value, sends: [0x16, 9, 0, 0, 0] + value.prefix(18))
    central.send(error(0x16, 9, .writeNotPermitted))
    expect(
      central.takeEvents().endings,
      is: [
        .refused(
          ErrorResponse(request: .prepareWriteRequest, handle: .nine, code: .writeNotPermitted))
      ])
    central.perform(.discoverServices, sends: [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
    expect(central.connectionCount, is: 1)
  }
}

extension AttributeHandle {
  fileprivate static let nine = AttributeHandle(rawValue: 9)
}

extension ScriptedController {
  /// Begins an operation, and checks that it sends only `request`.
  fileprivate func perform(
    _ operation: ClientOperation, writing value: [UInt8] = [], sends request: [UInt8],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    forgetWhatWasSent()
    expect(perform(operation, writing: value), sourceLocation: sourceLocation)
    expect(pdus(on: lastHandle), is: [request], sourceLocation: sourceLocation)
    forgetWhatWasSent()
  }
}
