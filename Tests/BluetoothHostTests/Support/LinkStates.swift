import BluetoothHost
import Expectations

/// State that a link has when it ends.
struct LinkState: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Whether there is a link; if not, its data have come before its Connection Complete.
  let hasLink: Bool
  /// A client's operation under way; `nil` for none.
  let operation: ClientOperation?
  /// Bring the first link into the state, and check that.
  private let steps: [Step<ScriptedController>]

  init(
    _ label: String, hasLink: Bool = true, during operation: ClientOperation? = nil,
    _ steps: Step<ScriptedController>...
  ) {
    testDescription = label
    self.hasLink = hasLink
    self.operation = operation
    self.steps = steps
  }

  func enter(_ host: ScriptedController) throws { for step in steps { try step.take(host) } }

  /// The states of a server's link. `connect` without parameters makes a link with an interval of
  /// 30 ms, for which the host requests no update.
  static let all: [LinkState] = incoming + outgoing + commands + timers + attributes

  private static let incoming: [LinkState] = [
    LinkState(
      "data before its Connection Complete", hasLink: false, .send(.read), .deadline(2_000)),
    // The L2CAP header and the opcode of a Read Request.
    LinkState(
      "half of a frame",
      .connect(), .receive([0x02, 0x40, 0x20, 5, 0, 3, 0, 0x04, 0x00, 0x0A]), .frames()),
    LinkState(
      "two minutes of silence", .connect(), .repeat(2, .pass(60_000)), .count(of: .readRSSI, 2)),
    LinkState("data since the last check", .connect(), .read()),
    LinkState(
      "a request that the application defers",
      .connect(), .set(application: \.isBusy, true), .ignore([0x0A, 0x0D, 0x00])),
  ]

  // Data to send.
  private static let outgoing: [LinkState] = [
    // 72 × 10 = 720 ms of supervision + 2 s.
    LinkState(
      "a packet in the controller, and the deadline of a stalled link",
      .connect(), .takeBuffer(), .deadline(2_720)),
    LinkState(
      "a response that waits for a buffer",
      .connect(), .takeBuffer(), .ignore([0x0A, 0x0D, 0x00])),
    // The MTU's response, and the first 27 of 4 + 100 bytes.
    LinkState(
      "a response half sent",
      .connect(), .exchangeMTU(100), .set(\.completesPackets, false),
      .ignore([0x0A, 0x0D, 0x00]), .packets(2)),
    // Two responses, and the first 27 of 4 + 3 + 50 bytes.
    LinkState(
      "a notification half sent",
      .connect(), .exchangeMTU(100), .subscribe(0x0E, 0x01), .set(\.completesPackets, false),
      .update(.text, [UInt8](counting: 50)), .packets(3), .pduCount(2)),
    // Disconnection Request, to which the answer is a Command Reject.
    LinkState(
      "a signalling response",
      .connect(), .takeBuffer(),
      .ignore([0x06, 1, 4, 0, 0x40, 0, 0x41, 0], channel: 0x0005)),
    LinkState(
      "a pairing response",
      .connect(), .takeBuffer(), .ignore([0x01, 3, 0, 1, 16, 0, 0], channel: 0x0006)),
    // The next deadline is that of the stalled link: 32 s of supervision + 2 s − 5 s.
    LinkState(
      "a request for other connection parameters",
      .connect(interval: 80, timeout: 3_200), .takeBuffer(), .pass(5_000), .deadline(29_000),
      .frames(channel: 0x0005)),
    LinkState(
      "Service Changed, which waits for a confirmation",
      .connect(), .subscribe(0x07, 0x02), .indicate(), .changeServices,
      .lastPDU([0x1D, 0x10, 0x00, 0x07])),
  ]

  // Pending commands.
  private static let commands: [LinkState] = [
    LinkState("the data length and the PHY", .holdCommands, .connect(), .commands()),
    LinkState(
      "a key refusal",
      .connect(), .holdCommands, .requestKey(), .sent(.leLongTermKeyRequestNegativeReply)),
    LinkState(
      "connection parameters that are accepted",
      .connect(), .holdCommands,
      .receive([0x04, 0x3E, 11, 0x06, 0x40, 0x00, 6, 0, 12, 0, 1, 0, 0x90, 0x01]),
      .sent(.leRemoteConnectionParameterRequestReply)),
    // An interval of 5 × 1.25 ms is too short.
    LinkState(
      "connection parameters that are refused",
      .connect(), .holdCommands,
      .receive([0x04, 0x3E, 11, 0x06, 0x40, 0x00, 5, 0, 12, 0, 1, 0, 0x90, 0x01]),
      .sent(.leRemoteConnectionParameterRequestNegativeReply)),
    LinkState(
      "a check after a minute of silence",
      .connect(), .pass(59_999), .holdCommands, .pass(1), .sent(.readRSSI)),
    LinkState(
      "a Disconnect",
      .connect(), .indicate(), .pass(29_999), .holdCommands, .pass(1), .sent(.disconnect)),
  ]

  private static let timers: [LinkState] = [
    LinkState(
      "the pause before other connection parameters are asked for",
      .connect(interval: 80), .deadline(5_000)),
    LinkState("an indication that is not confirmed", .connect(), .indicate(), .deadline(30_000)),
    // 720 ms of supervision + 2 × 2 s.
    LinkState(
      "a Disconnect that the controller has",
      .connect(), .set(\.completesDisconnections, false), .indicate(), .pass(30_000),
      .count(of: .disconnect, 1), .deadline(4_720)),
  ]

  // State of the attribute server.
  private static let attributes: [LinkState] = [
    LinkState(
      "Service Changed, which is not confirmed",
      .connect(), .subscribe(0x07, 0x02), .changeServices,
      .lastPDU([0x1D, 0x06, 0x00, 0x19, 0x00, 0x1B, 0x00])),
    LinkState("parts of a value", .connect(), .prepare(0x0D, 0, [8, 9])),
    LinkState(
      "a long MTU",
      .connect(), .exchangeMTU(100),
      .exchange([0x0A, 0x0D, 0x00], gives: [0x0B] + [UInt8](counting: 99))),
    LinkState(
      "subscriptions",
      .connect(), .subscribe(0x07, 0x02), .subscribe(0x0E, 0x01), .subscribe(0x11, 0x03)),
    LinkState("Client Supported Features", .connect(), .subscribe(0x09, nil)),
    LinkState(
      "a change of services, which makes it change-unaware",
      .connect(), .subscribe(0x09, nil), .changeServices, .ignore([0x52, 0x0D, 0x00, 1]),
      .writes()),
  ]
}

