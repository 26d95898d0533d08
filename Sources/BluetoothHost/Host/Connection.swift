/// One place for a central: the state of its link, and what it is owed.
///
/// It holds at most one response and one update (a notification or an indication) at a time;
/// everything else that it is owed is a flag, so nothing has to be queued.
struct Connection: ~Copyable {
  /// Which PDU is on its way, fragment by fragment.
  enum Sending {
    case nothing, response, update
  }

  /// How to answer the central that asks for other connection parameters.
  enum ParameterReply {
    case accepted(ConnectionParameters)
    case refused
  }

  // The link.
  var handle: ConnectionHandle?
  /// The link that is expected here, since its data has come, which `response` keeps.
  private(set) var expectedHandle: ConnectionHandle?
  var interval: UInt16 = 0
  /// In milliseconds.
  var supervisionTimeout: UInt32 = 0

  // Incoming.
  private var reassembler = L2CAPReassembler<521>()
  var bearer = ATTBearer()

  // Outgoing.
  /// The response; or the request that was put off, while there is one; or, before the link is
  /// there, its early data.
  private var response = ByteBuffer<517>()
  private var update = ByteBuffer<517>()
  private var control = ControlFrames()
  private var sending = Sending.nothing
  private var sentCount = 0
  /// How many ACL packets the controller has of this link.
  var inFlight = 0
  /// Whether anything has come over the link since it was last looked after.
  var isHeard = false
  /// For how many minutes in a row nothing has come.
  var silentMinutes: UInt16 = 0
  /// The range to be told in a Service Changed indication.
  var changedServices: AttributeHandleRange?

  // Commands owed to the controller.
  var owesDataLength = false
  var owesPHY = false
  var owesKeyRefusal = false
  var owesCheck = false
  var owedParameterReply: ParameterReply?
  var disconnectReason: HCIErrorCode?

  // Timers.
  /// When to ask for other connection parameters.
  var parameterRequestTime: Instant?
  /// When an indication has been unconfirmed for too long.
  var confirmationDeadline: Instant?
  /// When a link whose packets do not leave the controller is ended.
  var stallDeadline: Instant?
  /// When a link that is being closed should be gone.
  var closeDeadline: Instant?

  init() {}

  /// The place is taken by a new link.
  mutating func open(_ event: LEConnectionComplete) {
    close()
    handle = event.handle
    interval = event.interval
    supervisionTimeout = UInt32(event.supervisionTimeout) * 10
  }

  /// The link has gone, and everything about it is forgotten.
  mutating func close() {
    handle = nil
    expectedHandle = nil
    reassembler.reset()
    bearer.reset()
    response.removeAll()
    update.removeAll()
    control.removeAll()
    sending = .nothing
    sentCount = 0
    inFlight = 0
    isHeard = false
    silentMinutes = 0
    changedServices = nil
    owesDataLength = false
    owesPHY = false
    owesKeyRefusal = false
    owesCheck = false
    owedParameterReply = nil
    disconnectReason = nil
    parameterRequestTime = nil
    confirmationDeadline = nil
    stallDeadline = nil
    closeDeadline = nil
  }

  /// Takes the data of one ACL packet.
  @inline(__always)
  mutating func receive<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
  >(
    _ data: Span<UInt8>, startsFrame: Bool, at place: Int,
    server: inout ATTServer<Database>, application: inout Application
  ) {
    isHeard = true
    guard let frame = reassembler.receive(data, startsFrame: startsFrame) else { return }
    switch frame.channel {
    case .att:
      if bearer.awareness != .aware,
        Self.isOutOfSync(frame.payload, bearer: &bearer, response: &response)
      {
        break
      }
      // A central may not send a request before the last one is answered; one that does is not
      // answered out of turn. Commands and confirmations are welcome at any time.
      if response.isEmpty {
        Self.respond(
          to: frame.payload, in: &response, at: place, bearer: &bearer, server: &server,
          application: &application)
      } else {
        Self.receiveUnanswered(
          frame.payload, at: place, bearer: &bearer, server: &server, application: &application)
      }
      if !bearer.awaitsConfirmation { confirmationDeadline = nil }
    case .leSignalling:
      control.append(.leSignalling) { writer in
        SignallingResponder.respond(to: frame.payload, response: &writer)
      }
    case .securityManager:
      control.append(.securityManager) { writer in
        PairingRefusal.respond(to: frame.payload, response: &writer)
      }
    default:
      break
    }
  }

