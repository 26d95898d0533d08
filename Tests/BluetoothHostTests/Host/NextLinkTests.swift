import BluetoothHost
import Expectations

/// How a link ends before the next one begins.
private struct Passage: CustomTestStringConvertible, Sendable {
  enum Ending: String, CaseIterable {
    case disconnection = "Disconnection Complete"
    case replacement = "another Connection Complete for its handle"
    case reset = "a Hardware Error"
  }

  var ending: Ending
  /// The handle of the next link; the last one had 0x40.
  var handle: UInt16
  /// Whether the first request of the next link comes before its Connection Complete.
  var isEarly: Bool

  var testDescription: String {
    "\(ending.rawValue), then \(handle == 0x40 ? "the same" : "another") handle"
      + (isEarly ? ", data first" : "")
  }

  static let all: [Passage] = Ending.allCases.flatMap { ending in
    ending == .replacement
      ? [Passage(ending: ending, handle: 0x40, isEarly: false)]
      : [0x40, 0x41].flatMap { handle in
        [false, true].map { Passage(ending: ending, handle: handle, isEarly: $0) }
      }
  }
}

/// A link's state, and how it ends.
private struct End: CustomTestStringConvertible, Sendable {
  var state: LinkState
  var passage: Passage

  var testDescription: String { "\(state.testDescription); \(passage.testDescription)" }

  static let all = LinkState.all.flatMap { state in
    Passage.all
      .filter { state.hasLink || $0.ending != .replacement }
      .map { End(state: state, passage: $0) }
  }
}

/// Commands for one link.
private let linkCommands: [HCIOpcode] = [
  .disconnect, .readRSSI, .leSetDataLength, .leSetPHY, .leLongTermKeyRequestNegativeReply,
  .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
]

/// A capacity of one connection, one buffer, data length extension and 2M PHY, and an idle limit of
/// three minutes.
private func singleConnection() -> ScriptedPeripheral<1> {
  var behaviour = ControllerBehaviour()
  behaviour.features = 0x120
  behaviour.leBuffers = (27, 1)
  let controller = ScriptedPeripheral<1>(behaviour, idleLimit: 3)
  controller.application.values[0] = [UInt8](counting: 100)
  controller.forgetWhatWasSent()
  return controller
}

@Suite("Host: the next link at an index")
struct NextLinkTests {
  @Test("It inherits no state from the last link", arguments: End.all)
  fileprivate func nothing(end: End) throws {
    let controller = singleConnection()
    try end.state.enter(controller)
    finish(end.passage, on: controller)
    begin(end.passage, on: controller)
    expectNew(end.passage.handle, isEarly: end.passage.isEarly, on: controller)
  }

  @Test("The first link at an index has no state", arguments: [false, true])
  func first(isEarly: Bool) {
    let controller = singleConnection()
    begin(Passage(ending: .disconnection, handle: 0x40, isEarly: isEarly), on: controller)
    expectNew(0x40, isEarly: isEarly, on: controller)
  }

  /// Ends the link 0x40, and restores the controller and the application.
  private func finish(_ passage: Passage, on controller: ScriptedPeripheral<1>) {
    controller.behaviour.completesPackets = true
    controller.behaviour.completesDisconnections = true
    controller.application.isBusy = false
    controller.forgetWhatWasSent()
    switch passage.ending {
    case .disconnection: controller.disconnect()
    case .reset: controller.receive([0x04, 0x10, 1, 0x42])
    case .replacement: return
    }
    controller.releaseCommands()
    controller.pass(milliseconds: 0)
    expect(controller.connectionCount, is: 0)
    expect(controller.radio, is: .advertising)
    expect(controller.aclPackets, is: [])
    expect(!controller.commands.contains(where: linkCommands.contains))
    // The check of the advertising.
    expect(controller.deadline, is: controller.now.advanced(by: 30_000))
    controller.forgetWhatWasSent()
  }

  /// Begins the next link.
  private func begin(_ passage: Passage, on controller: ScriptedPeripheral<1>) {
    if passage.isEarly {
      // A subscription to Service Changed.
      controller.send([0x12, 0x07, 0x00, 0x02, 0x00], on: passage.handle)
      expect(controller.frames, is: [])
    }
    controller.connect(passage.handle)
    if passage.ending == .replacement { controller.releaseCommands() }
  }

  /// Checks that the link inherits no state.
  private func expectNew(_ handle: UInt16, isEarly: Bool, on controller: ScriptedPeripheral<1>) {
    let link = Array(little: handle)
    func expectFrames(_ payloads: [UInt8]...) {
      let expected = payloads.map { Frame(handle: handle, channel: 0x0004, payload: $0) }
      expect(controller.frames, is: expected)
      controller.forgetWhatWasSent()
    }
    // What the host does without a request.
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
    expect(controller.commandPackets.map { $0[4..<6] }, is: [link[...], link[...]])
    expect(controller.commands, is: [.leSetDataLength, .leSetPHY])
    if isEarly { expectFrames([0x13]) } else { expectFrames() }
    expect(controller.writes, is: [])
    // A minute of silence: the first of three.
    controller.pass(milliseconds: 60_000)
    expect(controller.commands, is: isEarly ? [] : [.readRSSI])
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
    // A frame begins new, and the central has no subscriptions.
    controller.receive(controller.acl([0x16, 0x00], on: handle, boundary: 0b01))
    controller.resume(at: 0)
    expectFrames()
    controller.exchange([0x0A, 0x07, 0x00], gives: [0x0B, isEarly ? 2 : 0, 0], on: handle)
    controller.exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 0, 0], on: handle)
    controller.exchange([0x0A, 0x11, 0x00], gives: [0x0B, 0, 0], on: handle)
    controller.exchange([0x0A, 0x09, 0x00], gives: [0x0B, 0], on: handle)
    // 23 (MTU) − 1 (opcode) = 22
    controller.exchange([0x0A, 0x0D, 0x00], gives: [0x0B] + Array(counting: 22), on: handle)
    // The prepare queue is empty.
    controller.exchange([0x18, 0x01], gives: [0x19], on: handle)
    expect(controller.writes, is: [])
    // 0x0100 is beyond the end of the value.
    controller.exchange(
      [0x16, 0x0D, 0x00, 0, 1, 9], gives: [0x17, 0x0D, 0x00, 0, 1, 9], on: handle)
    controller.exchange([0x18, 0x01], gives: error(0x18, 0x0D, .invalidOffset), on: handle)
    // The central is change-aware, and no confirmation is pending.
    controller.subscribe(0x09, nil, on: handle)
    controller.exchange(.read, gives: [0x0B, 0x64], on: handle)
    controller.subscribe(0x0E, 0x01, on: handle)
    controller.forgetWhatWasSent()
    controller.update(.text, [0x05])
    expectFrames([0x1B, 0x0D, 0x00, 0x05])
    expect(controller.deadline, is: controller.now.advanced(by: 60_000))
    expect(controller.connectionCount, is: 1)
  }
}
