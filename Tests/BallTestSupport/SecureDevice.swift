import BluetoothHost
import Expectations
import VirtualRadio

/// The delegate of a Security Manager: records what it hears, with the index of the link.
package struct PairingRecord: PairingDelegate {
  package enum Call: Equatable {
    case show(PairingPrompt, Int)
    case ended(PairingOutcome, Int)
    case security(LinkSecurity, Int)
    case encryptionFailed(HCIErrorCode, Int)
  }

  package private(set) var calls: [Call] = []

  package init() {}

  package var prompts: [PairingPrompt] {
    calls.compactMap { if case .show(let prompt, _) = $0 { prompt } else { nil } }
  }
  package var outcomes: [PairingOutcome] {
    calls.compactMap { if case .ended(let outcome, _) = $0 { outcome } else { nil } }
  }
  package var encryptionFailures: [HCIErrorCode] {
    calls.compactMap { if case .encryptionFailed(let reason, _) = $0 { reason } else { nil } }
  }
  package var security: LinkSecurity {
    calls.reduce(.none) { if case .security(let new, _) = $1 { new } else { $0 } }
  }

  package mutating func show(_ prompt: PairingPrompt, at index: Int) {
    calls.append(.show(prompt, index))
  }
  package mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    calls.append(.ended(outcome, index))
  }
  package mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    calls.append(.security(security, index))
  }
  package mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    calls.append(.encryptionFailed(reason, index))
  }
}

/// A device whose values need protected links, which is a client of others, and has channels: a host
/// on a controller of its own.
package final class SecureDevice {
  package typealias Manager = SecurityManager<
    2, P256KeyAgreement, FixedRandom, BondTable<4>, PairingRecord
  >
  package typealias Side = Host<
    2, AdvertisingServer<2, GuardedDatabase, GuardedApplication, AdvertisingSets<1, 31>>,
    ScanningClient<2, Collector, ExtendedScanner<1, 31>>, Manager,
    CreditBasedChannels<2, 12, EnhancedBearers<2, 8, ByteStreams>>
  >

  package let bench: AirBench
  private let device: AirDevice<Side>
  private let number: UInt8
  private var startCount: UInt64 = 0
  /// The address that never changes.
  package let address: DeviceAddress
  private let identity: LocalIdentity
  private let policy: PairingPolicy
  private let privacy: PrivacyPolicy
  /// Called with each packet of the host.
  package var onPacket: (([UInt8]) -> Void)?
  /// Called after each packet.
  package var check: (() -> Void)?
  /// The commands that the controller has refused, without LE Set Advertising Parameters, which a
  /// host also sends to check that it advertises.
  package private(set) var refusedCommands: [HCIOpcode] = []
  /// How many packets of the attribute protocol came while the link was not encrypted.
  package private(set) var packetsInClear = 0

  package init(
    number: UInt8, policy: PairingPolicy = PairingPolicy(), key: Number128 = .zero,
    privacy: PrivacyPolicy = PrivacyPolicy(), on bench: AirBench,
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.bench = bench
    self.number = number
    self.policy = policy
    self.privacy = privacy
    address = DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])
    identity = LocalIdentity(identityResolvingKey: key, address: address)
    device = bench.add(
      Self.makeHost(number, 0, policy, identity, BondTable(), GuardedDatabase()),
      on: bench.air.addController(address: address, configuration: configuration))
    device.onPacket = { [unowned self] packet, direction in
      let bytes = packet.indices.map { packet[$0] }
      if direction == .sent { onPacket?(bytes) } else { note(bytes) }
      check?()
    }
    host.security.privacy = privacy
    host.start(at: now)
  }

  private static func makeHost(
    _ number: UInt8, _ start: UInt64, _ policy: PairingPolicy, _ identity: LocalIdentity,
    _ bonds: consuming BondTable<4>, _ database: GuardedDatabase
  ) -> Side {
    Side(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Guarded")), service: BluetoothUUID(0x180F), address: .public,
        preferredParameters: nil),
      server: AdvertisingServer(database: database, application: GuardedApplication()),
      client: ScanningClient(application: Collector()),
      security: Manager(
        policy: policy, identity: identity, bonds: bonds, delegate: PairingRecord(),
        agreement: P256KeyAgreement(), random: FixedRandom(seed: UInt64(number) + 100 * start)),
      channels: CreditBasedChannels(
        application: EnhancedBearers(application: ByteStreams()), mps: .twoPackets))
  }

  /// Restarts the program: only the bonds stay, and the database may be another.
  package func restart(_ database: GuardedDatabase? = nil) {
    var bonds = BondTable<4>()
    for index in (0..<host.security.bonds.count).reversed() {
      if let bond = host.security.bonds.bond(at: index) { bonds.store(bond) }
    }
    startCount += 1
    host = Self.makeHost(
      number, startCount, policy, identity, bonds, database ?? host.server.database)
    host.security.privacy = privacy
    host.start(at: now)
  }

  package var now: Instant { bench.now }
  package var radio: VirtualController { device.controller }
  package var host: Side {
    _read { yield device.host }
    _modify { yield &device.host }
  }
  /// What its user and its clients have seen.
  package var record: PairingRecord { host.security.delegate }
  package var collector: Collector { host.client.application }
  package var application: GuardedApplication { host.server.application }
  /// What protects its link.
  package var protection: LinkSecurity { host.security.security(at: 0) }
  package var isEncrypted: Bool { protection.contains(.encrypted) }
  package var bondCount: Int { host.security.bonds.count }
  package var bond: Bond? { host.security.bonds.bond(at: 0) }

  /// Pairs on its link; encrypts it with its bond; answers for its user. `false` if it cannot.
  package func pair() -> Bool { host.security.pair(at: 0, at: now) }
  package func secure() -> Bool { host.security.secure(at: 0, at: now) }
  package func confirm(_ isRight: Bool = true) -> Bool {
    host.security.confirm(isRight, at: 0, at: now)
  }
  package func removeBonds() { while bondCount > 0 { host.security.removeBond(at: 0) } }

  /// Begins an operation on its link; `false` if it cannot.
  package func perform(_ operation: ClientOperation, value: [UInt8] = []) -> Bool {
    host.client.application.values[0] = value
    return host.perform(operation, at: 0)
  }
  /// The operation under way on its link.
  package var operation: ClientOperation? { host.operation(at: 0) }

  /// Sends a value to the client on its link if that subscribes to it.
  package func update(_ attribute: ApplicationAttribute, _ value: UInt8) {
    host.server.application.updates.append((0, attribute, value))
  }

  private func note(_ packet: [UInt8]) {
    // An ACL packet, whose L2CAP channel is that of the attribute protocol.
    if packet.count > 7, packet[0] == 0x02, packet[7] == 0x04, !isEncrypted { packetsInClear += 1 }
    // Command Complete or Command Status with an error.
    guard packet.count > 6, packet[0] == 0x04, packet[1] == 0x0E || packet[1] == 0x0F else {
      return
    }
    let start = packet[1] == 0x0E ? 4 : 5
    let status = packet[1] == 0x0E ? packet[6] : packet[3]
    let opcode = HCIOpcode(rawValue: UInt16(packet[start]) | UInt16(packet[start + 1]) << 8)
    // The check of the advertising, in either family of commands.
    let isCheck =
      opcode == .leSetAdvertisingParameters || opcode == .leSetExtendedAdvertisingParameters
    if status != 0, !isCheck { refusedCommands.append(opcode) }
  }

  // MARK: Channels

  /// The delegate of its channels.
  package var owner: ByteStreams {
    _read { yield host.channels.application.application }
    _modify { yield &host.channels.application.application }
  }

  /// Requests a channel from its peer.
  @discardableResult
  package func open(_ spsm: UInt16) -> Int? {
    guard let spsm = SPSM(spsm), let mtu = ChannelMTU(1_000) else { return nil }
    return host.channels.open(spsm, mtu: mtu, at: 0)
  }

  /// Sends bytes on a channel, after those that wait.
  package func send(_ bytes: [UInt8], on channel: Int) {
    owner.streams[channel]?.outgoing += bytes
    host.channels.resume(channel)
  }

  /// Takes the received bytes of a channel.
  package func take(from channel: Int) -> [UInt8] {
    let bytes = owner.streams[channel]?.incoming ?? []
    owner.streams[channel]?.incoming = []
    host.channels.resume(channel)
    return bytes
  }
}

