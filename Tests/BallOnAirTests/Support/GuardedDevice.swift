import BluetoothHost
import VirtualRadio

/// A device whose values want protected links, on a controller of its own. It asks others, too.
final class GuardedDevice {
  typealias Manager = SecurityManager<
    2, P256KeyAgreement, FixedKeys, BondTable<4>, PairingRecord
  >

  let air: VirtualAir
  /// The address that never changes.
  let identity: DeviceAddress
  let radio: VirtualController
  private let number: UInt8
  private var startCount: UInt64 = 0
  let localIdentity: LocalIdentity
  let policy: PairingPolicy
  let privacy: PrivacyPolicy
  /// Called with each packet of the host.
  var onPacket: (([UInt8]) -> Void)?
  /// The commands that the controller has refused, but for new advertising parameters, by which a host asks
  /// whether it advertises.
  private(set) var refusedCommands: [HCIOpcode] = []
  var host:
    Host<
      2, GATTServer<2, GuardedDatabase, GuardedApplication>, GATTClient<2, GuardedAsker>, Manager,
      NoChannels
    >

  init(
    number: UInt8, policy: PairingPolicy, key: Number128 = .zero,
    privacy: PrivacyPolicy = PrivacyPolicy(), on air: VirtualAir,
    configuration: ControllerConfiguration = ControllerConfiguration()
  ) {
    self.air = air
    self.number = number
    self.policy = policy
    self.privacy = privacy
    identity = DeviceAddress(kind: .public, bytes: [number, 0xBA, 0x11, 0, 0, 0xF0])
    localIdentity = LocalIdentity(identityResolvingKey: key, address: identity)
    radio = air.addController(address: identity, configuration: configuration)
    host = Self.makeHost(number, 0, policy, localIdentity, BondTable(), GuardedDatabase())
    host.security.privacy = privacy
    host.start(at: air.now)
  }

  private static func makeHost(
    _ number: UInt8, _ start: UInt64, _ policy: PairingPolicy, _ identity: LocalIdentity,
    _ bonds: consuming BondTable<4>, _ database: GuardedDatabase
  ) -> Host<
    2, GATTServer<2, GuardedDatabase, GuardedApplication>, GATTClient<2, GuardedAsker>, Manager,
    NoChannels
  > {
    Host(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Guarded")), service: BluetoothUUID(0x180F), address: .public,
        preferredParameters: nil),
      server: GATTServer(database: database, application: GuardedApplication()),
      client: GATTClient(application: GuardedAsker()),
      security: Manager(
        policy: policy, identity: identity, bonds: bonds, delegate: PairingRecord(),
        agreement: P256KeyAgreement(), random: FixedKeys(seed: UInt64(number) + 100 * start)),
      channels: NoChannels())
  }

  /// The program begins anew: nothing is left but the bonds, and a database that may be another.
  func restart(_ database: GuardedDatabase? = nil) {
    var bonds = BondTable<4>()
    for index in (0..<host.security.bonds.count).reversed() {
      if let bond = host.security.bonds.bond(at: index) { bonds.store(bond) }
    }
    startCount += 1
    host = Self.makeHost(
      number, startCount, policy, localIdentity, bonds, database ?? host.server.database)
    host.security.privacy = privacy
    host.start(at: air.now)
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
      GuardedApplication.Update(place: 0, attribute: attribute, value: value))
  }

  /// Keeps the command that `packet` refuses: Command Complete or Command Status with an error.
  private func noteRefusal(_ packet: [UInt8]) {
    guard packet[0] == 0x04, packet[1] == 0x0E || packet[1] == 0x0F else { return }
    let start = packet[1] == 0x0E ? 4 : 5
    let status = packet[1] == 0x0E ? packet[6] : packet[3]
    guard status != 0 else { return }
    let opcode = HCIOpcode(rawValue: UInt16(packet[start]) | UInt16(packet[start + 1]) << 8)
    if opcode != .leSetAdvertisingParameters { refusedCommands.append(opcode) }
  }

  /// Carries one packet; `false` if there is none.
  func carryOne() -> Bool {
    var storage = [UInt8](repeating: 0, count: 1_024)
    func take(_ write: (inout ByteWriter) -> Bool) -> Int? {
      var writer = ByteWriter(storage.mutableSpan)
      return write(&writer) ? writer.count : nil
    }
    if radio.hasPacket, let count = take({ radio.nextPacket(into: &$0) }) {
      noteRefusal(storage)
      host.receive(storage.span.extracting(first: count), at: air.now)
    } else if let count = take({ host.nextPacket(into: &$0, at: air.now) }) {
      onPacket?(Array(storage[..<count]))
      radio.send(storage.span.extracting(first: count))
    } else {
      return false
    }
    return true
  }
}

/// Two such devices on one air, the first of which is the central.
final class GuardedPair {
  let air: VirtualAir
  let central: GuardedDevice
  let peripheral: GuardedDevice
  /// Others on their air.
  var others: [GuardedDevice] = []
  /// Called after each packet that a host or a controller has got.
  var check: (() -> Void)?

  init(
    central: PairingPolicy = PairingPolicy(), peripheral: PairingPolicy = PairingPolicy(),
    keys: (Number128, Number128) = (.zero, .zero),
    privacy: (PrivacyPolicy, PrivacyPolicy) = (PrivacyPolicy(), PrivacyPolicy()), seed: UInt64 = 8,
    configuration: ControllerConfiguration = ControllerConfiguration(),
    peripheralConfiguration: ControllerConfiguration? = nil
  ) {
    air = VirtualAir(seed: seed)
    self.central = GuardedDevice(
      number: 1, policy: central, key: keys.0, privacy: privacy.0, on: air,
      configuration: configuration)
    self.peripheral = GuardedDevice(
      number: 2, policy: peripheral, key: keys.1, privacy: privacy.1, on: air,
      configuration: peripheralConfiguration ?? configuration)
    run(for: 100)
  }

  /// Makes a link, and lets it settle.
  func connect(to address: DeviceAddress? = nil) {
    _ = central.host.connect(to: address ?? peripheral.identity)
    run(for: 1_000)
  }

  func disconnect() {
    central.host.disconnectAll()
    run(for: 1_000)
  }

  /// Makes a link, pairs, and lets it settle.
  func pair() {
    connect()
    _ = central.host.security.pair(at: 0, at: air.now)
    run(for: 2_000)
  }

  /// Encrypts the link with the bond.
  func secure() {
    _ = central.host.security.secure(at: 0, at: air.now)
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

  /// Carries everything, does the work on keys, and lets `milliseconds` pass.
  func run(for milliseconds: UInt32) {
    let limit = air.now.advanced(by: milliseconds)
    while true {
      let devices = [central, peripheral] + others
      while devices.contains(where: { $0.carryOne() }) { check?() }
      var next = air.deadline
      for device in devices { next = Instant.earlier(next, device.host.deadline) }
      let target = min(limit, max(next ?? limit, air.now))
      let isOver = target >= limit && (next ?? limit) >= limit
      air.advance(to: target)
      for device in devices { device.host.advance(to: target) }
      check?()
      if isOver, !devices.contains(where: { $0.radio.hasPacket }) { return }
    }
  }
}
