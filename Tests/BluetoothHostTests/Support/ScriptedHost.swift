import BluetoothHost
import Expectations

/// The server of a scripted host, or none.
protocol TestServer: ServerRole, ~Copyable {
  var testApplication: TestApplication { get set }
  mutating func databaseChanged(in range: AttributeHandleRange)
  func receivesUpdates(at connectionIndex: Int) -> Bool
  func isPutOff(at connectionIndex: Int) -> Bool
}

extension AdvertisingServer: TestServer
where Database: ~Copyable, Application == TestApplication {
  var testApplication: TestApplication {
    get { application }
    set { application = newValue }
  }
}

extension NoServer: TestServer {
  var testApplication: TestApplication {
    get { TestApplication() }
    set {}
  }
  mutating func databaseChanged(in range: AttributeHandleRange) {}
  func receivesUpdates(at connectionIndex: Int) -> Bool { false }
  func isPutOff(at connectionIndex: Int) -> Bool { false }
}

/// The client of a scripted host, or none.
protocol TestClient: ClientRole, ~Copyable {
  var collector: Collector { get set }
}

extension ScanningClient: TestClient where Application == Collector {
  var collector: Collector {
    get { application }
    set { application = newValue }
  }
}

extension NoClient: TestClient {
  var collector: Collector {
    get { Collector() }
    set {}
  }
}

/// A scripted controller with its host of `links` connections.
final class ScriptedHost<
  let links: Int, Server: TestServer & ~Copyable, Client: TestClient & ~Copyable,
  Channels: ChannelRole & ~Copyable
>: ScriptedController {
  var host: Host<links, Server, Client, NoSecurity, Channels>

  init(
    _ behaviour: ControllerBehaviour, _ configuration: HostConfiguration,
    server: consuming Server, client: consuming Client, channels: consuming Channels
  ) {
    host = Host(
      configuration: configuration, server: server, client: client, security: NoSecurity(),
      channels: channels)
    super.init(behaviour)
  }

  override var application: TestApplication {
    get { host.server.testApplication }
    set { host.server.testApplication = newValue }
  }
  override var collector: Collector {
    get { host.client.collector }
    set { host.client.collector = newValue }
  }
  override var radio: RadioState { host.radio }
  override var address: DeviceAddress { host.address }
  override var deadline: Instant? { host.deadline }
  override var connectionCount: Int { host.connectionCount }
  override var isShutDown: Bool { host.isShutDown }
  override var isAdvertisingHeldBack: Bool { host.isAdvertisingHeldBack }
  override var canConnect: Bool { host.canConnect }
  override func start() {
    host.start(at: now)
    run()
  }
  override func radioLost() { host.radioLost() }
  override func shutDown() { host.shutDown() }
  override func disconnectAll() { host.disconnectAll() }
  override func advertise(_ advertisement: Advertisement?) { run { host.advertise(advertisement) } }
  override func scan(_ parameters: ScanParameters?) { run { host.scan(parameters) } }
  override func mtu(at index: Int = 0) -> Int { host.mtu(at: index).byteCount }
  override func resume(at index: Int) { run { host.resume(at: index) } }
  override func databaseChanged(in range: AttributeHandleRange) {
    host.server.databaseChanged(in: range)
  }
  override func securityChanged(to security: LinkSecurity, at index: Int = 0) {
    host.server.securityChanged(to: security, at: index)
  }
  override func receivesUpdates(at index: Int = 0) -> Bool {
    host.server.receivesUpdates(at: index)
  }
  override func isPutOff(at index: Int = 0) -> Bool { host.server.isPutOff(at: index) }
  override func beginConnection(to peer: DeviceAddress) -> Bool { host.connect(to: peer) }
  override func cancelConnection() { run { host.cancelConnection() } }
  override func disconnect(at index: Int) { run { host.disconnect(at: index) } }
  override func readRSSI(at index: Int) { run { host.readRSSI(at: index) } }
  override func begin(_ operation: ClientOperation, at index: Int) -> Bool {
    host.perform(operation, at: index)
  }
  override func nextPacket() -> [UInt8]? { host.takePacket(at: now) }
  override func report(_ packet: [UInt8]) { host.receive(packet.span, at: now) }
  override func advance() { host.advance(to: now) }
}

// MARK: Peripherals

/// A peripheral with any database.
typealias ScriptedServer<let links: Int, Database: AttributeDatabase & ~Copyable> = ScriptedHost<
  links, GATTServer<links, Database, TestApplication>, NoClient, NoChannels
>

/// A peripheral with the test database.
typealias ScriptedPeripheral<let links: Int> = ScriptedServer<links, GATTDatabase<27>>

extension ScriptedHost where Server: ~Copyable, Client == NoClient, Channels: ~Copyable {
  convenience init<Database: AttributeDatabase & ~Copyable>(
    _ behaviour: ControllerBehaviour = ControllerBehaviour(), database: consuming Database,
    service: BluetoothUUID? = .testService, address: OwnAddress = .public, mtu: ATTMTU = .maximum,
    idleLimit: UInt16? = nil, starts: Bool = true, channels: consuming Channels
  ) where Server == GATTServer<links, Database, TestApplication> {
    self.init(
      behaviour,
      HostConfiguration(
        name: DeviceName(StaticText("Test")), service: service, address: address, mtu: mtu,
        idleLimit: idleLimit),
      server: GATTServer(database: database, application: TestApplication()), client: NoClient(),
      channels: channels)
    if starts { start() }
  }

  convenience init<Database: AttributeDatabase & ~Copyable>(database: consuming Database)
  where Server == GATTServer<links, Database, TestApplication>, Channels == NoChannels {
    self.init(database: database, channels: NoChannels())
  }
}

