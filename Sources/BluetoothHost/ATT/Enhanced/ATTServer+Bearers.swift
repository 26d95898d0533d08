// A client with several bearers: Core Specification, Vol 3, Part F, 3.2.11; Part G, 2.5.2.1 and 5.3.
//
// Each bearer has its own request, MTU and prepare queue; what the client has set is its own,
// whichever bearer it used. Values are notified and indicated on the link's own bearer.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// Takes a PDU on an enhanced bearer. It has its MTU from the beginning, so it refuses an exchange:
  /// Vol 3, Part F, 3.4.2.
  mutating func receive(
    _ pdu: Span<UInt8>, waits: Bool = false, isResumed: Bool = false,
    on bearer: inout EnhancedBearer
  ) {
    guard !pdu.isEmpty else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    // No indication was sent on it.
    guard opcode != .handleValueConfirmation else { return }
    guard opcode != .exchangeMTURequest else { return bearer.refuse(pdu) }
    var connection = Connection(index: bearer.link)
    connection.mtu = bearer.mtu
    let isPreparing = opcode == .prepareWriteRequest || opcode == .executeWriteRequest
    if isPreparing { swap(&bearers[bearer.link].prepared, &bearer.prepared) }
    receive(
      pdu, waits: waits, isResumed: isResumed, isOwn: false, on: &connection, &bearer.outbox,
      &bearer.turn)
    if isPreparing { swap(&bearers[bearer.link].prepared, &bearer.prepared) }
  }

  /// Takes a PDU on one of a client's bearers, `isOwn` on the link's own. A request waits while
  /// `waits`. `isResumed` after change-awareness was checked.
  mutating func receive(
    _ pdu: Span<UInt8>, waits: Bool = false, isResumed: Bool = false, isOwn: Bool,
    on connection: inout Connection, _ outbox: inout ServerOutbox, _ turn: inout BearerTurn
  ) {
    guard !pdu.isEmpty else { return }
    let index = connection.index
    let opcode = ATTOpcode(rawValue: pdu[0])
    // A request before the last response is ignored.
    guard !opcode.isAnswered || outbox.isEmpty else { return }
    if waits, opcode.isAnswered {
      outbox.hold(pdu)
      turn.waiting = .forAnother
      if isOwn { bearers[index].hasPutOff = true }
      return
    }
    let others = bearers[index].hasPutOff
    let awareness = bearers[index].awareness
    let isHashRead = pdu.readsDatabaseHash
    // Database Out Of Sync is sent once on each bearer.
    let isChecked =
      isResumed
      || awareness == .unaware && opcode.isAnswered && !isHashRead
        && turn.refusedDatabase == database.hash
    bearers[index].hasPutOff = false
    outbox.receive(pdu, isResumed: isChecked, on: &connection, server: &self)
    if bearers[index].hasPutOff { turn.waiting = .putOff }
    if !isOwn { bearers[index].hasPutOff = others }
    // Neither the error nor a confirmation makes this client change-aware, but reading the hash does.
    guard awareness == .unaware, !isHashRead, bearers[index].awareness != .unaware else { return }
    if bearers[index].awareness == .awareWithNextRequest { turn.refusedDatabase = database.hash }
    bearers[index].awareness = .unaware
  }
}

extension Span<UInt8> {
  /// Whether this ATT PDU reads the Database Hash.
  fileprivate var readsDatabaseHash: Bool {
    var reader = ByteReader(self)
    guard reader.readUInt8() == ATTOpcode.readByTypeRequest.rawValue,
      let request = ReadByTypeRequest(&reader)
    else { return false }
    return request.type == .databaseHash && request.range == .all
  }
}
