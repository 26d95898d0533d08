import BallTestSupport
import BluetoothHost
import EightBall
import Testing
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

/// A device that serves a ball, asks others, protects links and has channels: a host on a controller of
/// its own.
final class SecureDevice {
  typealias Manager = SecurityManager<
    2, P256KeyAgreement, FixedRandom, BondTable<4>, PairingRecord
  >

  typealias Side = Host<
    2, GATTServer<2, EightBallProfile.Database, BallApplication<2>>, GATTClient<2, AskingClient>,
    Manager,
    CreditBasedChannels<2, 4, ByteStreams>
  >

  let bench: AirBench
  let address: DeviceAddress
  private let device: AirDevice<Side>
  /// Called with each packet of the host.
  var onPacket: (([UInt8]) -> Void)?
  /// How many packets of the attribute protocol came while the link was not encrypted.
  private(set) var packetsInClear = 0

  init(
    number: UInt8, policy: PairingPolicy = PairingPolicy(), on bench: AirBench,
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.bench = bench
    address = DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])
    let host = Side(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Ball")), service: .ballService, address: .public),
      server: GATTServer(
        database: EightBallProfile.makeDatabase(),
        application: BallApplication<2>(seed: UInt64(number))),
      client: GATTClient(application: AskingClient(name: "\(number)")),
      security: Manager(
        policy: policy,
        identity: LocalIdentity(identityResolvingKey: .zero, address: address),
        bonds: BondTable(), delegate: PairingRecord(), agreement: P256KeyAgreement(),
        random: FixedRandom(seed: UInt64(number))),
      channels: CreditBasedChannels(application: ByteStreams(), mps: .twoPackets))
    device = bench.add(
      host, on: bench.air.addController(address: address, configuration: configuration))
    device.onPacket = { [unowned self] packet, direction in
      if direction == .sent { onPacket?(packet.indices.map { packet[$0] }) }
      // An ACL packet, whose L2CAP channel is that of the attribute protocol.
      guard direction == .received, packet.count > 7, packet[0] == 0x02, packet[7] == 0x04 else {
        return
      }
      if !protection.contains(.encrypted) { packetsInClear += 1 }
    }
    device.host.start(at: now)
  }

  var now: Instant { bench.now }
  var radio: VirtualController { device.controller }
  var host: Side {
    _read { yield device.host }
    _modify { yield &device.host }
  }
  var record: PairingRecord { host.security.delegate }
  /// What its client has seen.
  var askingClient: AskingClient { host.client.application }
  /// What protects its link.
  var protection: LinkSecurity { host.security.security(at: 0) }
  var bondCount: Int { host.security.bonds.count }
  var bond: Bond? { host.security.bonds.bond(at: 0) }

  /// Pairs on its link; encrypts it with its bond; answers for its user. `false` if it cannot.
  func pair() -> Bool { host.security.pair(at: 0, at: now) }
  func secure() -> Bool { host.security.secure(at: 0, at: now) }
  /// Begins an operation on its link; `false` if it cannot.
  func perform(_ operation: ClientOperation) -> Bool { host.perform(operation, at: 0) }
  /// The operation under way on its link.
  var operation: ClientOperation? { host.operation(at: 0) }
  func confirm() -> Bool { host.security.confirm(true, at: 0, at: now) }
}

/// Two devices on one air; the first is the central.
final class SecurePair {
  let bench = AirBench(seed: 8)
  let central: SecureDevice
  let peripheral: SecureDevice

  init(
    central: PairingPolicy = PairingPolicy(), peripheral: PairingPolicy = PairingPolicy(),
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.central = SecureDevice(
      number: 1, policy: central, on: bench, configuration: configuration)
    self.peripheral = SecureDevice(
      number: 2, policy: peripheral, on: bench, configuration: configuration)
    run(for: 100)
  }

  /// Makes a link, and lets it settle. With `inClear` the central's controller refuses to encrypt it
  /// for a bond at once.
  func connect(inClear: Bool = false) {
    if inClear { central.radio.faults.refuse(.leEnableEncryption, with: .commandDisallowed) }
    _ = central.host.connect(to: peripheral.address)
    run(for: 1_000)
  }

  func disconnect() {
    central.host.disconnectAll()
    run(for: 1_000)
  }

  /// Carries packets and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    #expect(throws: Never.self) { try bench.run(for: milliseconds) }
  }
}
