/// The packet transport between a host and its controller, over any port.
///
/// It reopens a lost radio, first after 250 ms and then more and more rarely, down to once in 5 s.
/// `capacity` is the longest packet that can be received, and the size of a read or write: at
/// least `longestSentPacket` bytes.
public struct RadioLink<let capacity: Int>: ~Copyable {
  /// The longest packet that a host sends, in bytes: H4's type, the headers of ACL data (4 bytes)
  /// and L2CAP (4 bytes), and an ATT PDU of 517.
  public static var longestSentPacket: Int { 1 + 4 + 4 + 517 }

  /// How many packets are received in a row before other work continues.
  public static var burst: Int { 32 }

  /// After this number of Resets without any packet, the connection to the controller is closed and
  /// reopened. A host sends one Reset in about 2 s.
  public static var resetLimit: Int { 3 }

  /// The result of a turn of the event loop.
  public enum TurnResult: Equatable, Sendable {
    /// Nothing can be done before the next event of the port.
    case done
    /// There may be more to receive: the loop should not sleep.
    case unfinished
    /// The radio was lost in this turn.
    case lost(TransportError)
  }

  private var decoder = H4StreamDecoder<capacity>()
  private var input = ByteBuffer<capacity>()
  private var consumed = 0
  private var output = ByteBuffer<capacity>()
  private var written = 0

  /// Whether the radio is open.
  public private(set) var isOpen = false
  /// Whether the driver still has to be notified of the open radio.
  private var isNew = false
  private var error: TransportError?
  /// When to open the radio again; `nil` while it is open or the port waits for a controller.
  private var retry: Instant?
  /// How often in a row it has failed before any packet.
  private var failures: UInt32 = 0
  private var unansweredResets = 0
  /// Whether no packet has been received since the radio was opened.
  private var isFirst = true

  /// Creates a link without an open radio.
  public init() {}

  /// When to call `open` next; `nil` if only the port can cause a change.
  public var deadline: Instant? { retry }

  /// Whether bytes wait to be written.
  public var hasOutput: Bool { written < output.count }

  /// Opens the radio if it is closed and a retry is due.
  @discardableResult public mutating func open<Port: RadioPort & ~Copyable>(
    _ port: inout Port, at now: Instant
  ) -> RadioOpening {
    if isOpen { return .opened }
    if let retry, retry > now { return .failed }
    let opening = port.openRadio(at: now)
    switch opening {
    case .opened:
      isOpen = true
      isNew = true
      retry = nil
    case .pending: retry = nil
    case .failed: waitToReopen(from: now)
    }
    return opening
  }

  /// Closes the radio, and does not reopen it.
  public mutating func close<Port: RadioPort & ~Copyable>(_ port: inout Port) {
    if isOpen { reset(&port) }
    retry = nil
  }

