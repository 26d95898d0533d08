/// A GATT client that finds legacy advertisers: the client role of a host with `links` connections.
public typealias GATTClient<let links: Int, Application: ClientApplication & ~Copyable> =
  ScanningClient<links, Application, LegacyScanner>

/// A GATT client with its application: the client role of a host with `links` connections.
/// `Scanner` is how it scans; `GATTClient` has a `LegacyScanner`.
public struct ScanningClient<
  let links: Int, Application: ClientApplication & ~Copyable, Scanner: ScannerRole
>: ClientRole, ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// The requested scan and connection, and their progress.
  public var initiator = Initiator()
  /// The scanner.
  public var scanner = Scanner()
  /// The program that uses the client.
  public var application: Application

  /// The longest ATT PDU that this device accepts.
  private var maximumMTU = ATTMTU.maximum
  /// The client's state on each link, by connection index.
  private var bearers: InlineArray<links, ATTClient>

  /// Creates a client for a host.
  public init(application: consuming Application) {
    self.application = application
    bearers = InlineArray { _ in ATTClient(maximumMTU: .maximum) }
  }

  // MARK: For the host

  /// Sets the MTU.
  public mutating func configure(_ configuration: HostConfiguration) {
    maximumMTU = configuration.mtu
    for index in 0..<links { bearers[index] = ATTClient(maximumMTU: maximumMTU) }
  }

  /// Reports an advertiser, when all parts of its data have arrived.
  public mutating func received(_ report: borrowing AdvertisingReport) {
    scanner.pass(report, to: &application)
  }

  /// Takes an event of a synchronization.
  public mutating func receivePeriodic(_ subevent: LEMetaSubevent, _ reader: inout ByteReader) {
    scanner.receive(subevent, &reader, &application)
  }

  /// Ends a synchronization.
  public mutating func unsynchronize(at index: Int) {
    scanner.unsynchronize(at: index, &application)
  }

  /// Takes the result of a command for a synchronization.
  public mutating func finishSynchronization(_ status: HCIErrorCode) {
    scanner.finish(status, &application)
  }

  /// The controller is reset: it has no synchronization.
  public mutating func loseSynchronizations() { scanner.lose(&application) }

  /// The controller refused to scan.
  public mutating func scanFailed(_ reason: HCIErrorCode) { application.scanFailed(reason) }

  /// The attempt to connect ended without a link.
  public mutating func connectionFailed(_ reason: HCIErrorCode) {
    application.connectionFailed(reason)
  }

  /// A link was opened, in either role.
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {
    application.connected(at: connection.index, to: peer, role: connection.role)
  }

  /// The security of a link may have changed; the application gets only changes.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    guard bearers[index].security != security else { return }
    bearers[index].security = security
    application.securityChanged(to: security, at: index)
  }

  /// The link could not be encrypted with the key of its bond.
  public mutating func encryptionFailed(_ reason: HCIErrorCode, on connection: borrowing Connection)
  {
    bearers[connection.index].end(
      with: .encryptionFailed(reason), at: connection.index, &application)
  }

  /// A link has closed. The operation under way ends first.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {
    bearers[connection.index].end(with: .disconnected, at: connection.index, &application)
    bearers[connection.index] = ATTClient(maximumMTU: maximumMTU)
    application.disconnected(at: connection.index, reason: reason)
  }

  /// The radio's state changed.
  public mutating func radioChanged(to state: RadioState) { application.radioChanged(to: state) }

  /// Reports the signal strength of a peer.
  public mutating func readRSSI(_ rssi: Int8?, of connection: borrowing Connection) {
    application.readRSSI(rssi, at: connection.index)
  }

  /// Reports another subrate of a link.
  public mutating func subrateChanged(
    _ event: LESubrateChange, of connection: borrowing Connection
  ) { application.subrateChanged(event, at: connection.index) }

  /// Reports that a link keeps its subrate.
  public mutating func subrateFailed(
    _ reason: HCIErrorCode, of connection: borrowing Connection
  ) { application.subrateFailed(reason, at: connection.index) }

  /// Begins `operation`; `false` if another one is under way, or if this one is invalid.
  public mutating func begin(_ operation: ClientOperation, on connection: borrowing Connection)
    -> Bool
  { bearers[connection.index].begin(operation) }

  /// The operation under way on the connection at `index`; `nil` if there is none.
  public func operation(at index: Int) -> ClientOperation? { bearers[index].operation }

  /// Takes an ATT PDU from a server.
  public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {
    bearers[connection.index].receive(pdu, on: &connection, &application)
  }

  /// Whether there is a PDU to send.
  public func hasPacket(for connection: borrowing Connection) -> Bool {
    bearers[connection.index].hasPDU
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    bearers[connection.index].writePacket(
      for: &connection, length: length, at: now, &application, to: &writer)
  }

  /// Begins `operation` on an enhanced bearer; `false` if another one is under way on it, or if this
  /// one is invalid.
  public mutating func begin(_ operation: ClientOperation, on bearer: inout EnhancedBearer) -> Bool
  {
    guard bearer.hasOpened, bearer.end == nil, bearer.failure == nil, bearer.client.begin(operation)
    else { return false }
    bearer.prepareRequest(&application)
    return true
  }

  /// Takes an ATT PDU from a server on an enhanced bearer.
  public mutating func receive(_ pdu: Span<UInt8>, on bearer: inout EnhancedBearer) {
    bearer.receive(fromServer: pdu, &application)
  }

  /// Reports what has happened to an enhanced bearer.
  public mutating func note(_ bearer: inout EnhancedBearer) { bearer.report(to: &application) }

  /// The server did not answer the request within 30 s.
  public mutating func timeOut(_ connection: borrowing Connection) {
    bearers[connection.index].end(with: .timedOut, at: connection.index, &application)
  }
}
