import BluetoothHost
import Testing

/// A host in both roles with the test database, and its controller.
final class Device: SentPackets {
  typealias Both = Host<
    4, GATTServer<4, GATTDatabase<27>, TestApplication>, GATTClient<4, Collector>, NoSecurity,
    NoChannels
  >

  var host: Both
  let number: UInt8
  /// LE Read Buffer Size: bytes.
  let packetLength: UInt16
  /// The controller's action for LE Create Connection, with the peer's number.
  var connects: (_ peer: UInt8) -> Void = { _ in }
  /// Every ATT PDU that the host has sent.
  var pdus: [[UInt8]] { frames.filter { $0.channel == 0x0004 }.map(\.payload) }

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

  /// The host's next ACL packet. The controller answers the commands before it.
  func nextPacket(at now: Instant) -> [UInt8]? {
    while let packet = unansweredPacket(at: now) {
      guard packet[0] == 0x01 else { return take(packet, at: now) }
      answer(packet, at: now)
    }
    return nil
  }

  /// The host's next packet, without an answer of the controller.
  func unansweredPacket(at now: Instant) -> [UInt8]? {
    host.takePacket(at: now)
  }

  func receive(_ packet: [UInt8], at now: Instant) {
    host.receive(packet.span, at: now)
  }

  private func take(_ packet: [UInt8], at now: Instant) -> [UInt8] {
    let handle = takeData(packet, longest: packetLength).handle
    receive(Events.completedPackets(of: handle), at: now)
    return packet
  }

  private func answer(_ packet: [UInt8], at now: Instant) {
    let opcode = takeCommand(packet)
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

/// Two devices with one link; the test carries the packets.
final class Pair {
  let first: Device
  let second: Device
  let now = Instant(rawValue: 1_000)
  /// The link's handle on both sides.
  private let handle: UInt16 = 0x0040

  /// The first device connects to the second.
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
    Issue.record("the hosts send without end")
  }

  /// Carries at most one packet in each direction: both leave before either arrives.
  ///
  /// - Returns: Whether it carried one.
  @discardableResult
  func exchange() -> Bool {
    let forward = first.nextPacket(at: now)
    let back = second.nextPacket(at: now)
    if let forward { second.receive(carried(forward), at: now) }
    if let back { first.receive(carried(back), at: now) }
    return forward != nil || back != nil
  }

  /// A packet as the other controller delivers it, with the boundary flag of a received frame.
  private func carried(_ packet: [UInt8]) -> [UInt8] {
    var packet = packet
    if packet[2] >> 4 == 0b00 { packet[2] |= 0b10 << 4 }
    return packet
  }
}
