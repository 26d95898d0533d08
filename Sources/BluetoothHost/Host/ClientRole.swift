/// The part of a host that asks: a scanner, an initiator and a GATT client.
///
/// `GATTClient` is one. `NoClient` is for a host that only serves: it has neither state nor code. The
/// host calls these requirements; nothing else needs them.
public protocol ClientRole: ~Copyable {
  /// Whether there is a client. The code for it is left out where this is false.
  static var isPresent: Bool { get }

  /// What is looked for and connected to.
  var initiator: Initiator { get set }

  /// Takes the MTU.
  mutating func configure(_ configuration: HostConfiguration)
  /// An advertiser was heard.
  mutating func heard(_ report: borrowing AdvertisingReport)
  /// The controller refused to scan.
  mutating func scanFailed(_ reason: HCIErrorCode)
  /// The attempt to connect has ended without a link.
  mutating func connectionFailed(_ reason: HCIErrorCode)
  /// A link is there, in either role.
  mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress)
  /// What protects a link may have changed.
  mutating func securityChanged(to security: LinkSecurity, at index: Int)
  /// The link, which has to be encrypted with the key of its bond before anything is asked, was not: the
  /// operation under way fails.
  mutating func encryptionFailed(_ reason: HCIErrorCode, on connection: borrowing Connection)
  /// A link has gone.
  mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode)
  /// The radio's state has changed.
  mutating func radioChanged(to state: RadioState)
  /// The signal strength of a peer, in dBm; `nil` if the controller does not know it.
  mutating func readRSSI(_ rssi: Int8?, of connection: borrowing Connection)

  /// Begins `operation`; `false` if another one is under way, or if there can be none like this.
  mutating func begin(_ operation: ClientOperation, on connection: borrowing Connection) -> Bool
  /// The operation under way on the connection at `index`; `nil` if there is none.
  func operation(at index: Int) -> ClientOperation?
  /// Takes an ATT PDU of a server.
  mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection)
  /// Whether there is a PDU to send.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool
  /// The server has left the request unanswered for 30 s.
  mutating func timeOut(_ connection: borrowing Connection)
}

/// No client: what servers send is ignored.
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

  /// Nothing happens.
  public mutating func configure(_ configuration: HostConfiguration) {}
  /// Nothing happens.
  public mutating func heard(_ report: borrowing AdvertisingReport) {}
  /// Nothing happens.
  public mutating func scanFailed(_ reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func connectionFailed(_ reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {}
  /// Nothing happens.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  /// Nothing happens.
  public mutating func encryptionFailed(
    _ reason: HCIErrorCode, on connection: borrowing Connection
  ) {}
  /// Nothing happens.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {}
  /// Nothing happens.
  public mutating func radioChanged(to state: RadioState) {}
  /// Nothing happens.
  public mutating func readRSSI(_ rssi: Int8?, of connection: borrowing Connection) {}

  /// False.
  public mutating func begin(
    _ operation: ClientOperation, on connection: borrowing Connection
  ) -> Bool { false }
  /// None.
  public func operation(at index: Int) -> ClientOperation? { nil }
  /// Nothing happens.
  public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {}
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
  /// Nothing happens.
  public mutating func timeOut(_ connection: borrowing Connection) {}
}
