/// What a server stores about a bonded client, from one link to the next.
///
/// Core Specification, Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2. Subscriptions belong to one
/// database, so its hash is stored with them. A server with another database restores the
/// subscriptions that it can convert (`AttributeDatabase.convert(_:from:)`), or only the one to
/// Service Changed.
public struct ClientRecord: Equatable, Sendable {
  /// The hash of the database that the subscriptions are for.
  public var databaseHash: DatabaseHash
  /// Whether the client was change-aware.
  public var isChangeAware: Bool
  /// Client Supported Features, first byte.
  public var features: UInt8
  /// The value of the Client Characteristic Configuration of Service Changed.
  public var serviceChanged: ClientConfiguration
  /// The values of all Client Characteristic Configurations in the order of their handles, the
  /// lowest at slot 0.
  public var subscriptions: ClientConfigurations

  /// Creates a record of these values.
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

/// The part of a client's state that a bond stores. It is cheap to compare.
public struct ClientState: Equatable, Sendable {
  var configurations: ClientConfigurations
  var features: UInt8
  var isChangeAware: Bool

  /// A client without any state.
  public init() {
    configurations = ClientConfigurations()
    features = 0
    isChangeAware = true
  }
}
