/// The state of one link that both roles share: the peer, pending controller commands, and the PDU
/// being sent.
///
/// It stores no ATT PDU. The server and the client write theirs when the controller has room.
public struct Connection: ~Copyable {
  /// Which role's PDU is being sent, fragment by fragment.
  enum Sending { case nothing, server, client, security }

  /// The reply to the peer's request for other connection parameters.
  enum ParameterReply {
    case accepted(ConnectionParameters)
    case refused
  }

  /// Its index in the host, from 0.
  let index: Int

  // The link.
  var handle: ConnectionHandle?
  /// The link that is expected here: its data arrived before its Connection Complete.
  var expectedHandle: ConnectionHandle?
  var role = LEConnectionComplete.Role.peripheral
  var interval: UInt16 = 0
  /// In milliseconds.
  var supervisionTimeout: UInt32 = 0
  /// The longest ATT PDU that both sides accept.
  var mtu = ATTMTU.minimum

  // Outgoing.
  var control = ControlFrames()
  var sending = Sending.nothing
  var sentCount = 0
  /// Which role sent the last PDU. The other role is next.
  var lastSender = Sending.nothing
  /// Whether a credit-based channel sent the last frame. The fixed channels are next then.
  var lastWasChannel = false
  /// How many ACL packets of this link the controller holds.
  var inFlight = 0
  /// Whether data has arrived since the last check.
  var hasReceivedData = false
  /// For how many minutes no data has arrived.
  var silentMinutes: UInt16 = 0

  // Commands that are pending.
  var isDataLengthPending = false
  var isPHYPending = false
  var isNegativeKeyReplyPending = false
  var isCheckPending = false
  /// Whether the client has requested the signal strength.
  var isRSSIPending = false
  var pendingParameterReply: ParameterReply?
  /// The parameters that the peripheral requested and this central accepted.
  var pendingParameters: ConnectionParameters?
  var disconnectReason: HCIErrorCode?

  var timers = ConnectionTimers()

  package init(index: Int) { self.index = index }

  /// Begins a link.
  package mutating func open(_ event: LEConnectionComplete) {
    close()
    handle = event.handle
    role = event.role
    interval = event.interval
    supervisionTimeout = UInt32(event.supervisionTimeout) * 10
  }

  /// Ends the link, and forgets everything about it.
  mutating func close() { self = Connection(index: index) }

  /// Requests other connection parameters from the central.
  mutating func requestParameters(_ parameters: ConnectionParameters) {
    control.append(.leSignalling) { writer in
      Signalling.writeUpdateRequest(parameters, identifier: 1, to: &writer)
    }
  }

  /// Takes a signalling command and queues its response. Returns whether a controller command
  /// follows from it.
  mutating func receiveSignal(_ payload: Span<UInt8>) -> Bool {
    let isCentral = role == .central
    var accepted: ConnectionParameters?
    control.append(.leSignalling) { writer in
      accepted = Signalling.respond(to: payload, isCentral: isCentral, response: &writer)
    }
    guard let accepted else { return false }
    pendingParameters = accepted
    return true
  }

  /// Takes a signalling command about a channel, and queues its response. False for any other
  /// command.
  mutating func receiveSignal<Channels: ChannelRole & ~Copyable>(
    _ payload: Span<UInt8>, _ channels: inout Channels, protection: LinkProtection
  ) -> Bool {
    guard let command = SignallingCommand(payload) else { return false }
    var isTaken = false
    var response = ByteBuffer<23>()
    response.write { writer in
      isTaken = channels.receive(command, on: self, protection: protection, response: &writer)
    }
    control.append(.leSignalling) { writer in writer.write(response.span) }
    return isTaken
  }

  /// Takes a Security Manager PDU and queues its refusal.
  mutating func receivePairing(_ payload: Span<UInt8>) {
    control.append(.securityManager) { writer in NoSecurity.respond(to: payload, response: &writer)
    }
  }

