/// The client's half of the attribute protocol on one link.
struct ATTClient: ~Copyable {
  private(set) var operation: ClientOperation?
  init() {}
  var hasPDU: Bool { false }
  mutating func begin(_ operation: ClientOperation) -> Bool { false }
  mutating func end<A: ClientApplication & ~Copyable>(
    with error: OperationError?, at index: Int, _ application: inout A
  ) {}
  mutating func receive<A: ClientApplication & ~Copyable>(
    _ pdu: Span<UInt8>, on connection: inout Connection, _ application: inout A
  ) {}
  mutating func writePacket<A: ClientApplication & ~Copyable>(
    for connection: inout Connection, length: Int, at now: Instant, _ application: inout A,
    to writer: inout ByteWriter
  ) -> Bool { false }
}