  /// Hands the request that was put off to the application once more.
  mutating func resume<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
  >(
    at place: Int, server: inout ATTServer<Database>, application: inout Application
  ) {
    guard bearer.hasPutOff else { return }
    bearer.hasPutOff = false
    // The request makes room for its response.
    var request = ByteBuffer<517>()
    _ = request.assign(response.span)
    Self.respond(
      to: request.span, in: &response, at: place, bearer: &bearer, server: &server,
      application: &application)
  }

  /// Asks the central for other connection parameters.
  mutating func requestParameters(_ parameters: ConnectionParameters) {
    control.append(.leSignalling) { writer in
      SignallingResponder.writeUpdateRequest(parameters, identifier: 1, to: &writer)
    }
  }

  /// Whether there is something to send, as far as is known without preparing it.
  func hasPacket<Application: GATTApplication & ~Copyable>(
    at place: Int, application: borrowing Application
  ) -> Bool {
    if sending != .nothing || !control.isEmpty || changedServices != nil { return true }
    if !response.isEmpty && !bearer.hasPutOff { return true }
    return !bearer.awaitsConfirmation && application.pendingUpdate(at: place) != nil
  }

  /// Writes the next ACL packet for this link, with at most `length` bytes of data; `false` if
  /// there is nothing to send.
  mutating func nextPacket<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
  >(
    into writer: inout ByteWriter, length: Int, at place: Int, now: Instant,
    server: inout ATTServer<Database>, application: inout Application
  ) -> Bool {
    guard let handle else { return false }
    if sending == .nothing {
      if !response.isEmpty, !bearer.hasPutOff {
        sending = .response
      } else if !control.isEmpty, control.writePacket(handle, to: &writer) {
        inFlight &+= 1
        return true
      } else if prepareUpdate(at: place, now: now, server: &server, application: &application) {
        sending = .update
      } else {
        return false
      }
      sentCount = 0
    }
    let isDone: Bool
    if sending == .response {
      isDone = response.writeFragment(handle, from: &sentCount, length: length, to: &writer)
      if isDone { response.removeAll() }
    } else {
      isDone = update.writeFragment(handle, from: &sentCount, length: length, to: &writer)
      if isDone { update.removeAll() }
    }
    if isDone { sending = .nothing }
    inFlight &+= 1
    return true
  }
}

// Data that comes before the link is known.
extension Connection {
  /// Keeps the data of one ACL packet of `handle`, whose link is expected here. What does not fit is
  /// lost.
  mutating func keepEarly(_ data: Span<UInt8>, startsFrame: Bool, of handle: ConnectionHandle) {
    if expectedHandle != handle {
      close()
      expectedHandle = handle
    }
    var word = ByteBuffer<2>()
    word.write { $0.write(UInt16(truncatingIfNeeded: data.count) << 1 | (startsFrame ? 1 : 0)) }
    guard data.count + word.count <= response.freeCapacity else { return }
    _ = response.append(word.span)
    _ = response.append(data)
  }

  /// What was kept of `handle`, a word before the data of each packet; nothing if another link, or
  /// none, was expected.
  func takeEarly(of handle: ConnectionHandle) -> ByteBuffer<517> {
    var early = ByteBuffer<517>()
    if expectedHandle == handle { _ = early.assign(response.span) }
    return early
  }
}

extension Connection {
  /// Puts the response to a PDU into `response`; or the PDU itself, if that is put off.
  @inline(never)
  private static func respond<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
  >(
    to pdu: Span<UInt8>, in response: inout ByteBuffer<517>, at place: Int,
    bearer: inout ATTBearer, server: inout ATTServer<Database>, application: inout Application
  ) {
    response.write(limit: bearer.mtu.byteCount) { writer in
      server.respond(
        to: pdu, at: place, bearer: &bearer, application: &application, response: &writer)
    }
    if bearer.hasPutOff { _ = response.assign(pdu) }
  }

