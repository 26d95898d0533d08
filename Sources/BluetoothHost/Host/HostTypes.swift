/// A host that only serves: it advertises, and has a GATT server for up to `links` centrals at once.
public typealias Peripheral<
  let links: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable
> = Host<links, GATTServer<links, Database, Application>, NoClient>

/// A host that only asks: it scans, connects to up to `links` peripherals at once, and has a GATT
/// client for each.
public typealias Central<let links: Int, Application: ClientApplication & ~Copyable> = Host<
  links, NoServer, GATTClient<links, Application>
>

extension Host where Server: ~Copyable, Client == NoClient {
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
      configuration: configuration,
      server: GATTServer(database: database, application: application), client: NoClient())
  }
}

extension Host where Server == NoServer, Client: ~Copyable {
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
      client: GATTClient(application: application))
  }
}
