/// What a server remembers of a client that it has a bond with, from one link to the next.
///
/// Core Specification, Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2. Subscriptions belong to one database: its
/// hash is kept with them, and a server with another database restores none but that to Service Changed.
public struct ClientRecord: Equatable, Sendable {
  /// The hash of the database that the subscriptions are for.
  public var databaseHash: DatabaseHash
  /// Whether the client knew that database: it was change-aware.
  public var isChangeAware: Bool
  /// Client Supported Features, first byte.
  public var features: UInt8
  /// The value of the Client Characteristic Configuration of Service Changed.
  public var serviceChanged: ClientConfiguration
  /// The values of all Client Characteristic Configurations: that with the lowest handle at slot 0, and so
  /// on in the order of their handles.
  public var subscriptions: ClientConfigurations

  /// A record of these values.
  public init(
    databaseHash: DatabaseHash, isChangeAware: Bool, features: UInt8,
    serviceChanged: ClientConfiguration, subscriptions: ClientConfigurations
  ) {
    self.databaseHash = databaseHash
    self.isChangeAware = isChangeAware
    self.features = features
    self.serviceChanged = serviceChanged
    self.subscriptions = subscriptions
  }
}

/// What a server knows of a client on its link, so far as a bond keeps it. It is cheap to compare.
public struct ClientState: Equatable, Sendable {
  var configurations: ClientConfigurations
  var features: UInt8
  var isChangeAware: Bool

  /// A client that has not said anything.
  public init() {
    configurations = ClientConfigurations()
    features = 0
    isChangeAware = true
  }
}
