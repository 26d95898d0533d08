/// A host that is only a server: it advertises, and serves GATT to up to `links` centrals at once.
public typealias Peripheral<
  let links: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable
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
  public init<Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable>(
    configuration: HostConfiguration, database: consuming Database,
    application: consuming Application
  ) where Server == GATTServer<links, Database, Application> {
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
  public init<Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable>(
    configuration: HostConfiguration, database: consuming Database,
    application: consuming Application, makingSecurity makeSecurity: () -> Security
  ) where Server == GATTServer<links, Database, Application> {
    // Not `init(configuration:server:…)`: a server passed as an argument exists twice for a moment,
    // and with one connection it is most of the host.
    Self.checkCapacity()
    self.configuration = configuration
    serverRole = GATTServer(database: database, application: application)
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
  public init(
    configuration: HostConfiguration, server: consuming Server, client: consuming Client
  ) {
    self.init(configuration: configuration, server: server, client: client, security: NoSecurity())
  }
}
