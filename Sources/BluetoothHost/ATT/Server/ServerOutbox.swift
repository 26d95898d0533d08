/// A link's outgoing PDUs: one response, one update. All else that is pending is a flag.
struct ServerOutbox: ~Copyable {
  /// The PDU that is being sent, fragment by fragment.
  private enum Sending { case response, update }

  /// The response, or the request that the application has put off.
  private var response = ByteBuffer<517>()
  private var update = ByteBuffer<517>()
  private var sending = Sending.response

  init() {}

  /// Forgets everything, since the link has ended.
  mutating func reset() {
    response.removeAll()
    update.removeAll()
  }

  // MARK: Of an enhanced bearer

  /// Whether there is neither a response nor a request that waits.
  var isEmpty: Bool { response.isEmpty }
  /// The length of the response.
  var responseCount: Int { response.count }

  /// Writes the response from `offset` on.
  func writeResponse(from offset: Int, into writer: inout ByteWriter) {
    guard offset < response.count else { return }
    writer.writePrefix(of: response.span.extracting(offset..<response.count))
  }

  /// Stores the Error Response to a request.
  mutating func refuse(_ opcode: ATTOpcode, _ code: ATTErrorCode) {
    response.write { writer in
      ErrorResponse(request: opcode, handle: .none, code: code).write(to: &writer)
    }
  }

  /// Stores a request that waits.
  mutating func hold(_ pdu: Span<UInt8>) { _ = response.assign(pdu) }

  /// Takes the request that waits.
  mutating func takeRequest(into pdu: inout ByteBuffer<517>) {
    pdu.removeAll()
    swap(&pdu, &response)
  }

  // MARK: Of any bearer

  /// Whether there is a response to send.
  func hasResponse(_ bearer: borrowing ATTBearer) -> Bool { !response.isEmpty && !bearer.hasPutOff }

  /// Passes the request that was put off to the application again.
  mutating func resume<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    _ connection: inout Connection, server: inout ATTServer<links, Database, Application>
  ) {
    server.bearers[connection.index].hasPutOff = false
    // The request's storage is needed for the response.
    var request = ByteBuffer<517>()
    _ = request.assign(response.span)
    response.removeAll()
    receive(request.span, isResumed: true, on: &connection, server: &server)
  }

  /// Takes a PDU, and stores its response, or the PDU if it is put off. A request before the last
  /// response is ignored; commands and confirmations are always accepted. `isResumed` after
  /// change-awareness was checked.
  @inline(__always)
  mutating func receive<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    _ pdu: Span<UInt8>, isResumed: Bool = false, on connection: inout Connection,
    server: inout ATTServer<links, Database, Application>
  ) {
    if !isResumed, server.bearers[connection.index].awareness != .aware,
      refuseIfOutOfSync(pdu, bearer: &server.bearers[connection.index])
    {
      return
    }
    if !response.isEmpty, !pdu.isNeverAnswered { return }
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    // Writes first: a peripheral gets these most, and the whole response is an opcode.
    guard opcode == .writeRequest || opcode == .writeCommand else {
      return respond(to: pdu, on: &connection, server: &server)
    }
    do throws(ATTRefusal) {
      try server.write(pdu, isCommand: opcode == .writeCommand, on: connection)
      if opcode == .writeRequest { response.write { $0.write(ATTOpcode.writeResponse.rawValue) } }
    } catch { refuse(pdu, error, bearer: &server.bearers[connection.index]) }
  }

  /// Takes a PDU that is not a write.
  @inline(never)
  private mutating func respond<let links: Int, Database: ~Copyable, Application: ~Copyable>(
    to pdu: Span<UInt8>, on connection: inout Connection,
    server: inout ATTServer<links, Database, Application>
  ) {
    let isWaiting = !response.isEmpty
    var writer = response.makeWriter(limit: isWaiting ? 0 : connection.mtu.byteCount)
    do throws(ATTRefusal) {
      try server.respond(to: pdu, on: &connection, response: &writer)
      let count = writer.count
      if !isWaiting { response.keepWritten(count) }
    } catch { refuse(pdu, error, bearer: &server.bearers[connection.index]) }
  }

  /// Stores the Error Response to `pdu`, or `pdu` itself if the application answers it later.
  @inline(never) private mutating func refuse(
    _ pdu: Span<UInt8>, _ refusal: ATTRefusal, bearer: inout ATTBearer
  ) {
    let opcode = ATTOpcode(rawValue: pdu[0])
    guard opcode.isAnswered else { return }
    guard let code = refusal.code else {
      bearer.hasPutOff = true
      _ = response.assign(pdu)
      return
    }
    response.write { writer in
      ErrorResponse(request: opcode, handle: refusal.handle, code: code).write(to: &writer)
    }
  }

  /// Ignores or refuses the PDU of a change-unaware client; `false` to handle it as usual.
  @inline(never) private mutating func refuseIfOutOfSync(
    _ pdu: Span<UInt8>, bearer: inout ATTBearer
  ) -> Bool {
    switch bearer.verdict(on: pdu, isInTurn: response.isEmpty) {
    case .answered: return false
    case .ignored: return true
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
      if hasResponse(server.bearers[connection.index]) {
        sending = .response
      } else {
        return writeUpdate(for: &connection, length: length, at: now, server: &server, to: &writer)
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

  /// Writes the next packet of a notification or indication that needs several.
  @inline(never) private mutating func writeUpdateFragment(
    for connection: inout Connection, length: Int, to writer: inout ByteWriter
  ) {
    let isDone = connection.writePart(of: update.span, length: length, to: &writer)
    if isDone { update.removeAll() }
    connection.sending = isDone ? .nothing : .server
  }

  /// Writes the next update directly to the packet, and stores it only if it is longer; `false` if
  /// there is none.
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
