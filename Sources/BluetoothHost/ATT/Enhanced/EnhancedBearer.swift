/// An enhanced ATT bearer: a channel with the SPSM 0x0027 that carries ATT PDUs.
/// Core Specification, Vol 3, Part F, 3.2.11; Part G, 5.3.
///
/// It has its own request in progress in each direction, its own MTU and its own prepare queue. The
/// client's subscriptions and features are those of its link, whichever bearer they came on. The
/// host makes and uses bearers; a program knows them by their numbers.
public struct EnhancedBearer: ~Copyable {
  /// The PDU that is being sent.
  private enum Sending { case response, confirmation, request }

  /// Its channel; `nil` if there is no bearer.
  private(set) var channel: Int?
  /// The connection index.
  private(set) var link = 0
  /// Its number for the program.
  private(set) var number = 0
  /// The longest PDU in either direction: the smaller of the channel's MTUs.
  private(set) var mtu = ATTMTU.minimum

  /// Whether the program knows that it has opened, and its MTU.
  private var isReported = false
  private(set) var hasOpened = false
  /// Why it has ended; `nil` if it has not.
  private(set) var end: ChannelEnd?
  /// Why the host closes it: without the response to a request it cannot be used. `nil` if it can.
  private(set) var failure: ChannelEnd?

  private var incoming = ByteBuffer<517>()
  private var isIncomingWhole = false

  // The server.
  var outbox = ServerOutbox()
  var prepared = PrepareQueue()
  var turn = BearerTurn()

  // The client.
  var client: ATTClient
  /// Whether the request has timed out, and the program does not know it.
  private var hasTimedOut = false
  var isConfirmationPending = false
  private var request = ByteBuffer<517>()
  /// When the request times out.
  private(set) var deadline: Instant?

  private var sending: Sending?

  /// No bearer.
  init() { client = ATTClient(maximumMTU: .minimum) }

  /// Creates a bearer on a channel.
  init(channel: Int, link: Int, number: Int) {
    self.init()
    self.channel = channel
    self.link = link
    self.number = number
    client.hasExchangedMTU = true
  }

  /// The channel has opened, or the peer accepts longer PDUs.
  mutating func open(_ mtu: ATTMTU) {
    hasOpened = true
    isReported = false
    self.mtu = mtu
  }

  /// The channel has closed.
  mutating func close(with end: ChannelEnd) { self.end = end }

  // MARK: Receiving

  /// Takes a part of a PDU. Returns whether it completes the PDU.
  mutating func receive(_ segment: borrowing SDUSegment) -> Bool {
    // A PDU that the host has not taken is not overwritten: it takes each at once.
    guard !isIncomingWhole else { return false }
    if segment.offset == 0 { incoming.removeAll() }
    guard incoming.append(segment.bytes) else { return false }
    isIncomingWhole = segment.isLast
    return isIncomingWhole
  }

  /// Takes the whole PDU that has arrived; `false` if there is none.
  mutating func takePDU(into pdu: inout ByteBuffer<517>) -> Bool {
    guard isIncomingWhole else { return false }
    isIncomingWhole = false
    swap(&pdu, &incoming)
    return true
  }

  /// Refuses a request, since there is no server, or since the request is not for this bearer.
  mutating func refuse(_ pdu: Span<UInt8>) {
    guard !pdu.isEmpty, outbox.isEmpty else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    guard opcode.isAnswered else { return }
    outbox.refuse(opcode, .requestNotSupported)
  }

  // MARK: The client's requests

  /// Writes the request of the operation under way, if one is due.
  mutating func prepareRequest<Application: ClientApplication & ~Copyable>(
    _ application: inout Application
  ) {
    guard request.isEmpty, channel != nil, end == nil, client.hasPDU else { return }
    var storage = InlineArray<517, UInt8>(repeating: 0)
    let count = client.takeRequest(
      mtu: mtu, at: number, &application, into: storage.mutableSpan)
    _ = request.assign(storage.span.extracting(first: count))
  }