  /// Passes received packets to `driver`, and its packets to the controller. Call it in each turn
  /// of the loop, after `open`.
  ///
  /// After `.lost`, the caller notifies its host.
  @inline(__always)
  public mutating func serve<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, for driver: inout Driver, at now: Instant
  ) -> TurnResult {
    if isNew {
      isNew = false
      if Port.takesAttributes { driver.exportAttributes(to: &port) }
      driver.radioIsReady(at: now)
    }
    let isUnfinished = exchange(&port, &driver, at: now)
    driver.advance(to: now)
    send(&port, &driver, at: now)
    guard let error else { return isUnfinished ? .unfinished : .done }
    reset(&port)
    waitToReopen(from: now)
    return .lost(error)
  }

  // MARK: Packets

  /// Receives a burst of packets, and sends what each causes before the next one can replace it.
  /// Returns whether there may be more.
  private mutating func exchange<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, _ driver: inout Driver, at now: Instant
  ) -> Bool {
    guard isOpen else { return false }
    var count = 0
    while count < Self.burst {
      guard receive(&port, &driver, at: now) else { return false }
      send(&port, &driver, at: now)
      driver.packetWasServed(at: now)
      count &+= 1
    }
    return true
  }

  /// Passes the next packet to the driver; `false` if none is complete, or the radio is lost.
  @inline(__always)
  private mutating func receive<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, _ driver: inout Driver, at now: Instant
  ) -> Bool {
    while error == nil {
      if consumed == input.count, !fill(&port) { return false }
      if port.isPacketwise {
        port.note(input.span, .received)
        driver.receive(input.span, at: now)
        consumed = input.count
        packetCame()
        return true
      }
      if decode(&port, &driver, at: now) {
        packetCame()
        return true
      }
    }
    return false
  }

  @inline(__always)
  private mutating func decode<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, _ driver: inout Driver, at now: Instant
  ) -> Bool {
    var reader = ByteReader(input.span.extracting(consumed..<input.count))
    var isPacket = false
    switch decoder.next(from: &reader) {
    case .packet(let packet):
      port.note(packet, .received)
      if isFirst, Self.reportsFullAir(packet) {
        error = .airIsFull
      } else {
        driver.receive(packet, at: now)
        isPacket = true
      }
    case .incomplete, .tooLong:
      // A host never requests a packet that is too long, and does not wait for it.
      break
    case .lostSync(let byte): error = .lostSync(byte)
    }
    consumed = input.count &- reader.count
    return isPacket
  }

  private mutating func packetCame() {
    isFirst = false
    failures = 0
    unansweredResets = 0
  }

  /// Whether a packet refuses Reset with the error Connection Rejected due to Limited Resources: a
  /// virtual air is full. Controllers do not do that.
  public static func reportsFullAir(_ packet: Span<UInt8>) -> Bool {
    guard case .event(.commandComplete, let parameters)? = HCIPacket(packet),
      let event = CommandComplete(parameters: parameters), event.opcode == .reset
    else { return false }
    var reader = ByteReader(event.returnParameters)
    return reader.readUInt8() == HCIErrorCode.rejectedDueToLimitedResources.rawValue
  }

  /// Reads into the empty buffer; `false` if nothing is available.
  private mutating func fill<Port: RadioPort & ~Copyable>(_ port: inout Port) -> Bool {
    consumed = 0
    input.removeAll()
    var space = input.space
    let read = port.readRadio(into: &space)
    switch read {
    case .bytes(let count):
      input.keepWritten(count)
      return true
    case .nothing: return false
    case .closed:
      error = .closed
      return false
    case .failed:
      error = .port
      return false
    }
  }

  /// Sends until the driver has no more packets, or the controller takes no more for now.
  @inline(__always)
  private mutating func send<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, _ driver: inout Driver, at now: Instant
  ) { if hasOutput || driver.mayHavePacket { sendAll(&port, &driver, at: now) } }

  @inline(never)
  private mutating func sendAll<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, _ driver: inout Driver, at now: Instant
  ) {
    guard isOpen, error == nil else { return }
    var hasMore = true
    while flush(&port), hasMore, fill(&port, from: &driver, &hasMore, at: now) {}
  }

  /// Writes the pending bytes. Returns whether none remain.
  private mutating func flush<Port: RadioPort & ~Copyable>(_ port: inout Port) -> Bool {
    guard written < output.count else { return true }
    switch port.writeRadio(output.span.extracting(written..<output.count)) {
    case .taken(let count):
      written &+= count
      return written == output.count
    case .failed:
      error = .port
      return false
    }
  }

  /// Takes the driver's next packet, or for a stream as many as there is room for; `false` if there
  /// is none. `hasMore` is false if the driver has no more.
  private mutating func fill<Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable>(
    _ port: inout Port, from driver: inout Driver, _ hasMore: inout Bool, at now: Instant
  ) -> Bool {
    guard error == nil else { return false }
    written = 0
    output.removeAll()
    repeat {
      let start = output.count
      var writer = output.makeAppendingWriter()
      hasMore = driver.nextPacket(into: &writer, at: now)
      guard hasMore, !writer.hasOverflowed else { break }
      output.keepWritten(start &+ writer.count)
      notePacket(&port, from: start)
    } while !port.isPacketwise && output.freeCapacity >= Self.longestSentPacket && error == nil
    // Noted packets are sent, even if the last one exceeds the limit of Resets.
    return !output.isEmpty
  }

  private mutating func notePacket<Port: RadioPort & ~Copyable>(_ port: inout Port, from start: Int)
  {
    let packet = output.span.extracting(start...)
    port.note(packet, .sent)
    // Most packets are data, which need not be parsed.
    guard !packet.isEmpty, packet[0] == HCIPacketType.command.rawValue,
      case .command(.reset, _)? = HCIPacket(packet)
    else { return }
    unansweredResets &+= 1
    if unansweredResets > Self.resetLimit { error = .silent }
  }

  // MARK: Closing and reopening

  private mutating func reset<Port: RadioPort & ~Copyable>(_ port: inout Port) {
    port.closeRadio()
    isOpen = false
    isNew = false
    error = nil
    decoder.reset()
    input.removeAll()
    consumed = 0
    output.removeAll()
    written = 0
    unansweredResets = 0
    isFirst = true
  }

  private mutating func waitToReopen(from now: Instant) {
    retry = now.advanced(by: RetryPace.delay(after: failures))
    failures &+= 1
  }
}