  /// Refuses the request in `pdu`, since this device has no server.
  mutating func refuse(_ pdu: Span<UInt8>) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    guard opcode.isAnswered else { return }
    control.append(.att) { writer in
      ErrorResponse(request: opcode, handle: .none, code: .requestNotSupported).write(to: &writer)
    }
  }

  /// Confirms an indication whose value the client does not take, since the peer is not
  /// authenticated yet. A server that gets no confirmation ends the link after 30 s: Core
  /// Specification, Vol 3, Part F, 3.3.3.
  mutating func confirmIndication() {
    control.append(.att) { writer in writer.write(ATTOpcode.handleValueConfirmation.rawValue) }
  }

  /// Writes the next packet of a queued control frame.
  mutating func writeControl(to writer: inout ByteWriter) -> Bool {
    guard let handle else { return false }
    return control.writePacket(handle, to: &writer)
  }

  /// Writes an ACL packet with at most `length` bytes of the frame that carries `pdu` on `channel`;
  /// the first one starts with the L2CAP header. Returns whether it was the last.
  @inline(__always) mutating func writeFragment(
    of pdu: Span<UInt8>, on channel: L2CAPChannel = .att, length: Int, to writer: inout ByteWriter
  ) -> Bool {
    // One packet is usually enough.
    guard let handle, sentCount == 0, pdu.count &+ L2CAPFrame.headerLength <= length else {
      return writePart(of: pdu, on: channel, length: length, to: &writer)
    }
    L2CAPFrame.writeStart(on: handle, channel, payloadLength: pdu.count, pdu, to: &writer)
    return true
  }

  /// Writes a packet with a part of a PDU, as `writeFragment` does, for a PDU that needs several.
  @inline(never) mutating func writePart(
    of pdu: Span<UInt8>, on channel: L2CAPChannel = .att, length: Int, to writer: inout ByteWriter
  ) -> Bool {
    guard let handle else { return true }
    if sentCount == 0 {
      sentCount = min(length &- L2CAPFrame.headerLength, pdu.count)
      L2CAPFrame.writeStart(
        on: handle, channel, payloadLength: pdu.count, pdu.extracting(first: sentCount), to: &writer
      )
    } else {
      let size = min(length, pdu.count &- sentCount)
      ACLHeader(handle: handle, boundary: .continuing).write(dataLength: size, to: &writer)
      writer.write(pdu.extracting(sentCount..<sentCount &+ size))
      sentCount &+= size
    }
    guard sentCount == pdu.count else { return false }
    sentCount = 0
    return true
  }
}

/// What a connection waits for.
enum ConnectionTimer: Int {
  /// It is time to request other connection parameters.
  case parameterRequest
  /// The client has not confirmed an indication in time.
  case confirmation
  /// The server has not answered a request in time.
  case transaction
  /// The controller does not send the link's packets.
  case stall
  /// A link that is being closed has not ended in time.
  case close
}

/// When each timer of a connection is due.
struct ConnectionTimers {
  private var times = InlineArray<5, UInt64>(repeating: Self.never)
  /// Whether a timer has been set or cleared since the host last looked.
  var haveChanged = false

  private static var never: UInt64 { .max }

  init() {}

  /// When `timer` is due; `nil` if it does not run.
  subscript(timer: ConnectionTimer) -> Instant? {
    get {
      let time = times[timer.rawValue]
      return time == Self.never ? nil : Instant(rawValue: time)
    }
    @inline(never) set {
      let time = newValue?.rawValue ?? Self.never
      guard times[timer.rawValue] != time else { return }
      times[timer.rawValue] = time
      haveChanged = true
    }
  }

  /// The earliest time; `nil` if no timer runs.
  var earliest: Instant? {
    var earliest = Self.never
    // A span: indexing the array copies all of it.
    let times = times.span
    for index in times.indices { earliest = min(earliest, times[index]) }
    return earliest == Self.never ? nil : Instant(rawValue: earliest)
  }

  /// Whether `timer` is due at `now`; it is cleared then.
  @inline(never) mutating func take(_ timer: ConnectionTimer, at now: Instant) -> Bool {
    guard let time = self[timer], time <= now else { return false }
    self[timer] = nil
    return true
  }
}

/// When each connection is next due, and the earliest of these times.
struct ConnectionDeadlines<let links: Int> {
  private var times = InlineArray<links, UInt64>(repeating: Self.never)
  private var first = Self.never

  private static var never: UInt64 { .max }

  init() {}

  /// The earliest time; `nil` if no connection waits for anything.
  var earliest: Instant? { first == Self.never ? nil : Instant(rawValue: first) }

  /// When the connection at `index` is due.
  subscript(index: Int) -> Instant? {
    times[index] == Self.never ? nil : Instant(rawValue: times[index])
  }

  /// Sets when the connection at `index` is next due; `nil` for never.
  mutating func set(_ time: Instant?, at index: Int) {
    let old = times[index]
    times[index] = time?.rawValue ?? Self.never
    if times[index] <= first {
      first = times[index]
    } else if old == first {
      first = Self.never
      for index in 0..<links { first = min(first, times[index]) }
    }
  }
}
