import BluetoothHost
import Foundation
import LinuxRadio

/// The device that peers see, on a radio's thread: a central and a peripheral at once, with one
/// address. It has the host and the engines of all managers. It lives as long as the radio. Each
/// new thread calls `renew` first. Its host has about 125 kB and is never copied out of this
/// object. Only the radio's thread uses it, apart from what its types permit.
final class LocalDevice: RadioProgram, @unchecked Sendable {
  /// The host of a device. Each link is a server and a client at once, whichever side made it.
  typealias Host = BluetoothHost.Host<
    32, AdvertisingServer<32, DynamicDatabase, DelegateServer, AdvertisingSets<1, 124>>,
    ScanningClient<32, CentralEngine, ExtendedScanner<8, 1_650>>, Security,
    CreditBasedChannels<32, 40, DeviceChannels>
  >
  /// Whether the last controller that was set up in this process scans for and connects to extended
  /// advertisers.
  static let supportsExtended = Locked(false)
  /// What protects its links, in both roles.
  typealias Security = SecurityManager<
    32, P256KeyAgreement, AirRandom, RadioBonds, DevicePairing
  >

  /// How many links it can have at once.
  static let links = 32
  /// How many channels it can have at once.
  static let channels = 40
  /// How many of these links centrals may make.
  static let peripheralLinks = 8

  /// The address of the device.
  let address: OwnAddress
  /// The engine of all central managers.
  let central: CentralEngine
  /// The engine of all peripheral managers.
  private(set) var peripheral: PeripheralEngine!
  let subscribers = SubscriberTable()
  let channels = DeviceChannels()
  let bonds: RadioBonds
  let pairing: DevicePairing
  private let random: AirRandom
  /// Whether bluetoothd secures its links and offers its services.
  let isBesideDaemon: Bool
  var host: Host
  /// Whether the services have changed since `takeServiceChange`.
  private var haveServicesChanged = false

  /// The time of the current call.
  var now = Instant(rawValue: 0) {
    didSet {
      central.now = now
      channels.now = now
    }
  }
  /// Called when the controller has failed three times without hearing a peer in between.
  var onError: RadioWatch.Listener = { _ in }
  /// Receives the reason when the radio is lost.
  var onLoss: RadioWatch.Listener = { _ in }
  private var isEnding = false
  /// Whether the controller was set up at the end of the last turn.
  private var wasReady = false

  /// - Parameters:
  ///   - address: The address of the device.
  ///   - bonds: The store of its bonds.
  ///   - random: What its keys are made from.
  ///   - isBesideDaemon: Whether bluetoothd secures its links, and offers its services.
  ///   - firstRequests: What is asked of the peer of each new link.
  init(
    address: OwnAddress, bonds: RadioBonds = RadioBonds(),
    random: AirRandom = AirRandom(of: AirTime()),
    isBesideDaemon: Bool = false,
    firstRequests: [(operation: PeerOperation, whenIdle: Bool)] = CentralEngine.firstRequests
  ) {
    self.address = address
    self.bonds = bonds
    self.random = random
    self.isBesideDaemon = isBesideDaemon
    central = CentralEngine(
      connections: Self.links, channels: channels, firstRequests: firstRequests)
    pairing = DevicePairing(central)
    host = Self.newHost(address, central, subscribers, channels, bonds, pairing, random)
    secureLinks()
    if isBesideDaemon { central.attemptLimit = 30_000 }
    peripheral = PeripheralEngine(self)
    central.onControllerError = { [unowned self] in note($0, failures: $1) }
  }

  private static func newHost(
    _ address: OwnAddress, _ central: CentralEngine, _ subscribers: SubscriberTable,
    _ channels: DeviceChannels, _ bonds: RadioBonds, _ pairing: DevicePairing,
    _ random: AirRandom
  ) -> Host {
    let machine = Array(ProcessInfo.processInfo.hostName.prefix { $0 != "." }.utf8)
    var configuration = HostConfiguration(
      name: DeviceName(prefixOf: machine.span) ?? DeviceName(StaticText("Linux")), service: nil,
      address: address)
    configuration.peripheralLinks = peripheralLinks
    return Host(
      configuration: configuration,
      server: AdvertisingServer(
        database: DynamicDatabase(),
        application: DelegateServer(capacity: links, subscribers: subscribers)),
      client: ScanningClient(application: central),
      security: SecurityManager(
        policy: pairing.policy, identity: nil, bonds: bonds, delegate: pairing,
        agreement: P256KeyAgreement(), random: random),
      channels: CreditBasedChannels(application: channels, mps: .twoPackets))
  }

