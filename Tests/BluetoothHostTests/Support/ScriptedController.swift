import BluetoothHost
import Testing

/// How a controller behaves; by default as it should.
struct ControllerBehaviour {
  /// The least significant byte first.
  var publicAddress: [UInt8] = [0x01, 0x00, 0x00, 0x00, 0x00, 0xF0]
  /// LE Read Buffer Size: bytes, packets.
  var leBuffers: (UInt16, UInt8) = (27, 4)
  /// Read Buffer Size: bytes, packets.
  var buffers: (UInt16, UInt16) = (64, 2)
  var features: UInt64 = 0
  /// The command that it leaves unanswered.
  var unanswered: HCIOpcode?
  /// The command that it refuses, and how.
  var refused: (opcode: HCIOpcode, status: HCIErrorCode)?
  /// How many commands it takes after each answer.
  var commandCredits: UInt8 = 1
  /// Whether it tells that packets have left.
  var completesPackets = true
  /// The link whose packets it never tells of.
  var forgetsPacketsOf: UInt16?
  /// Whether it tells that a link which the host ended has ended.
  var completesDisconnections = true
  /// Whether it refuses new advertising parameters while it advertises, as it should.
  var guardsAdvertisingParameters = true
  /// How many bytes each answer lacks at its end.
  var cutsAnswersBy = 0
}

/// One with the test database.
typealias ScriptedController<let places: Int> = ScriptedHost<places, GATTDatabase<27>>

/// One with any database, and without channels.
typealias ScriptedHost<let places: Int, Database: AttributeDatabase & ~Copyable> =
  ScriptedDevice<places, Database, NoChannels>

/// A host of `places` centrals, the controller that it talks to, and the centrals behind that. Time
/// passes only when the test says so.
final class ScriptedDevice<
  let places: Int, Database: AttributeDatabase & ~Copyable, Channels: ChannelRole & ~Copyable
