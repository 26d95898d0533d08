import BluetoothHost
import Expectations

/// A step of a scenario: an action, or a check that reports its failure at the step's line.
struct Step<Subject>: Sendable {
  let take: @Sendable (Subject) throws -> Void

  init(_ take: @escaping @Sendable (Subject) throws -> Void) { self.take = take }

  /// Checks that a value is the expected one.
  static func check<Value: Equatable & Sendable>(
    _ expected: Value, _ line: SourceLocation, _ value: @escaping @Sendable (Subject) -> Value
  ) -> Step {
    Step { subject in
      let found = value(subject)
      expect(found, is: expected, sourceLocation: line)
    }
  }

  static func `repeat`(_ count: Int, _ steps: Step...) -> Step {
    Step { subject in for _ in 0..<count { for step in steps { try step.take(subject) } } }
  }

  /// Anything else.
  static func also(_ take: @escaping @Sendable (Subject) throws -> Void) -> Step { Step(take) }
}

/// A row of a table of scenarios: its name, and its steps on a subject.
struct Scenario<Subject>: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The subject; `nil` for that of the table.
  private let make: (@Sendable () throws -> Subject)?
  private let steps: [Step<Subject>]

  init(
    _ label: String, on make: (@Sendable () throws -> Subject)? = nil, _ steps: Step<Subject>...
  ) {
    testDescription = label
    self.make = make
    self.steps = steps
  }

  /// Takes the steps; `usual` is the subject of the table.
  func run(on usual: @autoclosure () throws -> Subject) throws {
    let subject = try make?() ?? usual()
    for step in steps { try step.take(subject) }
  }
}

typealias HostScenario = Scenario<ScriptedController>

// Time, the controller and its links.
extension Step where Subject == ScriptedController {
  static func pass(_ milliseconds: UInt32) -> Step { Step { $0.pass(milliseconds: milliseconds) } }
  static var start: Step { Step { $0.start() } }
  static var run: Step { Step { $0.run() } }
  /// Forgets what the host has sent.
  static var forget: Step { Step { $0.forgetWhatWasSent() } }
  static func set<Value: Sendable>(
    _ path: WritableKeyPath<ControllerBehaviour, Value> & Sendable, _ value: Value
  ) -> Step { Step { $0.behaviour[keyPath: path] = value } }
  static func refuse(_ opcode: HCIOpcode, _ status: HCIErrorCode) -> Step {
    set(\.refused, (opcode, status))
  }
  /// The controller's answers from now on; `nil` for the usual ones.
  static func script(_ script: @escaping @Sendable (HCIOpcode, [UInt8]) -> [[UInt8]]?) -> Step {
    Step { $0.script = script }
  }
  static func isAdvertising(_ isAdvertising: Bool) -> Step {
    Step { $0.isAdvertising = isAdvertising }
  }
  static func receive(_ packet: [UInt8]) -> Step { Step { $0.receive(packet) } }
  /// An event with every number of its parameters but all.
  static func truncated(_ code: UInt8, _ parameters: [UInt8]) -> Step {
    Step { host in
      for cut in truncations(of: parameters) { host.receive([0x04, code, UInt8(cut.count)] + cut) }
    }
  }
  static func complete(_ opcode: HCIOpcode, _ results: [UInt8]) -> Step {
    Step { host in host.run { host.complete(opcode, results) } }
  }
  static func status(_ status: HCIErrorCode, of opcode: HCIOpcode) -> Step {
    Step { host in host.run { host.status(status, of: opcode) } }
  }
  static func completePackets(_ count: UInt16 = 1, of handle: UInt16? = nil) -> Step {
    Step { $0.completePackets(of: handle ?? $0.lastHandle, count: count) }
  }
  /// The controller answers the host's next packet.
  static var answerOne: Step { Step { host in host.nextPacket().map(host.answer) } }
  static var holdCommands: Step { Step { $0.holdCommands() } }
  static var radioLost: Step { Step { $0.radioLost() } }
  static var shutDown: Step { Step { $0.shutDown() } }
  static var disconnectAll: Step { Step { $0.disconnectAll() } }
  static func connect(
    _ handle: UInt16 = 0x40, status: UInt8 = 0, interval: UInt16 = 24, timeout: UInt16 = 72
  ) -> Step { Step { $0.connect(handle, status: status, interval: interval, timeout: timeout) } }
  static func disconnect(_ handle: UInt16? = nil, reason: UInt8 = 0x13) -> Step {
    Step { $0.disconnect(handle, reason: reason) }
  }
  static func send(_ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16? = nil) -> Step {
    Step { $0.send(payload, channel: channel, on: handle) }
  }
}

