/// One end of one channel: a state machine without a link.
///
/// Core Specification, Vol 3, Part A, 10.1: LE Credit Based Flow Control Mode. A channel carries SDUs in
/// both directions, each cut into K-frames, and each K-frame takes a credit that the receiver gave.
struct CreditBasedChannel {
  enum State {
    /// There is no channel.
    case free
    /// This device asks for it, and waits for the response.
    case connecting
    /// It carries SDUs.
    case open
    /// This device closes it, and waits for the response.
    case disconnecting
  }

  private(set) var state = State.free
  /// The connection.
  private(set) var link = 0
  private(set) var spsm = SPSM.firstDynamic
  /// Its number at this device.
  private(set) var localCID = L2CAPChannel(rawValue: 0)
  /// Its number at the peer; 0 while that is not known.
  private(set) var remoteCID = L2CAPChannel(rawValue: 0)
  /// The longest SDU that this device takes.
  private(set) var mtu = ChannelMTU.minimum
  /// The longest SDU that the peer takes, and the longest payload of a K-frame.
  private(set) var peerMTU = ChannelMTU.minimum
  private(set) var peerMPS = ChannelMPS.minimum

  /// How many K-frames this device may send.
  private(set) var credits: UInt16 = 0
  /// How many K-frames the peer may send.
  private(set) var peerCredits: UInt16 = 0
  private var incoming = SDUProgress()
  private var outgoing = SDUProgress()

  // Signalling.
  var owesConnectionRequest = false
  var owesConnectionResponse = false
  var owesDisconnectionRequest = false
  /// The identifier of the request that this device sent, or that it owes a response.
  var identifier: UInt8 = 0
  /// When the request that was sent is given up.
  var deadline: Instant?
  /// Why it is to end; `nil` for a channel that goes on.
  private(set) var end: ChannelEnd?

  /// No channel.
  init() {}

  /// A channel that this device asks for.
  init(requesting spsm: SPSM, mtu: ChannelMTU, localCID: L2CAPChannel, link: Int) {
    state = .connecting
    owesConnectionRequest = true
    self.spsm = spsm
    self.mtu = mtu
    self.localCID = localCID
    self.link = link
  }

  /// A channel that the peer asked for, and gets.
  init(
    accepting request: LECreditBasedConnectionRequest, identifier: UInt8, spsm: SPSM,
    mtu: ChannelMTU, peerMTU: ChannelMTU, peerMPS: ChannelMPS, localCID: L2CAPChannel, link: Int
  ) {
    state = .open
    owesConnectionResponse = true
    self.identifier = identifier
    self.spsm = spsm
    self.mtu = mtu
    self.peerMTU = peerMTU
    self.peerMPS = peerMPS
    self.localCID = localCID
    self.link = link
    remoteCID = request.sourceCID
    credits = request.initialCredits
  }

  /// Whether the peer knows that it is open.
  var isEstablished: Bool { state == .open && !owesConnectionResponse }

  /// Whether it waits for the response with this identifier.
  func awaits(_ identifier: UInt8) -> Bool { deadline != nil && self.identifier == identifier }

  /// The peer has opened it. A channel that the owner has closed meanwhile is disconnected.
  ///
  /// - Returns: False if the response has a number out of range: Vol 3, Part A, 4.23.
  mutating func connect(_ response: LECreditBasedConnectionResponse) -> Bool {
    deadline = nil
    guard response.destinationCID.isDynamic else { return false }
    remoteCID = response.destinationCID
    state = .open
    guard let mtu = ChannelMTU(response.mtu), let mps = ChannelMPS(response.mps) else {
      disconnect(.invalidResponse)
      return true
    }
    peerMTU = mtu
    peerMPS = mps
    credits = response.initialCredits
    if let end { disconnect(end) }
    return true
  }

  /// Begins to close it. The first reason is the one that counts.
  mutating func disconnect(_ end: ChannelEnd) {
    self.end = self.end ?? end
    guard state == .open else { return }
    state = .disconnecting
    owesDisconnectionRequest = true
  }
}

// MARK: Credits