> {
  var host:
    Host<places, GATTServer<places, Database, TestApplication>, NoClient, NoSecurity, Channels>
  var behaviour: ControllerBehaviour
  private(set) var now = Instant(rawValue: 1_000)
  /// Whether the controller advertises.
  var isAdvertising = false
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

  init(
    _ behaviour: ControllerBehaviour = ControllerBehaviour(), database: consuming Database,
    service: BluetoothUUID? = .testService, address: OwnAddress = .public,
    mtu: ATTMTU = .maximum, name: StaticString = "Test", idleLimit: UInt16? = nil,
    starts: Bool = true, channels: consuming Channels
  ) {
    self.behaviour = behaviour
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText(name)), service: service, address: address, mtu: mtu,
        idleLimit: idleLimit),
      server: GATTServer(database: database, application: TestApplication()), client: NoClient(),
      security: NoSecurity(), channels: channels)
    if starts { start() }
  }

  convenience init(
    _ behaviour: ControllerBehaviour = ControllerBehaviour(), database: consuming Database,
    service: BluetoothUUID? = .testService, address: OwnAddress = .public,
    mtu: ATTMTU = .maximum, name: StaticString = "Test", idleLimit: UInt16? = nil,
    starts: Bool = true
  ) where Channels == NoChannels {
    self.init(
      behaviour, database: database, service: service, address: address, mtu: mtu,
      name: name, idleLimit: idleLimit, starts: starts, channels: NoChannels())
  }

  convenience init(
    _ behaviour: ControllerBehaviour = ControllerBehaviour(),
    service: BluetoothUUID? = .testService, address: OwnAddress = .public,
    mtu: ATTMTU = .maximum, name: StaticString = "Test", idleLimit: UInt16? = nil,
    starts: Bool = true
  ) where Database == GATTDatabase<27>, Channels == NoChannels {
    self.init(
      behaviour, database: testDatabase, service: service, address: address, mtu: mtu,
      name: name, idleLimit: idleLimit, starts: starts)
  }

  func start() {
    host.start(at: now)
    run()
  }

  /// Time passes, and the host is told.
  func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    host.advance(to: now)
    run()
  }

  /// A packet reaches the host, which is then asked for all that it has to say.
  func receive(_ packet: [UInt8]) {
    host.receive(packet.span, at: now)
    run()
  }

  /// Takes the host's packets until it has none, and answers them.
  func run() {
    for _ in 0..<5_000 {
      guard let packet = nextPacket() else { return }
      answer(packet)
    }
    Issue.record("the host never falls silent")
  }

  /// The host's next packet, which nobody answers.
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

  func forgetWhatWasSent() {
    commandPackets = []
    aclPackets = []
    frames = []
  }

  /// A link begins: a frame that an earlier one with its handle left unfinished is not continued.
  func forgetFragments(of handle: UInt16) {
    partial[handle] = nil
  }

  // MARK: The controller

  /// Answers a packet of the host's as the script says.
  func answer(_ packet: [UInt8]) {
    if packet[0] == 0x02 {
      take(packet)
      return
    }
    commandPackets.append(packet)
    #expect(packet[0] == 0x01 && packet.count == 4 + Int(packet[3]), "a malformed command")
    let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
    guard opcode != behaviour.unanswered else { return }
    if let refused = behaviour.refused, refused.opcode == opcode {
      complete(opcode, [refused.status.rawValue])
      return
    }
    switch opcode {
    case .reset:
      isAdvertising = false
      complete(opcode, [0x00])
    case .leSetAdvertisingEnable:
      isAdvertising = packet[4] == 1
      complete(opcode, [0x00])
    case .leSetAdvertisingParameters where isAdvertising && behaviour.guardsAdvertisingParameters:
      // Command Disallowed. Core Specification, Vol 4, Part E, 7.8.5.
      complete(opcode, [0x0C])
    case .disconnect:
      status(.success, of: opcode)
      guard behaviour.completesDisconnections else { return }
      tell([0x04, 0x05, 4, 0x00, packet[4], packet[5], 0x16])
    case .leSetPHY:
      status(.success, of: opcode)
    case .readBDADDR:
      complete(opcode, [0x00] + behaviour.publicAddress)
    case .leReadBufferSize:
      complete(opcode, [0x00] + Array(little: behaviour.leBuffers.0) + [behaviour.leBuffers.1])
    case .readBufferSize:
      complete(
        opcode,
        [0x00] + Array(little: behaviour.buffers.0) + [0] + Array(little: behaviour.buffers.1)
          + [0, 0])
    case .leReadLocalSupportedFeatures:
      complete(opcode, [0x00] + written { $0.write(behaviour.features) })
    default:
      complete(opcode, [0x00])
    }
  }

  func complete(_ opcode: HCIOpcode, _ results: [UInt8]) {
    let kept = results.prefix(max(0, results.count - behaviour.cutsAnswersBy))
    tell(
      [0x04, 0x0E, UInt8(3 + kept.count), behaviour.commandCredits]
        + Array(little: opcode.rawValue) + kept)
  }

  func status(_ status: HCIErrorCode, of opcode: HCIOpcode) {
    tell(
      [0x04, 0x0F, 4, status.rawValue, behaviour.commandCredits] + Array(little: opcode.rawValue))
  }

  /// The controller tells that `count` packets of a link have left.
  func completePackets(of handle: UInt16, count: UInt16 = 1) {
    tell([0x04, 0x13, 5, 1] + Array(little: handle) + Array(little: count))
  }

  private func tell(_ packet: [UInt8]) {
    host.receive(packet.span, at: now)
  }

  private func take(_ packet: [UInt8]) {
    aclPackets.append(packet)
    let field = UInt16(packet[1]) | UInt16(packet[2]) << 8
    let handle = field & 0x0FFF
    let isFirst = field >> 12 != 0b01
    #expect(packet.count == 5 + Int(packet[3]) + Int(packet[4]) << 8, "data of the wrong length")
    #expect(isFirst == (partial[handle] == nil), "a frame begins within another, or not at all")
    let bytes = (partial[handle] ?? []) + packet[5...]
    let length = Int(bytes[0]) + Int(bytes[1]) << 8
    #expect(bytes.count <= 4 + length, "more data than the frame states")
    if bytes.count == 4 + length {
      partial[handle] = nil
      frames.append(
        Frame(
          handle: handle, channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8,
          payload: Array(bytes[4...])))
    } else {
      partial[handle] = bytes
    }
    if behaviour.completesPackets, handle != behaviour.forgetsPacketsOf {
      completePackets(of: handle)
    }
  }
}
