import BallTestSupport
import BluetoothHost
import Testing
import VirtualRadio

/// A device whose values want protected links, on a controller of its own. It asks others, too.
final class GuardedDevice {
  typealias Manager = SecurityManager<
    2, P256KeyAgreement, FixedRandom, BondTable<4>, PairingRecord
  >

  typealias Side = Host<
    2, GATTServer<2, GuardedDatabase, GuardedApplication>, GATTClient<2, GuardedAsker>, Manager,
    NoChannels
  >

  let bench: AirBench
  private let device: AirDevice<Side>
  /// The address that never changes.
  let identity: DeviceAddress
  private let number: UInt8
  private var startCount: UInt64 = 0
  let localIdentity: LocalIdentity
  let policy: PairingPolicy
  let privacy: PrivacyPolicy
  /// Called with each packet of the host.
  var onPacket: (([UInt8]) -> Void)?
  /// Called after each packet.
  var check: (() -> Void)?
  /// The commands that the controller has refused, without LE Set Advertising Parameters, which a
  /// host also sends to check that it advertises.
  private(set) var refusedCommands: [HCIOpcode] = []

  init(
    number: UInt8, policy: PairingPolicy, key: Number128 = .zero,
    privacy: PrivacyPolicy = PrivacyPolicy(), on bench: AirBench,
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.bench = bench
    self.number = number
    self.policy = policy
    self.privacy = privacy
    identity = DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])
    localIdentity = LocalIdentity(identityResolvingKey: key, address: identity)
    device = bench.add(
      Self.makeHost(number, 0, policy, localIdentity, BondTable(), GuardedDatabase()),
      on: bench.air.addController(address: identity, configuration: configuration))
    device.onPacket = { [unowned self] packet, direction in
      let bytes = packet.indices.map { packet[$0] }
      if direction == .sent { onPacket?(bytes) } else { noteRefusal(bytes) }
      check?()
    }
    host.security.privacy = privacy
    host.start(at: now)
  }

  var now: Instant { bench.now }
  var radio: VirtualController { device.controller }
  var host: Side {
    _read { yield device.host }
    _modify { yield &device.host }
  }

  private static func makeHost(
    _ number: UInt8, _ start: UInt64, _ policy: PairingPolicy, _ identity: LocalIdentity,
    _ bonds: consuming BondTable<4>, _ database: GuardedDatabase
  ) -> Side {
    Side(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Guarded")), service: BluetoothUUID(0x180F), address: .public,
        preferredParameters: nil),
      server: GATTServer(database: database, application: GuardedApplication()),
      client: GATTClient(application: GuardedAsker()),
      security: Manager(
        policy: policy, identity: identity, bonds: bonds, delegate: PairingRecord(),
        agreement: P256KeyAgreement(), random: FixedRandom(seed: UInt64(number) + 100 * start)),
      channels: NoChannels())
  }

  /// Restarts the program: only the bonds stay, and the database may be another.
  func restart(_ database: GuardedDatabase? = nil) {
    var bonds = BondTable<4>()
    for index in (0..<host.security.bonds.count).reversed() {
      if let bond = host.security.bonds.bond(at: index) { bonds.store(bond) }
    }
    startCount += 1
    host = Self.makeHost(
      number, startCount, policy, localIdentity, bonds, database ?? host.server.database)
    host.security.privacy = privacy
    host.start(at: bench.now)
  }

  var record: PairingRecord { host.security.delegate }
  /// What protects its link.
  var protection: LinkSecurity { host.security.security(at: 0) }
  var bondCount: Int { host.security.bonds.count }
  var bond: Bond? { host.security.bonds.bond(at: 0) }
  var asker: GuardedAsker { host.client.application }

  /// Sends a value to the client on its link if that subscribes to it.
  func update(_ attribute: ApplicationAttribute, _ value: UInt8) {
    host.server.application.updates.append(
      GuardedApplication.Update(connectionIndex: 0, attribute: attribute, value: value))
  }

  /// Keeps the command that `packet` refuses: Command Complete or Command Status with an error.
  private func noteRefusal(_ packet: [UInt8]) {
    guard packet.count > 6, packet[0] == 0x04, packet[1] == 0x0E || packet[1] == 0x0F else {
      return
    }
    let start = packet[1] == 0x0E ? 4 : 5
    let status = packet[1] == 0x0E ? packet[6] : packet[3]
    guard status != 0 else { return }
    let opcode = HCIOpcode(rawValue: UInt16(packet[start]) | UInt16(packet[start + 1]) << 8)
    if opcode != .leSetAdvertisingParameters { refusedCommands.append(opcode) }
  }
}

/// Two such devices on one air; the first is the central.
final class GuardedPair {
  let bench: AirBench
  let central: GuardedDevice
  let peripheral: GuardedDevice
  /// Called after each packet.
  var check: (() -> Void)? {
    didSet { for device in [central, peripheral] { device.check = check } }
  }

  init(
    central: PairingPolicy = PairingPolicy(), peripheral: PairingPolicy = PairingPolicy(),
    keys: (Number128, Number128) = (.zero, .zero),
    privacy: (PrivacyPolicy, PrivacyPolicy) = (PrivacyPolicy(), PrivacyPolicy()), seed: UInt64 = 8,
    configuration: ControllerConfiguration = ControllerConfiguration(),
    peripheralConfiguration: ControllerConfiguration? = nil
  ) {
    bench = AirBench(seed: seed)
    self.central = GuardedDevice(
      number: 1, policy: central, key: keys.0, privacy: privacy.0, on: bench,
      configuration: configuration)
    self.peripheral = GuardedDevice(
      number: 2, policy: peripheral, key: keys.1, privacy: privacy.1, on: bench,
      configuration: peripheralConfiguration ?? configuration)
    run(for: 100)
  }

  /// Makes a link, and lets it settle. With `inClear` the central's controller refuses to encrypt it
  /// for a bond at once.
  func connect(to address: DeviceAddress? = nil, inClear: Bool = false) {
    if inClear { central.radio.faults.refuse(.leEnableEncryption, with: .commandDisallowed) }
    _ = central.host.connect(to: address ?? peripheral.identity)
    run(for: 1_000)
  }

  func disconnect() {
    central.host.disconnectAll()
    run(for: 1_000)
  }

  /// Makes a link, pairs, and lets it settle.
  func pair(at address: DeviceAddress? = nil) {
    connect(to: address)
    _ = central.host.security.pair(at: 0, at: bench.now)
    run(for: 2_000)
  }

  /// Encrypts the link with the bond.
  func secure() {
    _ = central.host.security.secure(at: 0, at: bench.now)
    run(for: 500)
  }

  /// What the central's operation gave: `nil` without an end; an error; or the value read.
  @discardableResult
  func perform(_ operation: ClientOperation, value: UInt8 = 0) -> OperationError? {
    central.host.client.application.outgoing = value
    central.host.client.application.value = []
    central.host.client.application.results = []
    guard central.host.perform(operation, at: 0) else { return .disconnected }
    run(for: 500)
    return central.asker.results.first ?? .timedOut
  }

  /// The error code with which a request is refused; `nil` if it is not.
  func refusal(_ operation: ClientOperation, value: UInt8 = 0) -> ATTErrorCode? {
    guard case .refused(let response) = perform(operation, value: value) else { return nil }
    return response.code
  }

  /// Carries packets and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    #expect(throws: Never.self) {
      try bench.run(for: milliseconds) {
        check?(); return false
      }
    }
  }
}