extension CreditBasedChannel {
  /// The peer lets this device send more. False if that is more than it may give: Vol 3, Part A, 10.1.
  mutating func add(credits more: UInt16) -> Bool {
    let (sum, overflow) = credits.addingReportingOverflow(more)
    guard !overflow else { return false }
    credits = sum
    return true
  }

  /// How many credits the peer is to get, if the owner can take `room` more bytes, in K-frames of up to
  /// `mps`. 0 while the peer still has more than half of what it could have: an indication for each
  /// K-frame would cost as much air as the data.
  func creditsDue(room: Int, mps: ChannelMPS) -> UInt16 {
    let limit = UInt16(clamping: room / mps.byteCount)
    guard limit > peerCredits else { return 0 }
    return peerCredits <= limit / 2 ? limit - peerCredits : 0
  }

  /// The peer gets these credits.
  mutating func give(_ credits: UInt16) {
    peerCredits = UInt16(clamping: Int(peerCredits) + Int(credits))
  }
}

// MARK: Data

extension CreditBasedChannel {
  /// Takes the payload of a K-frame: the bytes of an SDU, after the SDU's length if it is the first.
  ///
  /// Throws the rule that the peer broke: Vol 3, Part A, 3.4.3 and 10.1.
  @_lifetime(copy payload)
  mutating func receive(
    _ payload: Span<UInt8>, mps: ChannelMPS
  ) throws(ChannelEnd) -> SDUSegment {
    guard payload.count <= mps.byteCount else { throw .frameTooLong }
    guard peerCredits > 0 else { throw .frameWithoutCredit }
    peerCredits -= 1
    var reader = ByteReader(payload)
    if !incoming.isUnderWay {
      guard let length = reader.readUInt16() else { throw .frameTooShort }
      guard length <= mtu.rawValue else { throw .sduTooLong }
      incoming.begin(length)
    }
    guard reader.count <= incoming.remaining else { throw .sduOverrun }
    let bytes = reader.readRemaining()
    let segment = SDUSegment(offset: incoming.count, sduLength: incoming.length, bytes: bytes)
    incoming.advance(by: bytes.count)
    if incoming.remaining == 0 { incoming = SDUProgress() }
    return segment
  }

  /// Whether an SDU is on its way to the peer.
  var isSendingSDU: Bool { outgoing.isUnderWay }
  /// How many bytes of the SDU on its way have been sent.
  var sentCount: Int { outgoing.count }

  /// The next SDU has this length. False if it is longer than the peer takes.
  mutating func beginSDU(_ length: Int) -> Bool {
    guard length >= 0, length <= peerMTU.byteCount else { return false }
    outgoing.begin(UInt16(truncatingIfNeeded: length))
    return true
  }

  /// What the next K-frame of the SDU on its way is to hold, in at most `limit` bytes of payload.
  func nextFrame(limit: Int) -> KFrame {
    let lengthField = outgoing.count == 0 ? outgoing.length : nil
    let fieldLength = lengthField == nil ? 0 : KFrame.sduLengthLength
    let payload = min(min(peerMPS.byteCount, limit), outgoing.remaining &+ fieldLength)
    return KFrame(cid: remoteCID, payloadLength: payload, sduLength: lengthField)
  }

  /// A K-frame has begun.
  mutating func useCredit() {
    if credits > 0 { credits -= 1 }
  }

  /// The next `count` bytes of the SDU have been sent. Returns whether those were the last.
  mutating func send(_ count: Int) -> Bool {
    outgoing.advance(by: count)
    guard outgoing.remaining == 0 else { return false }
    outgoing = SDUProgress()
    return true
  }
}

/// How much of an SDU has come or gone. No length is more than 65,535: two bytes hold it.
private struct SDUProgress {
  private(set) var isUnderWay = false
  private var lengthField: UInt16 = 0
  private var countField: UInt16 = 0

  init() {}

  var length: Int { Int(lengthField) }
  var count: Int { Int(countField) }
  var remaining: Int { length &- count }

  mutating func begin(_ length: UInt16) {
    isUnderWay = true
    lengthField = length
    countField = 0
  }

  mutating func advance(by count: Int) {
    countField &+= UInt16(truncatingIfNeeded: count)
  }
}