  /// Whether a PDU is not answered as usual, since its central does not know of a change.
  @inline(never)
  private static func isOutOfSync(
    _ pdu: Span<UInt8>, bearer: inout ATTBearer, response: inout ByteBuffer<517>
  ) -> Bool {
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

  /// Takes a PDU that arrives while a response is still to be sent: only what is never answered.
  private static func receiveUnanswered<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
  >(
    _ pdu: Span<UInt8>, at place: Int, bearer: inout ATTBearer,
    server: inout ATTServer<Database>, application: inout Application
  ) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    guard opcode.isCommand || opcode == .handleValueConfirmation else { return }
    var nothing = InlineArray<8, UInt8>(repeating: 0)
    var writer = ByteWriter(nothing.mutableSpan)
    server.respond(
      to: pdu, at: place, bearer: &bearer, application: &application, response: &writer)
  }

  /// Puts a notification or indication into `update`; `false` if there is none to send.
  private mutating func prepareUpdate<
    Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
  >(
    at place: Int, now: Instant, server: inout ATTServer<Database>,
    application: inout Application
  ) -> Bool {
    // While an indication is unconfirmed nothing else is told: the next might be one too.
    // Core Specification, Vol 3, Part F, 3.3.2.
    guard !bearer.awaitsConfirmation else { return false }
    if changedServices != nil, bearer.updateOpcode(for: server.database.serviceChanged) == nil {
      changedServices = nil
    }
    if changedServices == nil, bearer.isOutOfSync { return false }
    let attribute = changedServices == nil ? application.pendingUpdate(at: place) : nil
    guard attribute != nil || changedServices != nil else { return false }
    let target =
      if let attribute { server.database.place(of: attribute) } else {
        server.database.serviceChanged
      }
    guard let opcode = bearer.updateOpcode(for: target) else { return false }
    update.write(limit: bearer.mtu.byteCount) { writer in
      writer.write(opcode.rawValue)
      writer.write(target.handle.rawValue)
      if let attribute {
        application.writeUpdate(of: attribute, at: place, into: &writer)
      } else if let range = changedServices {
        range.write(to: &writer)
        changedServices = nil
      }
    }
    if opcode == .handleValueIndication {
      bearer.awaitsConfirmation = true
      bearer.indicatesChange = attribute == nil
      // The transaction time-out: Core Specification, Vol 3, Part F, 3.3.3.
      confirmationDeadline = now.advanced(by: 30_000)
    }
    return true
  }
}

extension ATTBearer {
  /// How the central wants to be told of the value at `place`; `nil` if it does not.
  func updateOpcode(for place: ValuePlace) -> ATTOpcode? {
    guard place.handle != .none, let slot = place.slot else { return nil }
    let configuration = configurations[slot]
    if configuration.contains(.notification) { return .handleValueNotification }
    if configuration.contains(.indication) { return .handleValueIndication }
    return nil
  }
}

extension ByteBuffer {
  /// Writes the ACL packet with the next at most `length` bytes of an ATT PDU, the L2CAP header
  /// before the first; `true` when that was the last.
  fileprivate mutating func writeFragment(
    _ handle: ConnectionHandle, from sentCount: inout Int, length: Int,
    to writer: inout ByteWriter
  ) -> Bool {
    if sentCount == 0 {
      // The L2CAP header goes with the first fragment, which is mostly the only one.
      let size = min(length &- L2CAPFrame.headerLength, count)
      L2CAPFrame.writeStart(on: handle, .att, payloadLength: count, size: size, to: &writer)
      if size == count {
        writer.write(span)
        return true
      }
      writer.write(span.extracting(first: size))
      sentCount = size
      return false
    }
    let size = min(length, count &- sentCount)
    ACLHeader(handle: handle, boundary: .continuing).write(dataLength: size, to: &writer)
    writer.write(span.extracting(sentCount..<sentCount &+ size))
    sentCount &+= size
    return sentCount == count
  }
}
