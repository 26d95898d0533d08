/// The part of a host that serves: a GATT server and what it advertises.
///
/// `GATTServer` is one. `NoServer` is for a host that only scans, connects and asks: it has neither
/// state nor code. The host calls these requirements; nothing else needs them.
public protocol ServerRole: ~Copyable {
  /// Whether there is a server. The code for it is left out where this is false.
  static var isPresent: Bool { get }

  /// What is advertised.
  var advertiser: Advertiser { get set }
  /// The connections that may have a PDU to send without having received one.
  var pendingConnections: ConnectionSet { get }

  /// Takes the name and the MTU.
  mutating func configure(_ configuration: HostConfiguration)
  /// A link is there.
  mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress)
  /// What protects a link has changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)
  /// What is known of a client, so far as a bond keeps it.
  func clientState(at index: Int) -> ClientState
  /// What a bond keeps of a client; `nil` if there is no server.
  mutating func clientRecord(at index: Int) -> ClientRecord?
  /// A client with a bond is known again, by the key of its link.
  mutating func restore(_ record: ClientRecord, at index: Int)
  /// A link has gone.
  mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode)
  /// The radio's state has changed.
  mutating func radioChanged(to state: RadioState)

  /// Takes an ATT PDU of a client.
  mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection)
  /// Whether there is a PDU to send, as far as is known without preparing it.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool
  /// Asks the application again for what it put off.
  mutating func resume(_ connection: inout Connection)
}

/// No server: requests of a peer are refused.
public struct NoServer: ServerRole, ~Copyable {
  /// False.
  public static var isPresent: Bool { false }

  /// No server.
  public init() {}

  /// Nothing.
  public var advertiser: Advertiser {
    get { Advertiser() }
    set {}
  }
  /// None.
  public var pendingConnections: ConnectionSet { .none }

  /// Nothing happens.
  public mutating func configure(_ configuration: HostConfiguration) {}
  /// Nothing happens.
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {}
  /// Nothing happens.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  /// A client that says nothing.
  public func clientState(at index: Int) -> ClientState { ClientState() }
  /// Nothing.
  public mutating func clientRecord(at index: Int) -> ClientRecord? { nil }
  /// Nothing happens.
  public mutating func restore(_ record: ClientRecord, at index: Int) {}
  /// Nothing happens.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func radioChanged(to state: RadioState) {}

  /// Nothing happens.
  public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {}
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
  /// Nothing happens.
  public mutating func resume(_ connection: inout Connection) {}
}
