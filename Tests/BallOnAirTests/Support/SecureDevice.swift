import BluetoothHost
import EightBall
import VirtualRadio

/// An owner of a Security Manager that records what it hears.
struct PairingRecord: PairingDelegate {
  var prompts: [PairingPrompt] = []
  var outcomes: [PairingOutcome] = []
  var security: LinkSecurity = .none
  var encryptionFailures: [HCIErrorCode] = []

  mutating func show(_ prompt: PairingPrompt, at index: Int) { prompts.append(prompt) }
  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    outcomes.append(outcome)
  }
  mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    self.security = security
  }
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    encryptionFailures.append(reason)
  }
}

/// Keys of the tests: the same ones for the same seed.
struct FixedKeys: SecureRandomNumberGenerator {
  private var source: RandomSource

  init(seed: UInt64) { source = RandomSource(seed: seed) }

  mutating func next() -> UInt64 { UInt64(source.next()) << 32 | UInt64(source.next()) }
}

/// A device that serves a ball, asks others, protects links and has channels: a host on a controller of
/// its own.
final class SecureDevice {
  typealias Manager = SecurityManager<
    2, P256KeyAgreement, FixedKeys, BondTable<4>, PairingRecord
  >

  let air: VirtualAir
  let address: DeviceAddress
  let radio: VirtualController
  /// How many packets of the attribute protocol came while the link was not encrypted.
  private(set) var packetsInClear = 0
  var host:
    Host<
      2, GATTServer<2, BallProfile.Database, Ball<2>>, GATTClient<2, Curiosity>, Manager,
      CreditBasedChannels<2, 4, ByteStreams>
    >

  init(
    number: UInt8, policy: PairingPolicy = PairingPolicy(), on air: VirtualAir,
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.air = air
    address = DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])
    radio = air.addController(address: address, configuration: configuration)
    host = Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Ball")), service: .ballService, address: .public),
      server: GATTServer(
        database: BallProfile.makeDatabase(), application: Ball<2>(seed: UInt64(number))),
      client: GATTClient(application: Curiosity(name: "\(number)")),
      security: Manager(
        policy: policy,
        identity: LocalIdentity(identityResolvingKey: .zero, address: address),
        bonds: BondTable(), delegate: PairingRecord(), agreement: P256KeyAgreement(),
        random: FixedKeys(seed: UInt64(number))),
      channels: CreditBasedChannels(application: ByteStreams(), mps: .twoPackets))
    host.start(at: air.now)
  }

  var record: PairingRecord { host.security.delegate }
  /// What its client has seen.
  var curiosity: Curiosity { host.client.application }
  /// What protects its link.
  var protection: LinkSecurity { host.security.security(at: 0) }
  var bondCount: Int { host.security.bonds.count }
  var bond: Bond? { host.security.bonds.bond(at: 0) }

  /// Pairs on its link; encrypts it with its bond; answers for its user. `false` if it cannot.
  func pair() -> Bool { host.security.pair(at: 0, at: air.now) }
  func secure() -> Bool { host.security.secure(at: 0, at: air.now) }
  /// Begins an operation on its link; `false` if it cannot.
  func perform(_ operation: ClientOperation) -> Bool { host.perform(operation, at: 0) }
  /// The operation under way on its link.
  var operation: ClientOperation? { host.operation(at: 0) }
  func confirm() -> Bool { host.security.confirm(true, at: 0, at: air.now) }

  /// Carries one packet; `false` if there is none.
  func carryOne() -> Bool {
    var storage = [UInt8](repeating: 0, count: 1_024)
    func take(_ write: (inout ByteWriter) -> Bool) -> Int? {
      var writer = ByteWriter(storage.mutableSpan)
      return write(&writer) ? writer.count : nil
    }
    if radio.hasPacket, let count = take({ radio.nextPacket(into: &$0) }) {
      // An ACL packet, whose L2CAP channel is that of the attribute protocol.
      let isAttributes = storage[0] == 0x02 && storage[7] == 0x04
      if isAttributes, !protection.contains(.encrypted) { packetsInClear += 1 }
      host.receive(storage.span.extracting(first: count), at: air.now)
    } else if let count = take({ host.nextPacket(into: &$0, at: air.now) }) {
      radio.send(storage.span.extracting(first: count))
    } else {
      return false
    }
    return true
  }
}

/// Two devices on one air, the first of which is the central.
final class SecurePair {
  let air = VirtualAir(seed: 8)
  let central: SecureDevice
  let peripheral: SecureDevice

  init(
    central: PairingPolicy = PairingPolicy(), peripheral: PairingPolicy = PairingPolicy(),
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.central = SecureDevice(
      number: 1, policy: central, on: air, configuration: configuration)
    self.peripheral = SecureDevice(
      number: 2, policy: peripheral, on: air, configuration: configuration)
    run(for: 100)
  }

  /// Makes a link, and lets it settle.
  func connect() {
    _ = central.host.connect(to: peripheral.address)
    run(for: 1_000)
  }

  func disconnect() {
    central.host.disconnectAll()
    run(for: 1_000)
  }

  /// Carries everything, does the work on keys, and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    let limit = air.now.advanced(by: milliseconds)
    while true {
      while central.carryOne() || peripheral.carryOne() {}
      var next = Instant.earlier(air.deadline, central.host.deadline)
      next = Instant.earlier(next, peripheral.host.deadline)
      let target = min(limit, max(next ?? limit, air.now))
      let isOver = target >= limit && (next ?? limit) >= limit
      air.advance(to: target)
      central.host.advance(to: target)
      peripheral.host.advance(to: target)
      if isOver, !central.radio.hasPacket, !peripheral.radio.hasPacket { return }
    }
  }
}