// What the host has done.
extension Step where Subject == ScriptedController {
  /// The next deadline, in milliseconds from now; `nil` for none.
  static func deadline(_ wait: UInt32?, at line: SourceLocation = #_sourceLocation) -> Step {
    Step { host in
      let expected = wait.map { host.now.advanced(by: $0) }
      expect(host.deadline, is: expected, sourceLocation: line)
    }
  }
  static func radio(_ state: RadioState, at line: SourceLocation = #_sourceLocation) -> Step {
    check(state, line) { $0.radio }
  }
  /// The number of links.
  static func links(_ count: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(count, line) { $0.connectionCount }
  }
  static func isShutDown(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.isShutDown }
  }
  /// All commands; the first or the last of them; their number.
  static func commands(_ all: HCIOpcode..., at line: SourceLocation = #_sourceLocation) -> Step {
    check(all, line) { $0.commands }
  }
  static func firstCommands(
    _ some: HCIOpcode..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(some, line) { Array($0.commands.prefix(some.count)) } }
  static func lastCommands(
    _ some: HCIOpcode..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(some, line) { Array($0.commands.suffix(some.count)) } }
  static func commandCount(_ count: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(count, line) { $0.commands.count }
  }
  /// The parameters of all such commands, or of the last; their number; whether there is one.
  static func sent(
    _ opcode: HCIOpcode, _ all: [UInt8]..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(all, line) { $0.parameters(of: opcode) } }
  static func lastSent(
    _ opcode: HCIOpcode, _ last: [UInt8], at line: SourceLocation = #_sourceLocation
  ) -> Step { check(last, line) { $0.parameters(of: opcode).last } }
  static func count(
    of opcode: HCIOpcode, _ count: Int, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(count, line) { $0.parameters(of: opcode).count } }
  static func has(
    _ opcode: HCIOpcode, _ isSo: Bool = true, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.commands.contains(opcode) } }
  /// The number of ACL packets.
  static func packets(_ count: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(count, line) { $0.aclPackets.count }
  }
  /// All ATT PDUs on a link, or the last; their number.
  static func pdus(
    _ all: [UInt8]..., on handle: UInt16 = 0x40, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(all, line) { $0.pdus(on: handle) } }
  static func lastPDU(
    _ last: [UInt8], on handle: UInt16 = 0x40, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(last, line) { $0.pdus(on: handle).last } }
  static func pduCount(
    _ count: Int, on handle: UInt16 = 0x40, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(count, line) { $0.pdus(on: handle).count } }
  /// The payloads of all frames, on one channel or all.
  static func frames(
    _ all: [UInt8]..., channel: UInt16? = nil, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    check(all, line) { host in
      host.frames.filter { $0.channel == channel ?? $0.channel }.map(\.payload)
    }
  }
}

