/// The server part of a host: a GATT server and its advertising.
///
/// `GATTServer` implements it. `NoServer` is for a host that only scans, connects and is a client:
/// it has neither state nor code. Only the host calls these requirements.
public protocol ServerRole: ~Copyable {
  /// Whether there is a server. If false, its code is left out.
  static var isPresent: Bool { get }

  /// The advertising and its state.
  var advertiser: Advertiser { get set }
  /// Its extended advertising, or none.
  associatedtype Sets: AdvertisingSetRole
  /// The advertising sets.
  var sets: Sets { get set }
  /// The connections that may have a PDU to send without having received one.
  var pendingConnections: ConnectionSet { get }

  /// Sets the name and the MTU.
  mutating func configure(_ configuration: HostConfiguration)
  /// A link was opened.
  mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress)
  /// The security of a link may have changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)
  /// The state of a client that a bond stores.
  func clientState(at index: Int) -> ClientState
  /// The record of a client for its bond; `nil` if there is no server.
  mutating func clientRecord(at index: Int) -> ClientRecord?
  /// Restores the state of a bonded client, which the key of its link has identified.
  mutating func restore(_ record: ClientRecord, at index: Int)
  /// A link has closed.
  mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode)
  /// The radio's state changed.
  mutating func radioChanged(to state: RadioState)

  /// Takes an ATT PDU from a client.
  mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection)
  /// Whether there may be a PDU to send, without preparing one.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool
  /// Calls the application again for the request that it put off.
  mutating func resume(_ connection: inout Connection)

  // MARK: With enhanced bearers

  /// Whether a request on the link's own bearer waits: the application has put it off, or one of
  /// another bearer.
  func isPutOff(at index: Int) -> Bool
  /// Takes an ATT PDU on the link's own bearer from a client that may have others. A request waits
  /// while `waits`.
  mutating func receive(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ turn: inout BearerTurn, waits: Bool)
  /// Takes an ATT PDU on an enhanced bearer. A request waits while `waits`.
  mutating func receive(_ pdu: Span<UInt8>, on bearer: inout EnhancedBearer, waits: Bool)
  /// Handles the request that waits on the link's own bearer.
  mutating func resume(_ connection: inout Connection, _ turn: inout BearerTurn)
  /// Handles the request that waits on an enhanced bearer.
  mutating func resume(_ bearer: inout EnhancedBearer)
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// No server: the host refuses a peer's requests.
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
  public var sets: NoAdvertisingSets {
    get { NoAdvertisingSets() }
    set {}
  }
  /// None.
  public var pendingConnections: ConnectionSet { .none }

  public mutating func configure(_ configuration: HostConfiguration) {}
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {}
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  /// A client without any state.
  public func clientState(at index: Int) -> ClientState { ClientState() }
  /// Nothing.
  public mutating func clientRecord(at index: Int) -> ClientRecord? { nil }
  public mutating func restore(_ record: ClientRecord, at index: Int) {}
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {}
  public mutating func radioChanged(to state: RadioState) {}

  public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {}
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
  public mutating func resume(_ connection: inout Connection) {}

  /// False.
  public func isPutOff(at index: Int) -> Bool { false }
  public mutating func receive(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ turn: inout BearerTurn, waits: Bool
  ) {}
  /// Refuses a request.
  public mutating func receive(
    _ pdu: Span<UInt8>, on bearer: inout EnhancedBearer, waits: Bool
  ) { bearer.refuse(pdu) }
  public mutating func resume(_ connection: inout Connection, _ turn: inout BearerTurn) {}
  public mutating func resume(_ bearer: inout EnhancedBearer) {}
}

/// The client part of a host: a scanner, an initiator and a GATT client.
///
/// `GATTClient` implements it. `NoClient` is for a host that is only a server: it has neither state
/// nor code. Only the host calls these requirements.
public protocol ClientRole: ~Copyable {
  /// Whether there is a client. If false, its code is left out.
  static var isPresent: Bool { get }

  /// The requested scan and connection, and their progress.
  var initiator: Initiator { get set }
  /// How it scans.
  associatedtype Scanner: ScannerRole
  /// The scanner.
  var scanner: Scanner { get set }