  /// Takes a PDU of the server.
  mutating func receive<Application: ClientApplication & ~Copyable>(
    fromServer pdu: Span<UInt8>, _ application: inout Application
  ) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    switch ATTOpcode(rawValue: byte) {
    case .handleValueNotification, .handleValueIndication:
      guard let attribute = AttributeValue(reader) else { return }
      if ATTOpcode(rawValue: byte) == .handleValueIndication { isConfirmationPending = true }
      application.notified(attribute.handle, attribute.value, at: link)
    default:
      // Nothing answers a request that has not been sent.
      guard request.isEmpty else { return }
      // The client of a bearer knows a link's timers and MTU.
      var connection = Connection(index: number)
      connection.mtu = mtu
      connection.timers[.transaction] = deadline
      client.receive(pdu, on: &connection, &application)
      deadline = connection.timers[.transaction]
      if connection.disconnectReason != nil { failure = .invalidResponse }
      prepareRequest(&application)
    }
  }

  /// Whether the request times out at `now`. True once.
  mutating func expires(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    self.deadline = nil
    hasTimedOut = true
    failure = .timedOut
    return true
  }

  /// Reports to the program what has happened: the bearer has opened or ended, its request has timed out,
  /// or a command was sent.
  mutating func report<Application: ClientApplication & ~Copyable>(
    to application: inout Application
  ) {
    if hasOpened, !isReported {
      isReported = true
      application.bearerOpened(number, at: link, mtu: mtu)
    }
    if hasTimedOut {
      hasTimedOut = false
      client.end(with: .timedOut, at: number, &application)
    }
    if let end {
      client.end(with: .disconnected, at: number, &application)
      application.bearerClosed(number, at: link, with: end)
    } else if request.isEmpty {
      client.endCommand(at: number, &application)
      prepareRequest(&application)
    }
  }

  // MARK: Sending

  /// The length of the PDU to send; `nil` if there is none.
  var outgoingCount: Int? {
    switch next {
    case .response: outbox.responseCount
    case .confirmation: 1
    case .request: request.count
    case nil: nil
    }
  }

  private var next: Sending? {
    if let sending { return sending }
    if !outbox.isEmpty, turn.waiting == .none { return .response }
    if isConfirmationPending { return .confirmation }
    return request.isEmpty ? nil : .request
  }

  /// Writes the PDU from `offset` on.
  mutating func write(from offset: Int, into writer: inout ByteWriter) {
    sending = next
    switch sending {
    case .response: outbox.writeResponse(from: offset, into: &writer)
    case .confirmation: writer.write(ATTOpcode.handleValueConfirmation.rawValue)
    case .request:
      guard offset < request.count else { return }
      writer.writePrefix(of: request.span.extracting(offset..<request.count))
    case nil: break
    }
  }

  /// The PDU was sent at `now`.
  mutating func sent(at now: Instant) {
    switch sending {
    case .response: outbox.reset()
    case .confirmation: isConfirmationPending = false
    case .request:
      request.removeAll()
      if client.awaitsResponse { deadline = now.advanced(by: ATTClient.timeout) }
    case nil: break
    }
    sending = nil
  }
}

/// What the server keeps of each bearer of a client that may have several.
public struct BearerTurn {
  /// Whether a request waits before it is answered.
  enum Waiting: UInt8 {
    /// It does not.
    case none
    /// The application has put it off.
    case putOff
    /// The application has put off a request on another bearer of this client. It knows a client's
    /// requests by the connection, so this one comes later.
    case forAnother
  }

  /// Whether its request waits.
  var waiting = Waiting.none
  /// The database that the client did not know when it got Database Out Of Sync on this bearer. It
  /// gets that error once on each: Core Specification, Vol 3, Part G, 2.5.2.1.
  var refusedDatabase: DatabaseHash?

  init() {}
}
