/// A host that is only a server: it advertises, and serves GATT to up to `links` centrals at once.
public typealias Peripheral<
  let links: Int, Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
> = Host<links, GATTServer<links, Database, Application>, NoClient, NoSecurity, NoChannels>

/// A host that is only a client: it scans, connects to up to `links` peripherals at once, and has a
/// GATT client for each.
public typealias Central<let links: Int, Application: ClientApplication & ~Copyable> = Host<
  links, NoServer, GATTClient<links, Application>, NoSecurity, NoChannels
>

extension Host
where Server: ~Copyable, Client == NoClient, Security == NoSecurity, Channels == NoChannels {
  /// Creates a peripheral that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: Its name, address and so on.
  ///   - database: Its GATT database.
  ///   - application: The values of the database's application attributes.
  public init<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable,
    Sets: AdvertisingSetRole
  >(
    configuration: HostConfiguration, database: consuming Database,
    application: consuming Application
  ) where Server == AdvertisingServer<links, Database, Application, Sets> {
    self.init(
      configuration: configuration, database: database, application: application,
      makingSecurity: { NoSecurity() })
  }
}

extension Host
where Server: ~Copyable, Client == NoClient, Security: ~Copyable, Channels == NoChannels {
  /// Creates a peripheral with security that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: Its name, address and so on.
  ///   - database: Its GATT database.
  ///   - application: The values of the database's application attributes.
  ///   - makeSecurity: Creates the security role. It is called once.
  public init<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable,
    Sets: AdvertisingSetRole
  >(
    configuration: HostConfiguration, database: consuming Database,
    application: consuming Application, makingSecurity makeSecurity: () -> Security
  ) where Server == AdvertisingServer<links, Database, Application, Sets> {
    // Not `init(configuration:server:…)`: a server passed as an argument exists twice for a moment,
    // and with one connection it is most of the host.
    Self.checkCapacity()
    self.configuration = configuration
    serverRole = AdvertisingServer(database: database, application: application)
    clientRole = NoClient()
    securityRole = makeSecurity()
    channelRole = NoChannels()
    connections = InlineArray { index in Connection(index: index) }
    reassemblers = InlineArray { _ in L2CAPReassembler() }
    serverRole.configure(configuration)
  }
}

extension Host
where Server == NoServer, Client: ~Copyable, Security == NoSecurity, Channels == NoChannels {
  /// Creates a central that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: Its address and so on.
  ///   - application: What receives the client's results.
  public init<Application: ClientApplication & ~Copyable>(
    configuration: HostConfiguration, application: consuming Application
  ) where Client == GATTClient<links, Application> {
    self.init(
      configuration: configuration, server: NoServer(),
      client: GATTClient(application: application), security: NoSecurity())
  }
}

extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels == NoChannels {
  /// Creates a host without channels that waits for `start`. More links than
  /// `ConnectionSet.capacity` stop the program.
  ///
  /// - Parameters:
  ///   - configuration: Its name, address and so on.
  ///   - server: The server role.
  ///   - client: The client role.
  ///   - security: The security role.
  public init(
    configuration: HostConfiguration, server: consuming Server, client: consuming Client,
    security: consuming Security
  ) {
    self.init(
      configuration: configuration, server: server, client: client, security: security,
      channels: NoChannels())
  }
}

extension Host
where Server: ~Copyable, Client: ~Copyable, Security == NoSecurity, Channels == NoChannels {
  /// Creates a host without security and channels that waits for `start`. More links than
  /// `ConnectionSet.capacity` stop the program.
  ///
  /// - Parameters:
  ///   - configuration: Its name, address and so on.
  ///   - server: The server role.
  ///   - client: The client role.
  public init(configuration: HostConfiguration, server: consuming Server, client: consuming Client)
  {
    self.init(configuration: configuration, server: server, client: client, security: NoSecurity())
  }
}

/// The configuration of a host, set when it is created.
public struct HostConfiguration: Sendable {
  /// The device's name, for its advertising and its GAP service.
  public var name: DeviceName
  /// The service that it advertises from the start, together with its name; `nil` to advertise
  /// nothing until `Host.advertise(_:)`.
  public var service: BluetoothUUID?
  /// The address that it uses.
  public var address: OwnAddress
  /// The longest ATT PDU that it accepts.
  public var mtu: ATTMTU
  /// The shortest and the longest advertising interval, in units of 0.625 ms, 32 to 16,384.
  public var advertisingInterval: ClosedRange<UInt16>
  /// The parameters that it requests from a central with a longer connection interval; `nil` to
  /// accept any.
  public var preferredParameters: ConnectionParameters?

  /// The parameters for links to a peripheral: an interval of 7.5 to 30 ms, no latency, and a
  /// supervision timeout of 2 s.
  public var connectionParameters = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  /// How many links centrals may open; `nil` for as many as there are connections. A host without a
  /// client ignores it.
  public var peripheralLinks: Int?

  /// After how many minutes without data from its central a link may be ended, when every
  /// connection is in use and there is something to advertise; `nil` to keep every link.
  ///
  /// Once a minute the host then ends the link with the longest silence, so that another central
  /// can connect.
  public var idleLimit: UInt16?

  /// The defaults advertise every 100 to 150 ms, accept the longest MTU, and request an interval of
  /// 30 to 50 ms if the central's is longer. Silent links stay.
  public init(
    name: DeviceName, service: BluetoothUUID?, address: OwnAddress, mtu: ATTMTU = .maximum,
    advertisingInterval: ClosedRange<UInt16> = 160...240,
    preferredParameters: ConnectionParameters? = .responsive, idleLimit: UInt16? = nil
  ) {
    self.name = name
    self.service = service
    self.address = address
    self.mtu = mtu
    self.advertisingInterval = advertisingInterval
    self.preferredParameters = preferredParameters
    self.idleLimit = idleLimit
  }
}

/// Which address a device uses.
public enum OwnAddress: Sendable {
  /// The controller's public address, or this random one if it has none.
  case automatic(orRandom: DeviceAddress)
  /// The controller's public address.
  case `public`
  /// This random address, even if the controller has a public one.
  case random(DeviceAddress)
}

extension ConnectionParameters {
  /// 30 to 50 ms, no latency, 4 s: responsive, and within what phones accept.
  public static let responsive = ConnectionParameters(
    minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 400)
}

/// The state of the radio.
public enum RadioState: Equatable, Sendable {
  /// The host sets the controller up, or sets it up again.
  case starting
  /// The controller works and does not advertise: there is nothing to advertise, every connection
  /// is in use, it cannot advertise while it has links, or it is shutting down.
  case silent
  /// The controller works and advertises: centrals can connect.
  case advertising
  /// The controller has failed or does not answer; the host resets it.
  case fault(ControllerError)
}

/// How a controller failed.
public enum ControllerError: Equatable, Sendable {
  /// It reported Hardware Error, with this vendor's code.
  case hardwareError(UInt8)
  /// It did not answer a command.
  case unanswered(HCIOpcode)
  /// It refused a command that the host needs.
  case refused(HCIOpcode, HCIErrorCode)
  /// It stopped advertising without a command: it has lost its state.
  case stoppedAdvertising
  /// It has been removed.
  case lost
}
