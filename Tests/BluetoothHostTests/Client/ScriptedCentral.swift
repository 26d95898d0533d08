import BluetoothHost
import Testing

/// A central, its controller and, behind that, peers: bytes in, bytes out, and every answer can be
/// changed. Time passes only when the test says so.
final class ScriptedCentral<let links: Int> {
  var host: Central<links, Collector>
  private(set) var now = Instant(rawValue: 1_000)
  /// Every command of the host's, type byte first.
  private(set) var commandPackets: [[UInt8]] = []
  /// Every ACL packet of the host's.
  private(set) var aclPackets: [[UInt8]] = []
  /// Every L2CAP frame of the host's.
  private(set) var frames: [Frame] = []
  private var partial: [UInt16: [UInt8]] = [:]

  struct Frame: Equatable {
    var handle: UInt16
    var channel: UInt16
    var payload: [UInt8]
  }

  /// Answers a command in another way than the ordinary one: `nil` for the ordinary one, and nothing
  /// for silence.
  var script: (_ opcode: HCIOpcode, _ parameters: [UInt8]) -> [[UInt8]]? = { _, _ in nil }
  /// What a peer sends back for an ATT PDU.
  var peer: (_ pdu: [UInt8]) -> [[UInt8]] = { _ in [] }
  /// What becomes of a packet that answers one of the host's, on its way to the host.
  var fault: (_ packet: [UInt8]) -> [[UInt8]] = { [$0] }
  /// Whether packets are completed at once.
  var completesPackets = true
  /// The most bytes of a frame in one packet to the host.
  var fragmentLength = 251

  var address: [UInt8] = [1, 0, 0, 0, 0, 0xF0]
  /// LE Read Buffer Size: bytes, packets.
  var buffers: (UInt16, UInt8) = (251, 8)
  var features: UInt64 = 0
  private(set) var lastHandle: UInt16 = 0x003F
  /// Whether the next link gets the handle of the last one.
  var reusesHandle = false

  init(_ configuration: HostConfiguration = .central) {
    host = Host(configuration: configuration, application: Collector())
  }

  /// One that is ready.
  static func ready(
    _ configuration: HostConfiguration = .central, _ change: (ScriptedCentral) -> Void = { _ in }
  ) -> ScriptedCentral {
    let central = ScriptedCentral(configuration)
    change(central)
    central.start()
    _ = central.takeEvents()
    return central
  }

  /// One with a link to `F0:00:00:00:00:02` at index 0.
  static func connected(
    _ configuration: HostConfiguration = .central, _ change: (ScriptedCentral) -> Void = { _ in }
  ) -> ScriptedCentral {
    let central = ready(configuration, change)
    central.connect(to: .numbered(2))
    _ = central.takeEvents()
    central.forgetWhatWasSent()
    return central
  }

  func start() {
    host.start(at: now)
    run()
  }

  /// Begins to connect, and runs.
  @discardableResult
  func connect(to peer: DeviceAddress) -> Bool {
    defer { run() }
    return host.connect(to: peer)
  }

  /// Begins an operation, and runs.
  @discardableResult
  func perform(_ operation: ClientOperation, writing value: [UInt8] = [], at index: Int = 0) -> Bool
  {
    host.client.application.values[index] = value
    defer { run() }
    return host.perform(operation, at: index)
  }

  /// All that has happened since it was last asked.
  func takeEvents() -> [Collector.Event] {
    defer { host.client.application.events = [] }
    return host.client.application.events
  }

  func forgetWhatWasSent() {
    commandPackets = []
    aclPackets = []
    frames = []
  }

  /// Lets the time pass, and stops at each deadline of the host on the way.
  func pass(milliseconds: UInt32) {
    let end = now.advanced(by: milliseconds)
    while let deadline = host.deadline, deadline <= end {
      now = max(now, deadline)
      host.advance(to: now)
      run()
    }
    now = end
    host.advance(to: now)
    run()
  }

  /// Gives the host a packet, and runs.
  func receive(_ packet: [UInt8]) {
    host.receive(packet.span, at: now)
    run()
  }

  /// A peer sends a frame.
  func send(_ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16? = nil) {
    for packet in fragments(payload, channel, handle ?? lastHandle) {
      host.receive(packet.span, at: now)
    }
    run()
  }

  /// Takes the host's packets until it has none, and answers them.
  func run() {
    for _ in 0..<10_000 {
      guard let packet = nextPacket() else { return }
      for answer in answers(to: packet) {
        for packet in fault(answer) { host.receive(packet.span, at: now) }
      }
    }
    Issue.record("the host never falls silent")
  }