extension [UInt8] {
  /// A Read Request for a value of one byte, 0x64.
  static let read: [UInt8] = [0x0A, 0x16, 0x00]
}

// Actions that bring a link of a server into a state.
extension ScriptedController {
  /// Checks the responses to one ATT PDU.
  func exchange(
    _ request: [UInt8], gives responses: [UInt8]..., on handle: UInt16 = 0x40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) { expect(exchange(request, on: handle), is: responses, sourceLocation: sourceLocation) }

  /// A Prepare Write Request, which is echoed.
  func prepare(
    _ attribute: UInt16, _ offset: Int, _ part: some Sequence<UInt8>, on handle: UInt16 = 0x40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let parameters = words(attribute, UInt16(offset)) + part
    exchange(
      [0x16] + parameters, gives: [0x17] + parameters, on: handle, sourceLocation: sourceLocation)
  }

  /// A central exchanges the MTU.
  func exchangeMTU(_ mtu: UInt16, on handle: UInt16 = 0x40) {
    _ = exchange([0x02] + words(mtu), on: handle)
  }

  /// A response takes the controller's only buffer, and stays there.
  func takeBuffer(on handle: UInt16 = 0x40) {
    behaviour.completesPackets = false
    exchange(.read, gives: [0x0B, 0x64], on: handle)
  }

  /// The central writes a configuration; without a value, robust caching to Client Supported
  /// Features.
  func subscribe(_ configuration: UInt8, _ value: UInt8?, on handle: UInt16 = 0x40) {
    exchange(
      [0x12, configuration, 0x00] + (value.map { [$0, 0x00] } ?? [0x01]), gives: [0x13], on: handle)
  }

  /// The application updates a value for the central at `connectionIndex`.
  func update(_ attribute: ApplicationAttribute, _ value: [UInt8], at connectionIndex: Int = 0) {
    application.updates = [
      .init(connectionIndex: connectionIndex, attribute: attribute, value: value)
    ]
    run()
  }

  /// The central gets an indication, which it does not confirm.
  func indicate(on handle: UInt16 = 0x40, at connectionIndex: Int = 0) {
    subscribe(0x11, 0x02, on: handle)
    update(.level, [0x07], at: connectionIndex)
    expect(pdus(on: handle).last, is: [0x1D, 0x10, 0x00, 0x07])
  }

  /// The controller requests the link's key.
  func requestKey(of handle: UInt16 = 0x40) {
    receive([0x04, 0x3E, 13, 0x05] + words(handle) + [UInt8](repeating: 0xAA, count: 10))
  }

  /// The application answers what it has deferred on the first connection.
  func resume() {
    application.isBusy = false
    application.busyWith = nil
    resume(at: 0)
  }

  /// The last service of the test database changes.
  func changeServices() { run { databaseChanged(in: range(0x0019, 0x001B)) } }

  /// The values written, oldest first.
  var writes: [[UInt8]] {
    application.events.compactMap { if case .wrote(let value, _, _) = $0 { value } else { nil } }
  }

  var events: [TestApplication.Event] {
    get { application.events }
    set { application.events = newValue }
  }
}
