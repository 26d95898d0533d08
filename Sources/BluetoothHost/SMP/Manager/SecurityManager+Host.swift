// The requirements of the host.
extension SecurityManager: SecurityRole
where Agreement: ~Copyable, Bonds: ~Copyable, Delegate: ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// Whether pairing needs more random numbers as a seed, and the controller has not refused them.
  public var needsRandomNumber: Bool { !pairing.random.isSeeded && !refusesRandomNumbers }

  /// Takes a random number of the controller; `nil` if it refuses. Without random numbers no peer
  /// can pair until the controller is reset.
  public mutating func takeRandomNumber(_ number: UInt64?) {
    guard !pairing.random.isSeeded else { return }
    if let number, pairing.random.addSeed(number) { return }
    refusesRandomNumbers = true
  }

  /// A link has closed.
  public mutating func closed(at index: Int) { closed(at: index, at: now) }

  /// Whether there is a PDU to send.
  public func hasPacket(for connection: borrowing Connection) -> Bool {
    outboxIndex == connection.index || hasPDU(at: connection.index)
  }

  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    if outboxIndex == nil {
      var bytes = InlineArray<65, UInt8>(repeating: 0)
      var pdu = ByteWriter(bytes.mutableSpan)
      guard writePDU(at: connection.index, to: &pdu, at: now) else { return false }
      let count = pdu.count
      _ = outbox.assign(bytes.span.extracting(first: count))
      outboxIndex = connection.index
    }
    guard outboxIndex == connection.index else { return false }
    let isDone = connection.writeFragment(
      of: outbox.span, on: .securityManager, length: length, to: &writer)
    connection.sending = isDone ? .nothing : .security
    if isDone {
      outbox.removeAll()
      outboxIndex = nil
    }
    return true
  }
}