extension ScriptedHost
where
  Server == GATTServer<links, GATTDatabase<27>, TestApplication>, Client == NoClient,
  Channels == NoChannels
{
  convenience init(
    _ behaviour: ControllerBehaviour = ControllerBehaviour(),
    service: BluetoothUUID? = .testService, address: OwnAddress = .public,
    mtu: ATTMTU = .maximum, idleLimit: UInt16? = nil, starts: Bool = true
  ) {
    self.init(
      behaviour, database: testDatabase, service: service, address: address, mtu: mtu,
      idleLimit: idleLimit, starts: starts, channels: NoChannels())
  }

  /// One with a changed behaviour of its controller.
  static func with(_ change: (inout ControllerBehaviour) -> Void) -> ScriptedHost {
    var behaviour = ControllerBehaviour()
    change(&behaviour)
    return ScriptedHost(behaviour)
  }

  /// One with the links 0x40 and 0x41, without a record of their start.
  static func connected() -> ScriptedHost {
    let controller = ScriptedHost()
    controller.connect(0x40)
    controller.connect(0x41)
    controller.forgetWhatWasSent()
    return controller
  }
}

// MARK: Centrals

/// A central.
typealias ScriptedCentral<let links: Int> = ScriptedHost<
  links, NoServer, GATTClient<links, Collector>, NoChannels
>

extension HostConfiguration {
  /// With `C0:00:00:00:00:07` for a controller without an address.
  static let central = HostConfiguration(
    name: DeviceName(StaticText("Test")), service: nil,
    address: .automatic(orRandom: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])))
}

extension ScriptedHost
where Server == NoServer, Client == GATTClient<links, Collector>, Channels == NoChannels {
  convenience init(_ configuration: HostConfiguration = .central) {
    var behaviour = ControllerBehaviour()
    behaviour.leBuffers = (251, 8)
    behaviour.fragmentLength = 251
    self.init(
      behaviour, configuration, server: NoServer(),
      client: GATTClient(application: Collector()), channels: NoChannels())
    stopsAtDeadlines = true
  }

  /// A central that is ready.
  static func ready(
    _ configuration: HostConfiguration = .central, _ change: (ScriptedHost) -> Void = { _ in }
  ) -> ScriptedHost {
    let central = ScriptedHost(configuration)
    change(central)
    central.start()
    _ = central.takeEvents()
    return central
  }

  /// A central with a link to `F0:00:00:00:00:02` at index 0.
  static func connected(
    _ configuration: HostConfiguration = .central, _ change: (ScriptedHost) -> Void = { _ in }
  ) -> ScriptedHost {
    let central = ready(configuration, change)
    central.connect(to: .numbered(2))
    _ = central.takeEvents()
    central.forgetWhatWasSent()
    return central
  }
}

// MARK: Both roles

/// A device in both roles with the test database. A test carries its packets.
typealias ScriptedDevice = ScriptedHost<
  4, GATTServer<4, GATTDatabase<27>, TestApplication>, GATTClient<4, Collector>, NoChannels
>

extension ScriptedHost
where
  Server == GATTServer<links, GATTDatabase<27>, TestApplication>,
  Client == GATTClient<links, Collector>, Channels == NoChannels
{
  convenience init(
    number: UInt8, mtu: ATTMTU = .maximum, packetLength: UInt16 = 27, peripheralLinks: Int? = nil
  ) {
    var behaviour = ControllerBehaviour()
    behaviour.publicAddress = [number, 0, 0, 0, 0, 0xF0]
    behaviour.leBuffers = (packetLength, 4)
    var configuration = HostConfiguration(
      name: DeviceName(StaticText("Test")), service: .testService, address: .public, mtu: mtu)
    configuration.peripheralLinks = peripheralLinks
    self.init(
      behaviour, configuration,
      server: GATTServer(database: testDatabase, application: TestApplication()),
      client: GATTClient(application: Collector()), channels: NoChannels())
  }
}

extension ScriptedController {
  /// The host's next ACL packet. The controller answers it, and the commands before it.
  func nextData() -> [UInt8]? {
    while let packet = nextPacket() {
      answer(packet)
      if packet[0] == 0x02 { return packet }
    }
    return nil
  }
}

/// Two devices with one link; the test carries the packets.
final class Pair {
  let first: ScriptedDevice
  let second: ScriptedDevice
  var devices: [ScriptedDevice] { [first, second] }

  /// The first device connects to the second.
  init(mtus: (ATTMTU, ATTMTU) = (.maximum, .maximum), packetLength: UInt16 = 27) {
    first = ScriptedDevice(number: 1, mtu: mtus.0, packetLength: packetLength)
    second = ScriptedDevice(number: 2, mtu: mtus.1, packetLength: packetLength)
    first.script = { [unowned first, unowned second] opcode, parameters in
      guard opcode == .leCreateConnection else { return nil }
      first.status(.success, of: opcode)
      first.report(Events.connected(0x40, peer: Array(parameters[5..<12]), role: 0))
      second.report(Events.connected(0x40, peer: [0, 1, 0, 0, 0, 0, 0xF0], role: 1))
      return []
    }
    for device in devices { device.host.start(at: device.now) }
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
    let packets = devices.map { $0.nextData() }
    for (packet, receiver) in zip(packets, devices.reversed()) {
      guard var packet else { continue }
      // The boundary flag of a received frame.
      if packet[2] >> 4 == 0b00 { packet[2] |= 0b10 << 4 }
      receiver.report(packet)
    }
    return packets.contains { $0 != nil }
  }
}
