/// What a server has to send on one link: at most one response, and one notification or indication.
///
/// Everything else that a client is owed is a flag, so nothing has to be queued.
struct ServerOutbox: ~Copyable {
  /// Which PDU is on its way, fragment by fragment.
  private enum Sending {
    case response, update
  }

  /// The response; or the request that was put off, while there is one.
  private var response = ByteBuffer<517>()
  private var update = ByteBuffer<517>()
  private var sending = Sending.response

  init() {}

  /// Everything is forgotten, for the link has gone.
  mutating func reset() {
    response.removeAll()
    update.removeAll()
  }

  /// Whether a response can be sent.
  func hasResponse(_ bearer: borrowing ATTBearer) -> Bool {
    !response.isEmpty && !bearer.hasPutOff
  }

  /// Takes an ATT PDU of the client.
  @inline(__always)
  mutating func receive<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    _ pdu: Span<UInt8>, on connection: inout Connection,
    server: inout ATTServer<links, Database, Application>
  ) {
    if server.bearers[connection.index].awareness != .aware,
      isOutOfSync(pdu, bearer: &server.bearers[connection.index])
    {
      return
    }
    respond(to: pdu, on: &connection, server: &server)
  }

  /// Hands the request that was put off to the application once more.
  mutating func resume<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    _ connection: inout Connection, server: inout ATTServer<links, Database, Application>
  ) {
    server.bearers[connection.index].hasPutOff = false
    // The request makes room for its response.
    var request = ByteBuffer<517>()
    _ = request.assign(response.span)
    response.removeAll()
    respond(to: request.span, on: &connection, server: &server)
  }

  /// Puts the response to a PDU into `response`; or the PDU itself, if that is put off.
  ///
  /// A client may not send a request before the last one is answered; one that does is not answered out
  /// of turn. Commands and confirmations, to which there is no response, are welcome at any time.
  @inline(__always)
  private mutating func respond<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    to pdu: Span<UInt8>, on connection: inout Connection,
    server: inout ATTServer<links, Database, Application>
  ) {
    let isWaiting = !response.isEmpty
    if isWaiting, !pdu.isNeverAnswered { return }
    var writer = response.makeWriter(limit: isWaiting ? 0 : connection.mtu.byteCount)
    server.respond(to: pdu, on: &connection, response: &writer)
    if isWaiting { return }
    let count = writer.count
    response.keepWritten(count)
    if server.bearers[connection.index].hasPutOff { _ = response.assign(pdu) }
  }

  /// Whether a PDU is not answered as usual, since its client is change-unaware.
  @inline(never)
  private mutating func isOutOfSync(_ pdu: Span<UInt8>, bearer: inout ATTBearer) -> Bool {
    switch bearer.verdict(on: pdu, isInTurn: response.isEmpty) {
    case .answered:
      return false
    case .ignored:
      return true
    case .refused(let opcode):
      response.write { writer in
        ErrorResponse(request: opcode, handle: .none, code: .databaseOutOfSync).write(to: &writer)
      }
      return true
    }
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  @inline(__always)
  mutating func writePacket<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    for connection: inout Connection, length: Int, at now: Instant,
    server: inout ATTServer<links, Database, Application>, to writer: inout ByteWriter
  ) -> Bool {
    if connection.sending == .nothing {
      if !response.isEmpty, !server.bearers[connection.index].hasPutOff {
        sending = .response
      } else {
        return writeUpdate(
          for: &connection, length: length, at: now, server: &server, to: &writer)
      }
    }
    guard sending == .response else {
      writeUpdateFragment(for: &connection, length: length, to: &writer)
      return true
    }
    let isDone = connection.writeFragment(of: response.span, length: length, to: &writer)
    if isDone { response.removeAll() }
    connection.sending = isDone ? .nothing : .server
    return true
  }

  /// Writes a packet with the next part of a notification or indication that takes several.
  @inline(never)
  private mutating func writeUpdateFragment(
    for connection: inout Connection, length: Int, to writer: inout ByteWriter
  ) {
    let isDone = connection.writePart(of: update.span, length: length, to: &writer)
    if isDone { update.removeAll() }
    connection.sending = isDone ? .nothing : .server
  }

  /// Writes the next notification or indication, as far as one packet takes it; `false` if there is
  /// none. It is written where it is sent from, and kept only if it is longer than the packet.
  @inline(__always)
  private mutating func writeUpdate<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    for connection: inout Connection, length: Int, at now: Instant,
    server: inout ATTServer<links, Database, Application>, to writer: inout ByteWriter
  ) -> Bool {
    guard let handle = connection.handle else { return false }
    let limit = connection.mtu.byteCount
    var pdu = writer.makeWriter(after: L2CAPFrame.packetHeaderLength, limit: limit)
    guard server.writeUpdate(on: &connection, at: now, to: &pdu) else { return false }
    let count = pdu.count
    if count &+ L2CAPFrame.headerLength <= length {
      L2CAPFrame.writeStart(on: handle, .att, before: count, to: &writer)
      return true
    }
    _ = update.assign(pdu.span)
    sending = .update
    writeUpdateFragment(for: &connection, length: length, to: &writer)
    return true
  }
}

extension Span<UInt8> {
  /// Whether this ATT PDU is a command or a confirmation.
  fileprivate var isNeverAnswered: Bool {
    guard !isEmpty else { return false }
    let opcode = ATTOpcode(rawValue: self[0])
    return opcode.isCommand || opcode == .handleValueConfirmation
  }
}
