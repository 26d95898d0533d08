import BluetoothHost
import Testing

/// A central, its controller and its peers, with an answer to each packet that a test can change.
/// Time passes only in `pass`.
final class ScriptedCentral<let links: Int>: SentPackets {
  var host: Central<links, Collector>
  private(set) var now = Instant(rawValue: 1_000)
  /// The answer to a command; `nil` for the usual answer.
  var script: (_ opcode: HCIOpcode, _ parameters: [UInt8]) -> [[UInt8]]? = { _, _ in nil }
  /// A peer's response to an ATT PDU.
  var peer: (_ pdu: [UInt8]) -> [[UInt8]] = { _ in [] }
  /// Changes a packet that answers one of the host.
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

  /// A central that is ready.
  static func ready(
    _ configuration: HostConfiguration = .central, _ change: (ScriptedCentral) -> Void = { _ in }
  ) -> ScriptedCentral {
    let central = ScriptedCentral(configuration)
    change(central)
    central.start()
    _ = central.takeEvents()
    return central
  }

  /// A central with a link to `F0:00:00:00:00:02` at index 0.
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

  /// The events since the last call.
  func takeEvents() -> [Collector.Event] {
    defer { host.client.application.events = [] }
    return host.client.application.events
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

  /// Gives the host an event cut short at every length, which it states or not.
  func receiveTruncated(_ event: [UInt8]) {
    for var packet in truncations(of: event) {
      receive(packet)
      if packet.count > 2 { packet[2] = UInt8(packet.count - 3) }
      receive(packet)
    }
  }

  /// A peer sends a frame.
  func send(_ payload: [UInt8], channel: UInt16 = 0x0004, on handle: UInt16? = nil) {
    for packet in fragments(payload, channel, handle ?? lastHandle) {
      host.receive(packet.span, at: now)
    }
    run()
  }

  /// The host's next packet.
  func nextPacket() -> [UInt8]? { host.takePacket(at: now) }

  /// Takes the host's packets until it has none, and answers them.
  func run() {
    for _ in 0..<10_000 {
      guard let packet = nextPacket() else { return }
      for answer in answers(to: packet) {
        for packet in fault(answer) { host.receive(packet.span, at: now) }
      }
    }
    Issue.record("the host sends without end")
  }

  // MARK: The controller

  private func answers(to packet: [UInt8]) -> [[UInt8]] {
    if packet[0] == 0x02 { return answers(toData: packet) }
    let opcode = takeCommand(packet)
    let parameters = Array(packet[4...])
    return script(opcode, parameters) ?? ordinary(opcode, parameters)
  }

  private func answers(toData packet: [UInt8]) -> [[UInt8]] {
    let (handle, frame) = takeData(packet, longest: buffers.0)
    let completed = completesPackets ? [Events.completedPackets(of: handle)] : []
    guard let frame, frame.channel == 0x0004 else { return completed }
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
      forgetFragments(of: lastHandle)
      // The peer: its kind, then its address, after 2 (interval) + 2 (window) + 1 (policy) bytes.
      return [
        Events.status(opcode), Events.connected(lastHandle, peer: Array(parameters[5..<12])),
      ]
    case .leCreateConnectionCancel:
      return [Events.complete(opcode, [0]), Events.connectionFailed(0x02)]
    case .disconnect:
      let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
      forgetFragments(of: handle)
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
  /// The controller accepts LE Create Connection, and makes no link.
  func holdConnections() {
    script = { opcode, _ in opcode == .leCreateConnection ? [Events.status(opcode)] : nil }
  }
}

// What the host has done, as copies for `#expect`.
extension ScriptedCentral {
  /// The ATT PDUs that the host has sent.
  var pdus: [[UInt8]] { frames.filter { $0.channel == 0x0004 }.map(\.payload) }

  var radio: RadioState { host.radio }
  var deadline: Instant? { host.deadline }
  var connectionCount: Int { host.connectionCount }
  var isShutDown: Bool { host.isShutDown }
  var canConnect: Bool { host.canConnect }
  var mtu: Int { host.mtu(at: 0).byteCount }
}