  /// Whether the controller has been set up.
  var isReady: Bool { central.isReady }

  /// A new thread starts: every link has ended, and the server has only GAP and GATT.
  func renew() {
    isEnding = false
    peripheral.removeAll()
    host.radioLost()
    host = Self.newHost(address, central, subscribers, channels, bonds, pairing, random)
    secureLinks()
    central.radioChanged(to: .starting)
  }

  /// Runs the calls of managers.
  func run(_ jobs: [DeviceJob], at now: Instant) {
    self.now = now
    for job in jobs { job(self) }
    update()
  }

  private func secureLinks() { if isBesideDaemon { host.security.linkSecurity = .full } }

  // MARK: Services

  /// The services in `range` have changed.
  func servicesChanged(in range: AttributeHandleRange) {
    host.server.databaseChanged(in: range)
    haveServicesChanged = true
  }

  /// Whether the radio has to export the services again.
  func takeServiceChange() -> Bool {
    defer { haveServicesChanged = false }
    return haveServicesChanged && isBesideDaemon
  }

  func exportAttributes<Port: RadioPort & ~Copyable>(to port: inout Port) {
    haveServicesChanged = false
    host.server.exportAttributes(to: &port)
  }

  // MARK: RadioProgram

  func radioIsReady(at now: Instant) {
    self.now = now
    central.resetFailures()
    host.start(at: now)
    endTurn()
  }

  func radioIsLost(_ error: RadioError, at now: Instant) {
    onLoss(error)
    self.now = now
    host.radioLost()
    endTurn()
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    host.receive(packet, at: now)
    endTurn()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    self.now = now
    repeat {
      update()
      if host.nextPacket(into: &writer, at: now) { return true }
      // An operation without a response makes room for the next.
    } while central.needsUpdate || channels.needsUpdate
    return false
  }

  var deadline: Instant? {
    [host.deadline, central.deadline, channels.deadline].compactMap(\.self).min()
  }

  func advance(to now: Instant) {
    self.now = now
    host.advance(to: now)
    central.advance()
    channels.advance()
    endTurn()
  }

  /// Nothing waits: results have gone to their completions.
  func turnEnded() {}

  /// Ends advertising, scanning and every link.
  func shutDown(at now: Instant) {
    isEnding = true
    self.now = now
    central.shutDown()
    host.shutDown()
    endTurn()
  }

  var isFinished: Bool { isEnding && host.isShutDown }

  // MARK: After each call

  private func endTurn() {
    update()
    if wasReady != isReady {
      wasReady = isReady
      // Managers get their state after this turn.
      if isReady { Self.supportsExtended.withLock { $0 = host.isExtended } }
    }
    peripheral.endTurn()
  }

  private func update() {
    if central.needsUpdate { central.update(&host) }
    if channels.needsUpdate { channels.update(&host) }
  }

  private func note(_ error: ControllerError, failures: Int) {
    guard error != .lost else { return }
    if failures < CentralEngine.faultLimit {
      Log.logger.warning("the controller failed and is being reset: \(error.text)")
    } else if failures == CentralEngine.faultLimit {
      Log.logger.error("the controller keeps failing; it is reset each time: \(error.text)")
      onError(RadioError(error.text))
    }
  }

  // MARK: Bonds

  /// Writes the file of the bonds, if there is one and they have changed.
  func keepBonds() { bonds.keep(as: knownAddress) }

  /// The same, and releases the file.
  func closeBonds() { bonds.close(as: knownAddress) }

  private var knownAddress: DeviceAddress? { host.address == .zero ? nil : host.address }
}