  /// Sets the MTU.
  mutating func configure(_ configuration: HostConfiguration)
  /// Reports an advertiser.
  mutating func received(_ report: borrowing AdvertisingReport)
  /// Takes an event of a synchronization with a periodic advertising train.
  mutating func receivePeriodic(_ subevent: LEMetaSubevent, _ reader: inout ByteReader)
  /// Ends a synchronization, if there is one.
  mutating func unsynchronize(at index: Int)
  /// Takes the result of a command for a synchronization.
  mutating func finishSynchronization(_ status: HCIErrorCode)
  /// The controller is reset: it has no synchronization.
  mutating func loseSynchronizations()
  /// The controller refused to scan.
  mutating func scanFailed(_ reason: HCIErrorCode)
  /// The attempt to connect ended without a link.
  mutating func connectionFailed(_ reason: HCIErrorCode)
  /// A link was opened, in either role.
  mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress)
  /// The security of a link may have changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)
  /// The link could not be encrypted with the key of its bond, so the operation under way fails.
  mutating func encryptionFailed(_ reason: HCIErrorCode, on connection: borrowing Connection)
  /// A link has closed.
  mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode)
  /// The radio's state changed.
  mutating func radioChanged(to state: RadioState)
  /// Reports the signal strength of a peer, in dBm; `nil` if the controller does not know it.
  mutating func readRSSI(_ rssi: Int8?, of connection: borrowing Connection)
  /// Reports another subrate of a link.
  mutating func subrateChanged(_ event: LESubrateChange, of connection: borrowing Connection)
  /// Reports that a link keeps its subrate, though this device requested another.
  mutating func subrateFailed(_ reason: HCIErrorCode, of connection: borrowing Connection)

  /// Begins `operation`; `false` if another one is under way, or if this one is invalid.
  mutating func begin(_ operation: ClientOperation, on connection: borrowing Connection) -> Bool
  /// The operation under way on the connection at `index`; `nil` if there is none.
  func operation(at index: Int) -> ClientOperation?
  /// Takes an ATT PDU from a server.
  mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection)
  /// Whether there is a PDU to send.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool
  /// The server did not answer the request within 30 s.
  mutating func timeOut(_ connection: borrowing Connection)

  // MARK: With enhanced bearers

  /// Begins `operation` on an enhanced bearer; `false` if another one is under way on it, or if this
  /// one is invalid.
  mutating func begin(_ operation: ClientOperation, on bearer: inout EnhancedBearer) -> Bool
  /// Takes an ATT PDU from a server on an enhanced bearer.
  mutating func receive(_ pdu: Span<UInt8>, on bearer: inout EnhancedBearer)
  /// Reports what has happened to an enhanced bearer.
  mutating func note(_ bearer: inout EnhancedBearer)
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// No client: the host ignores PDUs of servers.
public struct NoClient: ClientRole, ~Copyable {
  /// False.
  public static var isPresent: Bool { false }

  /// No client.
  public init() {}

  /// Nothing.
  public var initiator: Initiator {
    get { Initiator() }
    set {}
  }
  /// Nothing.
  public var scanner: LegacyScanner {
    get { LegacyScanner() }
    set {}
  }

  public mutating func configure(_ configuration: HostConfiguration) {}
  public mutating func received(_ report: borrowing AdvertisingReport) {}
  public mutating func receivePeriodic(_ subevent: LEMetaSubevent, _ reader: inout ByteReader) {}
  public mutating func unsynchronize(at index: Int) {}
  public mutating func finishSynchronization(_ status: HCIErrorCode) {}
  public mutating func loseSynchronizations() {}
  public mutating func scanFailed(_ reason: HCIErrorCode) {}
  public mutating func connectionFailed(_ reason: HCIErrorCode) {}
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {}
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  public mutating func encryptionFailed(_ reason: HCIErrorCode, on connection: borrowing Connection)
  {}
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {}
  public mutating func radioChanged(to state: RadioState) {}
  public mutating func readRSSI(_ rssi: Int8?, of connection: borrowing Connection) {}
  public mutating func subrateChanged(
    _ event: LESubrateChange, of connection: borrowing Connection
  ) {}
  public mutating func subrateFailed(
    _ reason: HCIErrorCode, of connection: borrowing Connection
  ) {}

  /// False.
  public mutating func begin(_ operation: ClientOperation, on connection: borrowing Connection)
    -> Bool
  { false }
  /// None.
  public func operation(at index: Int) -> ClientOperation? { nil }
  public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {}
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
  public mutating func timeOut(_ connection: borrowing Connection) {}

  /// False.
  public mutating func begin(_ operation: ClientOperation, on bearer: inout EnhancedBearer) -> Bool
  {
    false
  }
  public mutating func receive(_ pdu: Span<UInt8>, on bearer: inout EnhancedBearer) {}
  public mutating func note(_ bearer: inout EnhancedBearer) {}
}
