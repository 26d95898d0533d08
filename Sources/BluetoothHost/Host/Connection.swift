/// The lower half of one link, which both roles use: who is there, what it is owed by the controller,
/// and which PDU is on its way.
///
/// It holds no attribute PDU. The server and the client write theirs when the controller has room.
public struct Connection: ~Copyable {
  /// Whose PDU is on its way, fragment by fragment.
  enum Sending {
    case nothing, server, client, security
  }

  /// How to answer the peer that asks the controller for other connection parameters.
  enum ParameterReply {
    case accepted(ConnectionParameters)
    case refused
  }

  /// Its number in the host, from 0 up.
  let index: Int

  // The link.
  var handle: ConnectionHandle?
  /// The link that is expected here: its data has come before its event.
  var expectedHandle: ConnectionHandle?
  var role = LEConnectionComplete.Role.peripheral
  var interval: UInt16 = 0
  /// In milliseconds.
  var supervisionTimeout: UInt32 = 0
  /// The longest ATT PDU that both sides take.
  var mtu = ATTMTU.minimum

  // Outgoing.
  var control = ControlFrames()
  var sending = Sending.nothing
  var sentCount = 0
  /// Which role has sent the last PDU. The other is asked first.
  var lastSender = Sending.nothing
  /// Whether a credit-based channel has sent the last frame. The roles of the attribute protocol are
  /// asked first then.
  var lastWasChannel = false
  /// How many ACL packets the controller has of this link.
  var inFlight = 0
  /// Whether anything has come over the link since it was last looked after.
  var isHeard = false
  /// For how many minutes in a row nothing has come.
  var silentMinutes: UInt16 = 0

  // Commands owed to the controller.
  var owesDataLength = false
  var owesPHY = false
  var owesKeyRefusal = false
  var owesCheck = false
  /// Whether the client wants to know the signal strength.
  var owesRSSI = false
  var owedParameterReply: ParameterReply?
  /// The parameters that the peripheral asked for and this central accepted.
  var owedUpdate: ConnectionParameters?
  var disconnectReason: HCIErrorCode?

  var timers = ConnectionTimers()

  init(index: Int) {
    self.index = index
  }

  /// The link is there.
  mutating func open(_ event: LEConnectionComplete) {
    close()
    handle = event.handle
    role = event.role
    interval = event.interval
    supervisionTimeout = UInt32(event.supervisionTimeout) * 10
  }

  /// The link has gone, and everything about it is forgotten.
  mutating func close() {
    self = Connection(index: index)
  }

  /// Asks the central for other connection parameters.
  mutating func requestParameters(_ parameters: ConnectionParameters) {
    control.append(.leSignalling) { writer in
      Signalling.writeUpdateRequest(parameters, identifier: 1, to: &writer)
    }
  }

  /// Takes a signalling command and owes its response. Returns whether a command to the controller
  /// follows from it.
  mutating func receiveSignal(_ payload: Span<UInt8>) -> Bool {
    let isCentral = role == .central
    var accepted: ConnectionParameters?
    control.append(.leSignalling) { writer in
      accepted = Signalling.respond(to: payload, isCentral: isCentral, response: &writer)
    }
    guard let accepted else { return false }
    owedUpdate = accepted
    return true
  }

  /// Takes a signalling command about a channel, and owes its response. False if it is about none.
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

  /// Takes a security manager's PDU and owes its response.
  mutating func receivePairing(_ payload: Span<UInt8>) {
    control.append(.securityManager) { writer in
      PairingRefusal.respond(to: payload, response: &writer)
    }
  }

  /// Refuses the request in `pdu`, for this device has no server.
  mutating func refuse(_ pdu: Span<UInt8>) {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return }
    let opcode = ATTOpcode(rawValue: byte)
    guard opcode.isAnswered else { return }
    control.append(.att) { writer in
      ErrorResponse(request: opcode, handle: .none, code: .requestNotSupported).write(to: &writer)
    }
  }

  /// Writes the next packet of a control frame.
  mutating func writeControl(to writer: inout ByteWriter) -> Bool {
    guard let handle else { return false }
    return control.writePacket(handle, to: &writer)
  }

  /// Writes an ACL packet with the next at most `length` bytes of the frame that carries `pdu` on
  /// `channel`, the L2CAP header before the first. Returns whether that was the last.
  @inline(__always)
  mutating func writeFragment(
    of pdu: Span<UInt8>, on channel: L2CAPChannel = .att, length: Int, to writer: inout ByteWriter
  ) -> Bool {
    // One packet is mostly enough.
    guard let handle, sentCount == 0, pdu.count &+ L2CAPFrame.headerLength <= length else {
      return writePart(of: pdu, on: channel, length: length, to: &writer)
    }
    L2CAPFrame.writeStart(on: handle, channel, payloadLength: pdu.count, pdu, to: &writer)
    return true
  }

  /// Writes a packet with a part of a PDU, as `writeFragment` does, for one that takes several.
  @inline(never)
  mutating func writePart(
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
