/// The way between a host and its controller: whole packets out and in, over any port.
///
/// A radio that is lost is opened again, after 250 ms at first and then more and more seldom, down to
/// once in 5 s. `capacity` is the longest packet that can be received, and what is read or written at
/// once: at least `longestSentPacket` bytes.
public struct RadioLink<let capacity: Int>: ~Copyable {
  /// The longest packet that a host sends, in bytes: H4's type, the headers of ACL data (4 bytes) and
  /// L2CAP (4 bytes), and an ATT PDU of 517.
  public static var longestSentPacket: Int { 1 + 4 + 4 + 517 }

  /// The packets that are received in a row before something else has its turn.
  public static var burst: Int { 32 }

  /// After so many Resets without any packet, the connection to a controller is closed and made anew.
  /// A host sends one Reset in about 2 s.
  public static var resetLimit: Int { 3 }

  /// What a turn of the loop has come to.
  public enum Turn: Equatable, Sendable {
    /// Nothing more can be done before the port has news.
    case done
    /// There may be more to receive at once: the loop should not sleep.
    case unfinished
    /// The radio has been lost in this turn.
    case lost(RadioLoss)
  }

  private var decoder = H4StreamDecoder<capacity>()
  private var input = ByteBuffer<capacity>()
  private var consumed = 0
  private var output = ByteBuffer<capacity>()
  private var written = 0

  /// Whether the controller can be reached, as far as is known.
  public private(set) var isOpen = false
  /// Whether the driver does not know yet that the radio is open.
  private var isNew = false
  private var loss: RadioLoss?
  /// When to open the radio again; `nil` while it is open or the port waits for a controller.
  private var retry: Instant?
  /// How often in a row it has failed without a packet.
  private var failures: UInt32 = 0
  private var unansweredResets = 0
  /// Whether no packet has come since the radio was opened.
  private var isFirst = true

  /// A link whose radio is not open.
  public init() {}

  /// When `open` must be called next; `nil` if only the port can bring anything.
  public var deadline: Instant? { retry }

  /// Whether bytes wait to be written.
  public var hasOutput: Bool { written < output.count }