/// Two devices on one air; the first is the central.
package final class SecurePair {
  package let bench: AirBench
  package let central: SecureDevice
  package let peripheral: SecureDevice
  /// Called after each packet.
  package var check: (() -> Void)? { didSet { for device in devices { device.check = check } } }

  package init(
    central: PairingPolicy = PairingPolicy(), peripheral: PairingPolicy = PairingPolicy(),
    keys: (Number128, Number128) = (.zero, .zero), privacy: PrivacyPolicy = PrivacyPolicy(),
    seed: UInt64 = 8, configuration: ControllerConfiguration = ControllerConfiguration(),
    peripheralConfiguration: ControllerConfiguration? = nil
  ) {
    bench = AirBench(seed: seed)
    self.central = SecureDevice(
      number: 1, policy: central, key: keys.0, privacy: privacy, on: bench,
      configuration: configuration)
    self.peripheral = SecureDevice(
      number: 2, policy: peripheral, key: keys.1, privacy: privacy, on: bench,
      configuration: peripheralConfiguration ?? configuration)
    run(for: 100)
  }

  package var devices: [SecureDevice] { [central, peripheral] }

  /// Makes a link, and lets it settle. With `inClear` the central's controller refuses to encrypt it
  /// for a bond at once.
  package func connect(to address: DeviceAddress? = nil, inClear: Bool = false) {
    if inClear { central.radio.faults.refuse(.leEnableEncryption, with: .commandDisallowed) }
    _ = central.host.connect(to: address ?? peripheral.address)
    run(for: 1_000)
  }

  package func disconnect() {
    central.host.disconnectAll()
    run(for: 1_000)
  }

  /// Makes a link, pairs, and lets it settle.
  package func pair(at address: DeviceAddress? = nil) {
    connect(to: address)
    expect(central.pair())
    run(for: 2_000)
  }

  /// Encrypts the link with the bond.
  package func secure() {
    _ = central.secure()
    run(for: 500)
  }

  /// Performs an operation of the central: `nil`, or the error with which it ended.
  package func perform(_ operation: ClientOperation, value: UInt8 = 0) -> OperationError? {
    let count = central.collector.results.count
    guard central.perform(operation, value: [value]) else { return .disconnected }
    run(for: 500)
    guard let result = central.collector.results.dropFirst(count).first else { return .timedOut }
    if case .failure(let error) = result { return error }
    return nil
  }

  /// The value that the central reads.
  package func read(_ handle: AttributeHandle) -> [UInt8]? {
    guard perform(.read(handle)) == nil,
      case .success(.value(let value)) = central.collector.results.last
    else { return nil }
    return value
  }

  /// The error code with which a request is refused; `nil` if it is not.
  package func refusal(_ operation: ClientOperation) -> ATTErrorCode? {
    guard case .refused(let response) = perform(operation) else { return nil }
    return response.code
  }

  /// Carries packets and lets `milliseconds` pass.
  package func run(for milliseconds: UInt32) {
    #expect(throws: Never.self) {
      try bench.run(for: milliseconds) {
        check?()
        return false
      }
    }
  }
}