// A server, its application and its clients.
extension Step where Subject == ScriptedController {
  static func set<Value: Sendable>(
    application path: WritableKeyPath<TestApplication, Value> & Sendable, _ value: Value
  ) -> Step { Step { $0.application[keyPath: path] = value } }
  /// The application has these updates; the host is not asked for them yet.
  static func updates(_ updates: TestApplication.Update...) -> Step {
    Step { $0.application.updates = updates }
  }
  static func update(_ attribute: ApplicationAttribute, _ value: [UInt8]) -> Step {
    Step { $0.update(attribute, value) }
  }
  static func advertise(_ advertisement: Advertisement?) -> Step {
    Step { $0.advertise(advertisement) }
  }
  static var changeServices: Step { Step { $0.changeServices() } }
  static func databaseChanged(_ start: UInt16, _ end: UInt16) -> Step {
    Step { $0.databaseChanged(in: range(start, end)) }
  }
  /// The application answers what it has deferred, or is asked again.
  static var resume: Step { Step { $0.resume() } }
  static func resume(at index: Int) -> Step { Step { $0.resume(at: index) } }
  static func subscribe(_ configuration: UInt8, _ value: UInt8?, on handle: UInt16 = 0x40) -> Step {
    Step { $0.subscribe(configuration, value, on: handle) }
  }
  static func indicate() -> Step { Step { $0.indicate() } }
  static func takeBuffer() -> Step { Step { $0.takeBuffer() } }
  static func requestKey() -> Step { Step { $0.requestKey() } }
  static func exchangeMTU(_ mtu: UInt16) -> Step { Step { $0.exchangeMTU(mtu) } }
  /// A request of a client, and all that the host sends on the link then.
  static func exchange(
    _ request: [UInt8], gives responses: [UInt8]..., on handle: UInt16 = 0x40,
    channel: UInt16 = 0x0004, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(responses, line) { $0.exchange(request, channel: channel, on: handle) } }
  /// A frame of a client, after which the host sends nothing on the link.
  static func ignore(
    _ request: [UInt8], on handle: UInt16 = 0x40, channel: UInt16 = 0x0004,
    at line: SourceLocation = #_sourceLocation
  ) -> Step { exchange(request, on: handle, channel: channel, at: line) }
  /// A read of the value 0x64, which is answered.
  static func read(on handle: UInt16 = 0x40, at line: SourceLocation = #_sourceLocation) -> Step {
    exchange(.read, gives: [0x0B, 0x64], on: handle, at: line)
  }
  /// A Prepare Write Request, which is echoed.
  static func prepare(
    _ attribute: UInt16, _ offset: Int, _ part: [UInt8], on handle: UInt16 = 0x40,
    at line: SourceLocation = #_sourceLocation
  ) -> Step { Step { $0.prepare(attribute, offset, part, on: handle, sourceLocation: line) } }
  /// An Execute Write Request, which succeeds.
  static func execute(
    on handle: UInt16 = 0x40, at line: SourceLocation = #_sourceLocation
  ) -> Step { exchange([0x18, 0x01], gives: [0x19], on: handle, at: line) }
  /// The values that the application got.
  static func writes(_ values: [UInt8]..., at line: SourceLocation = #_sourceLocation) -> Step {
    check(values, line) { $0.writes }
  }
  static var forgetEvents: Step { Step { $0.events = [] } }
  /// All calls of the application; one among them; the first or the last.
  static func events(
    _ all: TestApplication.Event..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(all, line) { $0.events } }
  static func event(
    _ event: TestApplication.Event, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(true, line) { $0.events.contains(event) } }
  static func firstEvents(
    _ some: TestApplication.Event..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(some, line) { Array($0.events.prefix(some.count)) } }
  static func lastEvents(
    _ some: TestApplication.Event..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(some, line) { Array($0.events.suffix(some.count)) } }
  static func isHeldBack(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.isAdvertisingHeldBack }
  }
  static func receivesUpdates(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.receivesUpdates() }
  }
}

extension TestApplication.Update {
  init(_ attribute: ApplicationAttribute, _ value: [UInt8], at index: Int = 0) {
    self.init(connectionIndex: index, attribute: attribute, value: value)
  }
}

// A client, its application and its servers.
extension Step where Subject == ScriptedController {
  /// Begins to connect, or cannot.
  static func connect(to peer: DeviceAddress, at line: SourceLocation = #_sourceLocation) -> Step {
    check(true, line) { $0.connect(to: peer) }
  }
  static func cannotConnect(
    to peer: DeviceAddress, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(false, line) { $0.connect(to: peer) } }
  static func canConnect(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.canConnect }
  }
  static var cancelConnection: Step { Step { $0.cancelConnection() } }
  static func disconnect(at index: Int) -> Step { Step { $0.disconnect(at: index) } }
  static func scan(_ parameters: ScanParameters?) -> Step { Step { $0.scan(parameters) } }
  static func readRSSI(at index: Int) -> Step { Step { $0.readRSSI(at: index) } }
  /// Begins an operation, or cannot.
  static func perform(
    _ operation: ClientOperation, writing value: [UInt8] = [],
    at line: SourceLocation = #_sourceLocation
  ) -> Step { check(true, line) { $0.perform(operation, writing: value) } }
  static func cannotPerform(
    _ operation: ClientOperation, on index: Int = 0, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(false, line) { $0.perform(operation, at: index) } }
  static var fillBuffer: Step { Step { $0.fillBuffer() } }
  static func agree(mtu: UInt16) -> Step { Step { $0.agree(mtu: mtu) } }
  /// The server's responses to each PDU from now on.
  static func answer(_ responses: [[UInt8]]) -> Step { Step { $0.peer = { _ in responses } } }
  static func mtu(_ mtu: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(mtu, line) { $0.mtu() }
  }
  /// The client's events since the last such step; how its operations ended.
  static func client(
    _ events: Collector.Event..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(events, line) { $0.takeEvents() } }
  static func endings(
    _ errors: OperationError?..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(errors, line) { $0.takeEvents().endings } }
  static var forgetClient: Step { Step { _ = $0.takeEvents() } }
}
