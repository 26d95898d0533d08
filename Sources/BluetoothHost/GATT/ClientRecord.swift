/// What a server stores about a bonded client, from one link to the next.
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

/// The Client Characteristic Configurations of one client, by slot: two bits each.
/// Core Specification, Vol 3, Part G, 3.3.3.3.
public struct ClientConfigurations: Equatable, Sendable {
  /// The number of slots. A client cannot write a Client Characteristic Configuration whose slot is
  /// this number or higher.
  public static var capacity: Int { 128 }

  /// Read by its span where the copy of it would cost more than the rest.
  private(set) var bits = InlineArray<32, UInt8>(repeating: 0)

  /// No subscriptions.
  public init() {}

  /// The configurations stored as `bytes`.
  public init(bytes: InlineArray<32, UInt8>) { bits = bytes }

  /// The stored form: four slots a byte, the first in the lowest bits.
  public var bytes: InlineArray<32, UInt8> { bits }

  /// The configuration at `slot`; `.none` for a slot beyond the last, which cannot be set.
  public subscript(slot: Int) -> ClientConfiguration {
    @inline(__always) get {
      guard slot >= 0, slot < Self.capacity else { return .none }
      // A span: indexing the array copies all of it.
      return Self.configuration(of: slot, in: bits.span)
    }
    @inline(__always) set {
      guard slot >= 0, slot < Self.capacity else { return }
      let shift = Self.shift(of: slot)
      let new = UInt8(truncatingIfNeeded: newValue.rawValue & 0b11) &<< shift
      bits[slot &>> 2] = bits[slot &>> 2] & ~(0b11 &<< shift) | new
    }
  }

  /// The configuration at `slot`, which is from 0 to 127, in the stored form.
  @inline(__always) static func configuration(
    of slot: Int, in bits: Span<UInt8>
  ) -> ClientConfiguration {
    let byte = UInt32(bits[slot &>> 2])
    return ClientConfiguration(
      rawValue: UInt16(truncatingIfNeeded: byte &>> UInt32(shift(of: slot)) & 0b11))
  }

  @inline(__always) private static func shift(of slot: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: slot & 0b11) &<< 1
  }

  /// Whether both have the same configurations.
  public static func == (left: ClientConfigurations, right: ClientConfigurations) -> Bool {
    left.bits.span.hasSameBytes(as: right.bits.span)
  }
}
