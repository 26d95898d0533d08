import BluetoothHost
import Expectations

/// How a controller behaves; by default as it should.
struct ControllerBehaviour {
  /// The least significant byte first.
  var publicAddress: [UInt8] = [0x01, 0x00, 0x00, 0x00, 0x00, 0xF0]
  /// LE Read Buffer Size: bytes, packets.
  var leBuffers: (UInt16, UInt8) = (27, 4)
  /// Read Buffer Size: bytes, packets.
  var buffers: (UInt16, UInt16) = (64, 2)
  var features: UInt64 = 0
  /// The command that it does not answer.
  var unanswered: HCIOpcode?
  /// The command that it refuses, and how.
  var refused: (opcode: HCIOpcode, status: HCIErrorCode)?
  /// How many commands it takes after each answer.
  var commandCredits: UInt8 = 1
  /// Whether it reports completed packets.
  var completesPackets = true
  /// The link for which it reports no completed packets.
  var forgetsPacketsOf: UInt16?
  /// Whether it reports a link that the host requests.
  var completesConnections = true
  /// Whether it reports the end of a link that the host disconnects.
  var completesDisconnections = true
  /// Whether it refuses new advertising parameters while it advertises, as it should.
  var guardsAdvertisingParameters = true
  /// How many bytes each answer lacks at its end.
  var cutsAnswersBy = 0
  /// Whether the next link that the host requests gets the handle of the last one.
  var reusesHandle = false
  /// The most bytes of a peer's frame in one packet.
  var fragmentLength = 1_000
}

/// A host, its controller as a script, and the devices behind that. Time passes only in `pass`.
///
/// `ScriptedHost` has the host, and what is only declared here. Tables of steps use this type, which
/// does not depend on the host's.
@dynamicMemberLookup
class ScriptedController: SentPackets {
  var behaviour: ControllerBehaviour
  private(set) var now = Instant(rawValue: 1_000)
  /// Whether the controller advertises.
  var isAdvertising = false
  /// The answer to a command; `nil` for the usual answer.
  var script: (_ opcode: HCIOpcode, _ parameters: [UInt8]) -> [[UInt8]]? = { _, _ in nil }
  /// A peer's responses to an ATT PDU.
  var peer: (_ pdu: [UInt8]) -> [[UInt8]] = { _ in [] }
  /// The handle of the last link that the host requested; before that, of a central's first link.
  private(set) var lastHandle: UInt16 = 0x40
  private var hasRequestedLinks = false
  /// Whether `pass` stops at each deadline of the host on the way.
  var stopsAtDeadlines = false

  init(_ behaviour: ControllerBehaviour) { self.behaviour = behaviour }

  subscript<Value>(dynamicMember path: WritableKeyPath<ControllerBehaviour, Value>) -> Value {
    get { behaviour[keyPath: path] }
    set { behaviour[keyPath: path] = newValue }
  }

  // MARK: The host

  var application: TestApplication {
    get { TestApplication() }
    set {}
  }
  var collector: Collector {
    get { Collector() }
    set {}
  }
  var radio: RadioState { .starting }
  var address: DeviceAddress { .zero }
  var deadline: Instant? { nil }
  var connectionCount: Int { 0 }
  var isShutDown: Bool { false }
  var isAdvertisingHeldBack: Bool { false }
  var canConnect: Bool { false }
  func start() {}
  func radioLost() {}
  func shutDown() {}
  func disconnectAll() {}
  func advertise(_ advertisement: Advertisement?) {}
  func scan(_ parameters: ScanParameters?) {}
  func mtu(at index: Int = 0) -> Int { 0 }
  func resume(at index: Int) {}
  func databaseChanged(in range: AttributeHandleRange) {}
  func securityChanged(to security: LinkSecurity, at index: Int = 0) {}
  func receivesUpdates(at index: Int = 0) -> Bool { false }
  func isPutOff(at index: Int = 0) -> Bool { false }
  func beginConnection(to peer: DeviceAddress) -> Bool { false }
  func cancelConnection() {}
  func disconnect(at index: Int) {}
  func readRSSI(at index: Int) {}
  func begin(_ operation: ClientOperation, at index: Int) -> Bool { false }
  /// The host's next packet, without an answer.
  func nextPacket() -> [UInt8]? { nil }
  /// The host receives a packet, and is not asked for packets yet.
  func report(_ packet: [UInt8]) {}
  func advance() {}

