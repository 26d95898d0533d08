// Enhanced ATT bearers: between the channels, the server and the client.
// Core Specification, Vol 3, Part F, 3.2.11; Part G, 5.3.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Requests `count` enhanced bearers, 1 to 5, from the peer at `index`.
  ///
  /// The client's application gets `bearerOpened` or `bearerClosed` for each; then `perform` takes
  /// the bearer's number for an operation of its own, beside those of the link and of other bearers.
  /// A client should first write the EATT bit of its Client Supported Features, if the server's
  /// Server Supported Features has that bit: Core Specification, Vol 3, Part G, 7.2 and 7.4.
  ///
  /// - Returns: False if the channels are not `EnhancedBearers` or have no room for these, if there
  ///   is no link, or if it is not encrypted.
  public mutating func openBearers(_ count: Int, at index: Int) -> Bool {
    guard Channels.hasBearers, isOpen(index), connections[index].disconnectReason == nil,
      securityRole.security(at: index).contains(.encrypted)
    else { return false }
    return channelRole.openBearers(count, at: index)
  }

  /// Does what follows from the last call of the channels: bearers have opened or ended, or have a
  /// PDU.
  mutating func serveBearers() {
    while let number = channelRole.takeNextBearer() {
      var turnLink: Int?
      var pdu = ByteBuffer<517>()
      var link = 0
      var hasPDU = false
      _ = channelRole.withBearer(number) { bearer in
        link = bearer.link
        if Client.isPresent { clientRole.note(&bearer) }
        if bearer.end != nil { turnLink = link }
        hasPDU = bearer.takePDU(into: &pdu)
      }
      // A request that the application has put off is gone, and others have their turn.
      if let turnLink {
        channelRole.linksInTurn.insert(turnLink)
        pending.insert(turnLink)
      }
      if hasPDU { receive(pdu.span, onBearer: number, at: link) }
    }
  }

  private mutating func receive(_ pdu: Span<UInt8>, onBearer number: Int, at link: Int) {
    guard !Client.isPresent || pdu.isForServer else {
      _ = channelRole.withBearer(number) { clientRole.receive(pdu, on: &$0) }
      return
    }
    let waits = hasPutOff(at: link)
    _ = channelRole.withBearer(number) { serverRole.receive(pdu, on: &$0, waits: waits) }
    if Security.isPresent { securityRole.noteActivity(of: ConnectionSet(link)) }
    // One client's PDU may cause the application to send something to others, and to this one on the
    // link's own bearer.
    blocked = .none
    pending.insert(link)
  }

  /// Takes a PDU for the server on the link's own bearer, beside which there may be others.
  static func receive(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ server: inout Server,
    _ channels: inout Channels
  ) {
    let waits = channels.hasPutOff(at: connection.index)
    guard waits || !channels.bearers(at: connection.index).isEmpty else {
      server.receive(pdu, on: &connection)
      return
    }
    _ = channels.withOwnBearer(connection.index) { turn in
      server.receive(pdu, on: &connection, &turn, waits: waits)
    }
  }

  // MARK: Requests that wait

  /// Whether the application has put off a request of the client at `link`, on any bearer.
  private mutating func hasPutOff(at link: Int) -> Bool {
    guard Server.isPresent else { return false }
    let isOwn = channelRole.withOwnBearer(link) { $0.waiting != .forAnother } ?? true
    return isOwn && serverRole.isPutOff(at: link) || channelRole.hasPutOff(at: link)
  }

  /// Handles the request that the application has put off for the client at `link`. Those that
  /// wait for it have their turn when the application has returned.
  mutating func resumeBearers(at link: Int) {
    var remaining = channelRole.bearers(at: link)
    if channelRole.hasPutOff(at: link) {
      while let number = remaining.first(from: 0) {
        remaining.remove(number)
        _ = channelRole.withBearer(number) { bearer in
          if bearer.turn.waiting == .putOff { serverRole.resume(&bearer) }
        }
      }
    } else if serverRole.isPutOff(at: link) {
      let isDone: Void? = channelRole.withOwnBearer(link) {
        serverRole.resume(&connections[link], &$0)
      }
      if isDone == nil { serverRole.resume(&connections[link]) }
    }
    channelRole.linksInTurn.insert(link)
    blocked = .none
  }

  /// Handles the requests whose turn has come.
  mutating func serveTurns() {
    while let link = channelRole.linksInTurn.first(from: 0) {
      channelRole.linksInTurn.remove(link)
      guard isOpen(link) else { continue }
      if !hasPutOff(at: link), serverRole.isPutOff(at: link) {
        _ = channelRole.withOwnBearer(link) { serverRole.resume(&connections[link], &$0) }
        pending.insert(link)
        noteTimers(of: link)
      }
      var remaining = channelRole.bearers(at: link)
      while let number = remaining.first(from: 0), !hasPutOff(at: link) {
        remaining.remove(number)
        _ = channelRole.withBearer(number) { bearer in
          if bearer.turn.waiting == .forAnother { serverRole.resume(&bearer) }
        }
      }
      blocked = .none
    }
  }
}
