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
  /// Whether it reports the end of a link that the host disconnects.
  var completesDisconnections = true
  /// Whether it refuses new advertising parameters while it advertises, as it should.
  var guardsAdvertisingParameters = true
  /// How many bytes each answer lacks at its end.
  var cutsAnswersBy = 0
}

/// One with the test database.
typealias ScriptedController<let capacity: Int> = ScriptedHost<capacity, GATTDatabase<27>>

/// One with any database, and without channels.
typealias ScriptedHost<let capacity: Int, Database: AttributeDatabase & ~Copyable> =
  ScriptedDevice<capacity, Database, NoChannels>

/// A host of `capacity` centrals, the controller that it talks to, and the centrals behind that.
/// Time passes only when the test says so.
final class ScriptedDevice<
  let capacity: Int, Database: AttributeDatabase & ~Copyable, Channels: ChannelRole & ~Copyable
>: SentPackets {
  var host:
    Host<
      capacity, GATTServer<capacity, Database, TestApplication>, NoClient, NoSecurity,
      Channels
    >
  var behaviour: ControllerBehaviour
  private(set) var now = Instant(rawValue: 1_000)
  /// Whether the controller advertises.
  var isAdvertising = false

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
    super.init()
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

  /// Lets time pass, and advances the host.
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

  /// The host's next packet, without an answer.
  func nextPacket() -> [UInt8]? { host.takePacket(at: now) }

  /// Takes the host's packets until it has none, and answers them.
  func run() {
    for _ in 0..<5_000 {
      guard let packet = nextPacket() else { return }
      answer(packet)
    }
    Issue.record("the host never falls silent")
  }

  // MARK: The controller

  /// Answers a packet of the host's as the script says.
  func answer(_ packet: [UInt8]) {
    if packet[0] == 0x02 {
      let handle = takeData(packet).handle
      if behaviour.completesPackets, handle != behaviour.forgetsPacketsOf {
        completePackets(of: handle)
      }
      return
    }
    let opcode = takeCommand(packet)
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
      report([0x04, 0x05, 4, 0x00, packet[4], packet[5], 0x16])
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
    report(Events.complete(opcode, Array(kept), credits: behaviour.commandCredits))
  }

  func status(_ status: HCIErrorCode, of opcode: HCIOpcode) {
    report(Events.status(opcode, status.rawValue, credits: behaviour.commandCredits))
  }

  /// The controller reports `count` completed packets of a link.
  func completePackets(of handle: UInt16, count: UInt16 = 1) {
    report(Events.completedPackets(of: handle, count: count))
  }

  /// The host receives an event, and is not asked for packets yet.
  private func report(_ event: [UInt8]) {
    host.receive(event.span, at: now)
  }
}