  // MARK: Time and packets

  /// Lets time pass, and advances the host.
  func pass(milliseconds: UInt32) {
    let end = now.advanced(by: milliseconds)
    while stopsAtDeadlines, let deadline, deadline <= end {
      now = max(now, deadline)
      advance()
      run()
    }
    now = end
    advance()
    run()
  }

  /// A packet reaches the host, which is then asked for all that it has to say.
  func receive(_ packet: [UInt8]) { run { report(packet) } }

  /// Gives the host an event cut short at every length, which it states or not.
  func receiveTruncated(_ event: [UInt8]) {
    for var packet in truncations(of: event) {
      receive(packet)
      if packet.count > 2 { packet[2] = UInt8(packet.count - 3) }
      receive(packet)
    }
  }

  /// Takes the host's packets until it has none, and answers them.
  func run() {
    for _ in 0..<10_000 {
      guard let packet = nextPacket() else { return }
      answer(packet)
    }
    Issue.record("the host sends without end")
  }

  /// The same after an action of the host.
  func run(after action: () -> Void) {
    action()
    run()
  }

  // MARK: The controller

  /// Answers a packet of the host's as the script says.
  func answer(_ packet: [UInt8]) {
    guard packet[0] == 0x02 else { return answer(takeCommand(packet), Array(packet[4...])) }
    let hasLEBuffers = behaviour.leBuffers.0 > 0 && behaviour.leBuffers.1 > 0
    let longest = hasLEBuffers ? behaviour.leBuffers.0 : behaviour.buffers.0
    let (handle, frame) = takeData(packet, longest: max(27, longest))
    if behaviour.completesPackets, handle != behaviour.forgetsPacketsOf {
      report(Events.completedPackets(of: handle))
    }
    guard let frame, frame.channel == 0x0004 else { return }
    for response in peer(frame.payload) { reportFrame(response, 0x0004, handle) }
  }

  private func answer(_ opcode: HCIOpcode, _ parameters: [UInt8]) {
    guard opcode != behaviour.unanswered else { return }
    if let refused = behaviour.refused, refused.opcode == opcode {
      return complete(opcode, [refused.status.rawValue])
    }
    if let answers = script(opcode, parameters) { return answers.forEach(report) }
    switch opcode {
    case .reset:
      isAdvertising = false
      complete(opcode, [0])
    case .leSetAdvertisingEnable:
      isAdvertising = parameters[0] == 1
      complete(opcode, [0])
    case .leSetAdvertisingParameters where isAdvertising && behaviour.guardsAdvertisingParameters:
      // Command Disallowed. Core Specification, Vol 4, Part E, 7.8.5.
      complete(opcode, [0x0C])
    case .leCreateConnection:
      status(.success, of: opcode)
      guard behaviour.completesConnections else { return }
      if hasRequestedLinks, !behaviour.reusesHandle { lastHandle += 1 }
      hasRequestedLinks = true
      forgetFragments(of: lastHandle)
      // The peer: its kind, then its address, after 2 (interval) + 2 (window) + 1 (policy) bytes.
      report(Events.connected(lastHandle, peer: Array(parameters[5..<12])))
    case .leCreateConnectionCancel:
      complete(opcode, [0])
      report(Events.connectionFailed(0x02))
    case .disconnect:
      status(.success, of: opcode)
      guard behaviour.completesDisconnections else { return }
      let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
      forgetFragments(of: handle)
      report(Events.disconnected(handle, reason: 0x16))
    case .leSetPHY, .leConnectionUpdate: status(.success, of: opcode)
    case .readBDADDR: complete(opcode, [0] + behaviour.publicAddress)
    case .leReadBufferSize:
      complete(opcode, [0] + words(behaviour.leBuffers.0) + [behaviour.leBuffers.1])
    case .readBufferSize:
      complete(
        opcode, [0] + words(behaviour.buffers.0) + [0] + words(behaviour.buffers.1) + [0, 0])
    case .leReadLocalSupportedFeatures:
      complete(opcode, [0] + written { $0.write(behaviour.features) })
    case .readRSSI: complete(opcode, [0] + parameters + [UInt8(bitPattern: -60)])
    default: complete(opcode, [0])
    }
  }

