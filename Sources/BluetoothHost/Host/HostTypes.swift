/// A host that only serves: it advertises, and has a GATT server for up to `links` centrals at once.
public typealias Peripheral<
  let links: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable
> = Host<links, GATTServer<links, Database, Application>, NoClient, NoSecurity, NoChannels>

/// A host that only asks: it scans, connects to up to `links` peripherals at once, and has a GATT
/// client for each.
public typealias Central<let links: Int, Application: ClientApplication & ~Copyable> = Host<
  links, NoServer, GATTClient<links, Application>, NoSecurity, NoChannels
>

extension Host
where Server: ~Copyable, Client == NoClient, Security == NoSecurity, Channels == NoChannels {
  /// A peripheral that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: its name, address and so on.
  ///   - database: its GATT database.
  ///   - application: what the database's application attributes mean.
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
  /// A peripheral with security that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: its name, address and so on.
  ///   - database: its GATT database.
  ///   - application: what the database's application attributes mean.
  ///   - makeSecurity: how it protects links. It is called once, and makes it in its place.
  public init<Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable>(
    configuration: HostConfiguration, database: consuming Database,
    application: consuming Application, makingSecurity makeSecurity: () -> Security
  ) where Server == GATTServer<links, Database, Application> {
    // Not by the initialiser for any roles: a server that is handed over is held twice for a moment,
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
  /// A central that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: its address and so on.
  ///   - application: what it does with what it finds.
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
  /// A host without channels that waits for `start`. With more links than `ConnectionSet.capacity`, the
  /// program stops here.
  ///
  /// - Parameters:
  ///   - configuration: its name, address and so on.
  ///   - server: what it offers.
  ///   - client: how it asks others.
  ///   - security: how it protects links.
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
  /// A host without security and channels that waits for `start`. With more links than `ConnectionSet.capacity`, the
  /// program stops here.
  ///
  /// - Parameters:
  ///   - configuration: its name, address and so on.
  ///   - server: what it offers.
  ///   - client: how it asks others.
  public init(
    configuration: HostConfiguration, server: consuming Server, client: consuming Client
  ) {
    self.init(
      configuration: configuration, server: server, client: client, security: NoSecurity())
  }
}
