/// A GATT server with legacy advertising: the server role of a host with `links` connections.
public typealias GATTServer<
  let links: Int, Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
> = AdvertisingServer<links, Database, Application, NoAdvertisingSets>

/// A GATT server with its database and its application: the server role of a host with `links`
/// connections. `Sets` is its extended advertising; `GATTServer` has none.
public struct AdvertisingServer<
  let links: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable, Sets: AdvertisingSetRole
>: ServerRole, ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// The advertising and its state.
  public var advertiser = Advertiser()
  /// The advertising sets.
  public var sets = Sets()

  var attributes: ATTServer<links, Database, Application>
  /// The outgoing PDUs of each link, by connection index.
  private var outboxes: InlineArray<links, ServerOutbox>
  /// The open links.
  private var open = ConnectionSet.none

  /// Creates a server for a host.
  ///
  /// - Parameters:
  ///   - database: Its attributes.
  ///   - application: The values of the database's application attributes.
  public init(database: consuming Database, application: consuming Application) {
    attributes = ATTServer(database: database, application: application)
    outboxes = InlineArray { _ in ServerOutbox() }
  }

  /// The program behind the server.
  public var application: Application {
    _read { yield attributes.application }
    _modify { yield &attributes.application }
  }

  /// Calls `body` with the application, in place.
  ///
  /// Generic code uses this instead of `application`: where the compiler does not specialise it, an
  /// access to `application` allocates memory.
  public mutating func withApplication<Result>(_ body: (inout Application) -> Result) -> Result {
    body(&attributes.application)
  }

  /// The GATT database. After a change, call `databaseChanged(in:)`.
  public var database: Database {
    _read { yield attributes.database }
    _modify { yield &attributes.database }
  }

  /// Passes the attributes to the port of a radio: see `RadioPort.export`.
  @inline(__always) public borrowing func exportAttributes<Port: RadioPort & ~Copyable>(
    to port: inout Port
  ) {
    port.export(attributes.database.attributes)
  }

  /// The value of the GAP service's Device Name, initially the configuration's name.
  public var deviceName: DeviceName {
    get { attributes.deviceName }
    set { attributes.deviceName = newValue }
  }

  /// The attribute handle of one of the application's values; `.none` if the database does not have
  /// it.
  public func handle(of attribute: ApplicationAttribute) -> AttributeHandle {
    attributes.database.location(of: attribute).handle
  }

  /// The services in `range` have changed, or were added or removed.
  ///
  /// The server drops subscriptions in the range, except the one to Service Changed, and those
  /// whose slot no longer exists. It does not call the application for them. Each client that
  /// subscribed to Service Changed gets an indication of the range, merged with one that is still
  /// pending. A client that supports robust caching gets Database Out Of Sync, and no values, until
  /// it is change-aware. Core Specification, Vol 3, Part G, 2.5.2 and 7.1.
  public mutating func databaseChanged(in range: AttributeHandleRange) {
    var remaining = open
    while let index = remaining.first(from: 0) {
      remaining.remove(index)
      attributes.databaseChanged(in: range, at: index)
    }
  }

  /// Whether the client at `connectionIndex` gets pending values, at once or after it has confirmed
  /// Service Changed. False for a change-unaware client that has not subscribed to Service Changed,
  /// and for an unused connection. Core Specification, Vol 3, Part G, 2.5.2.1.
  public func receivesUpdates(at connectionIndex: Int) -> Bool {
    guard connectionIndex >= 0, connectionIndex < links, open.contains(connectionIndex) else {
      return false
    }
    guard attributes.bearers[connectionIndex].isOutOfSync else { return true }
    return attributes.bearers[connectionIndex].updateOpcode(for: attributes.database.serviceChanged)
      != nil
  }

  /// Whether the client at `connectionIndex` waits for the response to a request that the
  /// application put off.
  public func isPutOff(at connectionIndex: Int) -> Bool {
    connectionIndex >= 0 && connectionIndex < links && attributes.bearers[connectionIndex].hasPutOff
  }

  // MARK: For the host

  /// The connections with pending updates of the application or of the database.
  public var pendingConnections: ConnectionSet {
    attributes.application.pendingConnections.union(attributes.changedConnections)
  }

  /// Sets the name and the MTU.
  public mutating func configure(_ configuration: HostConfiguration) {
    attributes.deviceName = configuration.name
    attributes.maximumMTU = configuration.mtu
    if let service = configuration.service {
      _ = advertiser.advertise(Advertisement(service: service, name: configuration.name))
    }
  }

  /// A client has connected.
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {
    open.insert(connection.index)
    attributes.application.centralConnected(at: connection.index, address: peer)
  }

  /// The security of a link may have changed. Subscriptions that require more end.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    let old = attributes.bearers[index].security
    guard security != old else { return }
    attributes.bearers[index].security = security
    if !security.contains(old) { attributes.dropUnprotected(at: index) }
  }

  /// The client's state that a bond stores.
  public func clientState(at index: Int) -> ClientState { attributes.state(at: index) }

  /// The client's record for its bond.
  public mutating func clientRecord(at index: Int) -> ClientRecord? { attributes.record(at: index) }

  /// Restores the client's state from `record`. The application gets its subscriptions.
  public mutating func restore(_ record: ClientRecord, at index: Int) {
    attributes.restore(record, at: index)
  }

  /// A client has disconnected. Everything about it is forgotten.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {
    let index = connection.index
    open.remove(index)
    attributes.changedConnections.remove(index)
    attributes.bearers[index] = ATTBearer()
    outboxes[index].reset()
    attributes.application.centralDisconnected(at: index, reason: reason)
  }

  /// The radio's state changed.
  public mutating func radioChanged(to state: RadioState) {
    attributes.application.radioChanged(to: state)
  }

  /// Takes an ATT PDU from a client.
  @inline(never) public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {
    outboxes[connection.index].receive(pdu, on: &connection, server: &attributes)
  }

  /// Calls the application again for the request that it put off.
  public mutating func resume(_ connection: inout Connection) {
    guard attributes.bearers[connection.index].hasPutOff else { return }
    outboxes[connection.index].resume(&connection, server: &attributes)
  }

  /// Takes an ATT PDU on the link's own bearer from a client that may have others.
  public mutating func receive(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ turn: inout BearerTurn, waits: Bool
  ) {
    let index = connection.index
    attributes.receive(
      pdu, waits: waits, isOwn: true, on: &connection, &outboxes[index], &turn)
  }

  /// Takes an ATT PDU on an enhanced bearer.
  public mutating func receive(
    _ pdu: Span<UInt8>, on bearer: inout EnhancedBearer, waits: Bool
  ) { attributes.receive(pdu, waits: waits, on: &bearer) }

  /// Handles the request that waits on the link's own bearer.
  public mutating func resume(_ connection: inout Connection, _ turn: inout BearerTurn) {
    let index = connection.index
    var pdu = ByteBuffer<517>()
    outboxes[index].takeRequest(into: &pdu)
    attributes.bearers[index].hasPutOff = false
    let isNew = turn.waiting == .forAnother
    turn.waiting = .none
    attributes.receive(
      pdu.span, isResumed: !isNew, isOwn: true, on: &connection, &outboxes[index], &turn)
  }

  /// Handles the request that waits on an enhanced bearer.
  public mutating func resume(_ bearer: inout EnhancedBearer) {
    var pdu = ByteBuffer<517>()
    bearer.outbox.takeRequest(into: &pdu)
    let isNew = bearer.turn.waiting == .forAnother
    bearer.turn.waiting = .none
    attributes.receive(pdu.span, isResumed: !isNew, on: &bearer)
  }

  /// Whether there may be a PDU to send, without preparing one.
  public func hasPacket(for connection: borrowing Connection) -> Bool {
    let index = connection.index
    if outboxes[index].hasResponse(attributes.bearers[index]) { return true }
    guard !attributes.bearers[index].awaitsConfirmation else { return false }
    return attributes.bearers[index].changedServices != nil
      || attributes.application.pendingUpdate(at: index) != nil
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  @inline(__always) public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    outboxes[connection.index].writePacket(
      for: &connection, length: length, at: now, server: &attributes, to: &writer)
  }
}