  func complete(_ opcode: HCIOpcode, _ results: [UInt8]) {
    let kept = results.prefix(max(0, results.count - behaviour.cutsAnswersBy))
    report(Events.complete(opcode, Array(kept), credits: behaviour.commandCredits))
  }

  func status(_ status: HCIErrorCode, of opcode: HCIOpcode) {
    report(Events.status(opcode, status.rawValue, credits: behaviour.commandCredits))
  }

  /// The controller reports `count` completed packets of a link.
  func completePackets(of handle: UInt16, count: UInt16 = 1) {
    receive(Events.completedPackets(of: handle, count: count))
  }

  /// The controller accepts no commands for now.
  func holdCommands() {
    behaviour.commandCredits = 0
    complete(.none, [])
  }

  /// The controller accepts commands again.
  func releaseCommands() {
    behaviour.commandCredits = 1
    run { complete(.none, []) }
  }

  // MARK: The devices behind it

  /// A central connects; its address ends in the low byte of `handle`.
  func connect(
    _ handle: UInt16 = 0x40, status: UInt8 = 0x00, interval: UInt16 = 24, timeout: UInt16 = 72,
    enhanced: Bool = false
  ) {
    let parameters =
      [enhanced ? 0x0A : 0x01, status] + words(handle) + [0x01, 0x01]
      + [UInt8(truncatingIfNeeded: handle), 0, 0, 0, 0, 0xC0]
      + [UInt8](repeating: 0, count: enhanced ? 12 : 0) + words(interval, 0, timeout) + [0]
    // A connection ends the advertising: Vol 4, Part E, 7.8.9.
    isAdvertising = false
    if status == 0x00 { forgetFragments(of: handle) }
    receive([0x04, 0x3E, UInt8(parameters.count)] + parameters)
  }

  /// The address of the central on link `handle`.
  func address(of handle: UInt16 = 0x40) -> DeviceAddress {
    DeviceAddress(kind: .random, bytes: [UInt8(truncatingIfNeeded: handle), 0, 0, 0, 0, 0xC0])
  }

  /// The controller reports that a link has ended.
  func disconnect(_ handle: UInt16? = nil, reason: UInt8 = 0x13) {
    receive(Events.disconnected(handle ?? lastHandle, reason: reason))
  }

  /// A peer sends one frame.
  func send(_ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16? = nil) {
    run { reportFrame(payload, channel, handle ?? lastHandle) }
  }

  private func reportFrame(_ payload: [UInt8], _ channel: UInt16, _ handle: UInt16) {
    let frame = l2cap(channel, payload)
    for start in stride(from: 0, to: frame.count, by: behaviour.fragmentLength) {
      let part = Array(frame[start..<min(frame.count, start + behaviour.fragmentLength)])
      report(acl(part, on: handle, boundary: start == 0 ? 0b10 : 0b01))
    }
  }

  /// An ACL packet as a controller gives it.
  func acl(_ data: [UInt8], on handle: UInt16 = 0x40, boundary: UInt16 = 0b10) -> [UInt8] {
    [0x02] + words(handle | boundary << 12, UInt16(data.count)) + data
  }

  /// The host's responses on `channel` to one frame.
  func exchange(
    _ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16 = 0x40
  ) -> [[UInt8]] {
    let before = frames.count
    send(payload, channel: channel, on: handle)
    return frames[before...].filter { $0.handle == handle && $0.channel == channel }
      .map(\.payload)
  }

  /// The ATT PDUs sent on a link.
  func pdus(on handle: UInt16 = 0x40) -> [[UInt8]] {
    frames.filter { $0.handle == handle && $0.channel == 0x0004 }.map(\.payload)
  }
}

/// An Error Response. Core Specification, Vol 3, Part F, 3.4.1.1.
func error(_ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode) -> [UInt8] {
  [0x01, request] + words(handle) + [code.rawValue]
}