  /// Opens the radio if it is not open and its time has come.
  @discardableResult
  public mutating func open<Port: RadioPort & ~Copyable>(
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
    case .pending:
      retry = nil
    case .failed:
      waitToReopen(from: now)
    }
    return opening
  }

  /// Closes the radio for good.
  public mutating func close<Port: RadioPort & ~Copyable>(_ port: inout Port) {
    if isOpen { reset(&port) }
    retry = nil
  }

  /// Gives `driver` what has come, and the controller what `driver` has for it. Call it in each turn of
  /// the loop, after `open`.
  ///
  /// After `.lost`, the caller gives the news to its host.
  @inline(__always)
  public mutating func serve<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, for driver: inout Driver, at now: Instant) -> Turn {
    if isNew {
      isNew = false
      driver.radioIsReady(at: now)
    }
    let isUnfinished = exchange(&port, &driver, at: now)
    driver.advance(to: now)
    send(&port, &driver, at: now)
    guard let loss else { return isUnfinished ? .unfinished : .done }
    reset(&port)
    waitToReopen(from: now)
    return .lost(loss)
  }

  // MARK: Packets

  /// Receives a burst of packets, and sends what each brings before the next can replace it; whether
  /// there may be more.
  private mutating func exchange<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, _ driver: inout Driver, at now: Instant) -> Bool {
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

  /// Hands the next packet to the driver; `false` if none is whole yet, or the radio is lost.
  @inline(__always)
  private mutating func receive<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, _ driver: inout Driver, at now: Instant) -> Bool {
    while loss == nil {
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
  private mutating func decode<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, _ driver: inout Driver, at now: Instant) -> Bool {
    var reader = ByteReader(input.span.extracting(consumed..<input.count))
    var isPacket = false
    switch decoder.next(from: &reader) {
    case .packet(let packet):
      port.note(packet, .received)
      if isFirst, Self.saysFull(packet) {
        loss = .airIsFull
      } else {
        driver.receive(packet, at: now)
        isPacket = true
      }
    case .incomplete, .tooLong:
      // No host asks for a packet that is too long, and nothing waits for it.
      break
    case .lostSync(let byte):
      loss = .lostSync(byte)
    }
    consumed = input.count &- reader.count
    return isPacket
  }

  private mutating func packetCame() {
    isFirst = false
    failures = 0
    unansweredResets = 0
  }

  /// Whether a packet refuses Reset with the error Connection Rejected due to Limited Resources, as
  /// a virtual air does that has no room. No controller has another reason to.
  private static func saysFull(_ packet: Span<UInt8>) -> Bool {
    guard case .event(.commandComplete, let parameters)? = HCIPacket(packet),
      let event = CommandComplete(parameters: parameters), event.opcode == .reset
    else { return false }
    var reader = ByteReader(event.returnParameters)
    return reader.readUInt8() == HCIErrorCode.rejectedDueToLimitedResources.rawValue
  }

  /// Reads into the empty buffer; `false` if there is nothing now.
  private mutating func fill<Port: RadioPort & ~Copyable>(_ port: inout Port) -> Bool {
    consumed = 0
    input.removeAll()
    var space = input.space
    let read = port.readRadio(into: &space)
    switch read {
    case .bytes(let count):
      input.keepWritten(count)
      return true
    case .nothing:
      return false
    case .closed:
      loss = .closed
      return false
    case .failed:
      loss = .port
      return false
    }
  }

  /// Sends until the driver has nothing more, or the controller takes no more for now.
  @inline(__always)
  private mutating func send<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, _ driver: inout Driver, at now: Instant) {
    if hasOutput || driver.mayHavePacket { sendAll(&port, &driver, at: now) }
  }

  @inline(never)
  private mutating func sendAll<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, _ driver: inout Driver, at now: Instant) {
    guard isOpen, loss == nil else { return }
    var hasMore = true
    while flush(&port), hasMore, fill(&port, from: &driver, &hasMore, at: now) {}
  }

  /// Writes what waits; whether nothing is left of it.
  private mutating func flush<Port: RadioPort & ~Copyable>(_ port: inout Port) -> Bool {
    guard written < output.count else { return true }
    switch port.writeRadio(output.span.extracting(written..<output.count)) {
    case .taken(let count):
      written &+= count
      return written == output.count
    case .failed:
      loss = .port
      return false
    }
  }

  /// Takes the driver's next packet, or for a stream as many as there is room for; `false` if it has
  /// none. `hasMore` is false when the driver has said that it has no more.
  private mutating func fill<
    Port: RadioPort & ~Copyable, Driver: RadioDriver & ~Copyable
  >(_ port: inout Port, from driver: inout Driver, _ hasMore: inout Bool, at now: Instant) -> Bool {
    guard loss == nil else { return false }
    written = 0
    output.removeAll()
    repeat {
      let start = output.count
      var writer = output.makeAppendingWriter()
      hasMore = driver.nextPacket(into: &writer, at: now)
      guard hasMore, !writer.hasOverflowed else { break }
      output.keepWritten(start &+ writer.count)
      notePacket(&port, from: start)
    } while !port.isPacketwise && output.freeCapacity >= Self.longestSentPacket && loss == nil
    // What has been noted is sent, even if it is one Reset too many.
    return !output.isEmpty
  }

  private mutating func notePacket<Port: RadioPort & ~Copyable>(
    _ port: inout Port, from start: Int
  ) {
    let packet = output.span.extracting(start...)
    port.note(packet, .sent)
    guard case .command(.reset, _)? = HCIPacket(packet) else { return }
    unansweredResets &+= 1
    if unansweredResets > Self.resetLimit { loss = .silent }
  }

  // MARK: Losing and finding

  private mutating func reset<Port: RadioPort & ~Copyable>(_ port: inout Port) {
    port.closeRadio()
    isOpen = false
    isNew = false
    loss = nil
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
