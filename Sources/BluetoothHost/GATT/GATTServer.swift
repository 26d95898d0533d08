/// A GATT server with its database and the application that gives its values a meaning: the server
/// role of a host with `links` connections.
public struct GATTServer<
  let links: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable
>: ServerRole, ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// What is advertised.
  public var advertiser = Advertiser()

  var attributes: ATTServer<links, Database, Application>
  /// What is to be sent, by the index of the connection.
  private var outboxes: InlineArray<links, ServerOutbox>
  /// The links there are.
  private var open = ConnectionSet.none

  /// A server that waits for its host.
  ///
  /// - Parameters:
  ///   - database: its attributes.
  ///   - application: what the database's application attributes mean.
  public init(database: consuming Database, application: consuming Application) {
    attributes = ATTServer(database: database, application: application)
    outboxes = InlineArray { _ in ServerOutbox() }
  }

  /// What the peripheral is for.
  public var application: Application {
    _read { yield attributes.application }
    _modify { yield &attributes.application }
  }

  /// Calls `body` with the application, in place.
  ///
  /// Generic code uses this rather than `application`: where the compiler does not specialise it, an
  /// access by way of `application` takes memory from the heap.
  public mutating func withApplication<Result>(
    _ body: (inout Application) -> Result
  ) -> Result {
    body(&attributes.application)
  }

  /// The GATT database. After a change, call `databaseChanged(in:)`.
  public var database: Database {
    _read { yield attributes.database }
    _modify { yield &attributes.database }
  }

  /// The value of the GAP service's Device Name, at first that of the configuration.
  public var deviceName: DeviceName {
    get { attributes.deviceName }
    set { attributes.deviceName = newValue }
  }

  /// The attribute handle of one of the application's values; `.none` if the database has no such
  /// line.
  public func handle(of attribute: ApplicationAttribute) -> AttributeHandle {
    attributes.database.place(of: attribute).handle
  }

  /// The services in `range` have changed, or are new, or have gone.
  ///
  /// Subscriptions in the range are forgotten, but for Service Changed itself, and so is each one
  /// whose slot no line has any more. The application is not called for them. Each client that
  /// subscribed to Service Changed gets an indication of the range; a range that still waits becomes
  /// part of this one. A client that supports robust caching gets Database Out Of Sync, and no values,
  /// until it is change-aware.
  ///
  /// Core Specification, Vol 3, Part G, 2.5.2 and 7.1.
  public mutating func databaseChanged(in range: AttributeHandleRange) {
    var remaining = open
    while let index = remaining.first(from: 0) {
      remaining.remove(index)
      attributes.databaseChanged(in: range, at: index)
    }
  }

  /// Whether the client on the connection at `place` gets pending values, at once or after it has
  /// confirmed Service Changed. False for a change-unaware client that has not subscribed to Service
  /// Changed, and for an unused connection.
  ///
  /// Core Specification, Vol 3, Part G, 2.5.2.1.
  public func isToldValues(at place: Int) -> Bool {
    guard place >= 0, place < links, open.contains(place) else { return false }
    guard attributes.bearers[place].isOutOfSync else { return true }
    return attributes.bearers[place].updateOpcode(for: attributes.database.serviceChanged) != nil
  }

  /// Whether the client on the connection at `place` waits for the response to a request that was put
  /// off.
  public func isPutOff(at place: Int) -> Bool {
    place >= 0 && place < links && attributes.bearers[place].hasPutOff
  }

  // MARK: For the host

  /// The connections for which the application, or a change of the database, has something to send.
  public var pendingConnections: ConnectionSet {
    attributes.application.pendingConnections.union(attributes.changedConnections)
  }

  /// Takes the name and the MTU.
  public mutating func configure(_ configuration: HostConfiguration) {
    attributes.deviceName = configuration.name
    attributes.maximumMTU = configuration.mtu
    advertiser.advertisement = configuration.service.map {
      Advertisement(service: $0, name: configuration.name)
    }
  }

  /// A client is there.
  public mutating func opened(_ connection: borrowing Connection, peer: DeviceAddress) {
    open.insert(connection.index)
    attributes.application.centralConnected(at: connection.index, address: peer)
  }

  /// What protects a link has changed: a client may do more, or less. Subscriptions that the link is
  /// too weak for end.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {
    let old = attributes.bearers[index].security
    guard security != old else { return }
    attributes.bearers[index].security = security
    if !security.contains(old) { attributes.dropUnprotected(at: index) }
  }

  /// What is known of the client, so far as a bond keeps it.
  public func clientState(at index: Int) -> ClientState {
    attributes.state(at: index)
  }

  /// What a bond keeps of the client.
  public mutating func clientRecord(at index: Int) -> ClientRecord? {
    attributes.record(at: index)
  }

  /// The client is the one that `record` is about. The application hears of the subscriptions that it has.
  public mutating func restore(_ record: ClientRecord, at index: Int) {
    attributes.restore(record, at: index)
  }

  /// A client has gone. Everything about it is forgotten.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {
    let index = connection.index
    open.remove(index)
    attributes.changedConnections.remove(index)
    attributes.bearers[index] = ATTBearer()
    outboxes[index].reset()
    attributes.application.centralDisconnected(at: index, reason: reason)
  }

  /// The radio's state has changed.
  public mutating func radioChanged(to state: RadioState) {
    attributes.application.radioChanged(to: state)
  }

  /// Takes an ATT PDU of a client.
  @inline(never)
  public mutating func receive(_ pdu: Span<UInt8>, on connection: inout Connection) {
    outboxes[connection.index].receive(pdu, on: &connection, server: &attributes)
  }

  /// Hands the request that was put off to the application once more.
  public mutating func resume(_ connection: inout Connection) {
    guard attributes.bearers[connection.index].hasPutOff else { return }
    outboxes[connection.index].resume(&connection, server: &attributes)
  }

  /// Whether there is a PDU to send, as far as is known without preparing it.
  public func hasPacket(for connection: borrowing Connection) -> Bool {
    let index = connection.index
    if outboxes[index].hasResponse(attributes.bearers[index]) { return true }
    guard !attributes.bearers[index].awaitsConfirmation else { return false }
    return attributes.bearers[index].changedServices != nil
      || attributes.application.pendingUpdate(at: index) != nil
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  @inline(__always)
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    outboxes[connection.index].writePacket(
      for: &connection, length: length, at: now, server: &attributes, to: &writer)
  }
}