  /// The host's next packet.
  func nextPacket() -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 526)
    var writer = ByteWriter(storage.mutableSpan)
    let isWritten = host.nextPacket(into: &writer, at: now)
    let hasOverflowed = writer.hasOverflowed
    let count = writer.count
    #expect(!hasOverflowed, "a packet longer than was promised")
    #expect(isWritten == (count > 0), "a packet where there is none, or none where there is one")
    return isWritten ? Array(storage.prefix(count)) : nil
  }

  // MARK: The controller

  private func answers(to packet: [UInt8]) -> [[UInt8]] {
    if packet[0] == 0x02 { return answers(toData: packet) }
    commandPackets.append(packet)
    #expect(packet[0] == 0x01 && packet.count == 4 + Int(packet[3]), "a malformed command")
    let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
    let parameters = Array(packet[4...])
    return script(opcode, parameters) ?? ordinary(opcode, parameters)
  }

  private func answers(toData packet: [UInt8]) -> [[UInt8]] {
    aclPackets.append(packet)
    let field = UInt16(packet[1]) | UInt16(packet[2]) << 8
    let handle = field & 0x0FFF
    let isFirst = field >> 12 != 0b01
    #expect(packet.count == 5 + Int(packet[3]) + Int(packet[4]) << 8, "data of the wrong length")
    #expect(packet.count - 5 <= Int(buffers.0), "more data than the controller takes")
    #expect(isFirst == (partial[handle] == nil), "a frame begins within another, or not at all")
    let completed = completesPackets ? [Events.completedPackets(of: handle)] : []
    let bytes = (partial[handle] ?? []) + packet[5...]
    let length = Int(bytes[0]) + Int(bytes[1]) << 8
    guard bytes.count >= 4 + length else {
      partial[handle] = bytes
      return completed
    }
    #expect(bytes.count == 4 + length, "more data than the frame states")
    partial[handle] = nil
    let frame = Frame(
      handle: handle, channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8,
      payload: Array(bytes[4...]))
    frames.append(frame)
    guard frame.channel == 0x0004 else { return completed }
    return completed + peer(frame.payload).flatMap { fragments($0, 0x0004, handle) }
  }

  private func ordinary(_ opcode: HCIOpcode, _ parameters: [UInt8]) -> [[UInt8]] {
    switch opcode {
    case .readBDADDR:
      return [Events.complete(opcode, [0] + address)]
    case .leReadBufferSize:
      return [Events.complete(opcode, [0] + Array(little: buffers.0) + [buffers.1])]
    case .leReadLocalSupportedFeatures:
      return [Events.complete(opcode, [0] + written { $0.write(features) })]
    case .readRSSI:
      return [Events.complete(opcode, [0] + parameters + [UInt8(bitPattern: -60)])]
    case .leCreateConnection:
      if !reusesHandle { lastHandle += 1 }
      partial[lastHandle] = nil
      // The peer: its kind, then its address, after 2 (interval) + 2 (window) + 1 (policy) bytes.
      return [
        Events.status(opcode), Events.connected(lastHandle, peer: Array(parameters[5..<12])),
      ]
    case .leCreateConnectionCancel:
      return [Events.complete(opcode, [0]), Events.connectionFailed(0x02)]
    case .disconnect:
      let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
      partial[handle] = nil
      return [Events.status(opcode), Events.disconnected(handle, reason: 0x16)]
    case .leConnectionUpdate, .leSetPHY:
      return [Events.status(opcode)]
    default:
      return [Events.complete(opcode, [0])]
    }
  }

  private func fragments(
    _ payload: [UInt8], _ channel: UInt16, _ handle: UInt16
  ) -> [[UInt8]] {
    let frame = Array(little: UInt16(payload.count)) + Array(little: channel) + payload
    return stride(from: 0, to: frame.count, by: fragmentLength).map { offset in
      let part = frame[offset..<min(frame.count, offset + fragmentLength)]
      let boundary: UInt16 = offset == 0 ? 0b10 : 0b01
      return [0x02] + Array(little: handle | boundary << 12) + Array(little: UInt16(part.count))
        + part
    }
  }
}

extension ScriptedCentral {
  /// The controller takes each command to connect, and makes no link until the test does.
  func holdConnections() {
    script = { opcode, _ in opcode == .leCreateConnection ? [Events.status(opcode)] : nil }
  }
}

// What the host has done so far, in forms that `#expect` takes.
extension ScriptedCentral {
  /// Which commands the host has given.
  var commands: [HCIOpcode] {
    commandPackets.map { HCIOpcode(rawValue: UInt16($0[1]) | UInt16($0[2]) << 8) }
  }

  /// The parameters of each `opcode` command that the host has given.
  func parameters(of opcode: HCIOpcode) -> [[UInt8]] {
    zip(commands, commandPackets).filter { $0.0 == opcode }.map { Array($0.1[4...]) }
  }

  /// The ATT PDUs that the host has sent.
  var pdus: [[UInt8]] { frames.filter { $0.channel == 0x0004 }.map(\.payload) }

  var radio: RadioState { host.radio }
  var deadline: Instant? { host.deadline }
  var connectionCount: Int { host.connectionCount }
  var isShutDown: Bool { host.isShutDown }
  var canConnect: Bool { host.canConnect }
  var mtu: Int { host.mtu(at: 0).byteCount }
}
