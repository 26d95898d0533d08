import BluetoothHost
import Testing

/// A host in both roles, and the controller that it talks to. Each server has the test database.
final class Device {
  typealias Both = Host<
    4, GATTServer<4, GATTDatabase<27>, TestApplication>, GATTClient<4, Collector>, NoSecurity,
    NoChannels
  >

  var host: Both
  let number: UInt8
  /// LE Read Buffer Size: bytes.
  let packetLength: UInt16
  /// What the controller makes of a command to connect: the peer's number.
  var connects: (_ peer: UInt8) -> Void = { _ in }
  /// The frames of the host's PDUs, as far as they have come.
  private var partial: [UInt16: [UInt8]] = [:]
  /// Every ATT PDU of the host's.
  private(set) var pdus: [[UInt8]] = []

  init(number: UInt8, mtu: ATTMTU, packetLength: UInt16, peripheralLinks: Int? = nil) {
    self.number = number
    self.packetLength = packetLength
    var configuration = HostConfiguration(
      name: DeviceName(StaticText("Test")), service: .testService, address: .public, mtu: mtu)
    configuration.peripheralLinks = peripheralLinks
    host = Host(
      configuration: configuration,
      server: GATTServer(database: testDatabase, application: TestApplication()),
      client: GATTClient(application: Collector()))
  }

  /// The next ACL packet of the host. The controller answers the commands before it.
  func nextPacket(at now: Instant) -> [UInt8]? {
    while true {
      var storage = [UInt8](repeating: 0, count: 526)
      var writer = ByteWriter(storage.mutableSpan)
      guard host.nextPacket(into: &writer, at: now) else { return nil }
      let count = writer.count
      let packet = Array(storage.prefix(count))
      guard packet[0] == 0x01 else { return take(packet, at: now) }
      answer(packet, at: now)
    }
  }

  func receive(_ packet: [UInt8], at now: Instant) {
    host.receive(packet.span, at: now)
  }

  private func take(_ packet: [UInt8], at now: Instant) -> [UInt8] {
    #expect(packet.count - 5 <= Int(packetLength))
    let field = UInt16(packet[1]) | UInt16(packet[2]) << 8
    let handle = field & 0x0FFF
    let isFirst = field >> 12 != 0b01
    #expect(isFirst == (partial[handle] == nil), "a frame begins within another, or not at all")
    let bytes = (partial[handle] ?? []) + packet[5...]
    let length = Int(bytes[0]) + Int(bytes[1]) << 8
    #expect(bytes.count <= 4 + length, "more data than the frame states")
    partial[handle] = bytes.count < 4 + length ? bytes : nil
    if partial[handle] == nil, bytes[2] == 0x04 { pdus.append(Array(bytes[4...])) }
    receive(Events.completedPackets(of: handle), at: now)
    return packet
  }

  private func answer(_ packet: [UInt8], at now: Instant) {
    let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
    switch opcode {
    case .readBDADDR:
      receive(Events.complete(opcode, [0, number, 0, 0, 0, 0, 0xF0]), at: now)
    case .leReadBufferSize:
      receive(Events.complete(opcode, [0] + Array(little: packetLength) + [4]), at: now)
    case .leReadLocalSupportedFeatures:
      receive(Events.complete(opcode, [UInt8](repeating: 0, count: 9)), at: now)
    case .leCreateConnection:
      receive(Events.status(opcode), at: now)
      // 4 (header) + 5 (interval, window, policy) + 1 (kind)
      connects(packet[10])
    default:
      receive(Events.complete(opcode, [0]), at: now)
    }
  }
}

/// Two devices with one link between them, whose packets the test carries.
final class Pair {
  let first: Device
  let second: Device
  let now = Instant(rawValue: 1_000)
  /// Its handle is the same on both sides.
  private let handle: UInt16 = 0x0040

  /// The first one connects to the second.
  init(mtus: (ATTMTU, ATTMTU) = (.maximum, .maximum), packetLength: UInt16 = 27) {
    first = Device(number: 1, mtu: mtus.0, packetLength: packetLength)
    second = Device(number: 2, mtu: mtus.1, packetLength: packetLength)
    first.connects = { [unowned self] peer in
      #expect(peer == 2)
      first.receive(Events.connected(handle, peer: [0, 2, 0, 0, 0, 0, 0xF0], role: 0), at: now)
      second.receive(Events.connected(handle, peer: [0, 1, 0, 0, 0, 0, 0xF0], role: 1), at: now)
    }
    first.host.start(at: now)
    second.host.start(at: now)
    run()
    _ = first.host.connect(to: .numbered(2))
    run()
  }

  /// Carries one packet in each direction at a time, until there are none.
  func run() {
    for _ in 0..<20_000 where !exchange() { return }
    Issue.record("the hosts never fall silent")
  }

  /// Carries at most one packet in each direction: both leave before either arrives.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func exchange() -> Bool {
    let forward = first.nextPacket(at: now)
    let back = second.nextPacket(at: now)
    if let forward { second.receive(carried(forward), at: now) }
    if let back { first.receive(carried(back), at: now) }
    return forward != nil || back != nil
  }

  /// A packet as the other controller gives it: the start of a frame is flushable.
  private func carried(_ packet: [UInt8]) -> [UInt8] {
    var packet = packet
    if packet[2] >> 4 == 0b00 { packet[2] |= 0b10 << 4 }
    return packet
  }
}
