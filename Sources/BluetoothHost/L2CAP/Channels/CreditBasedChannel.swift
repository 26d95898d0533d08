/// One end of a channel: a state machine that is independent of a link.
/// Core Specification, Vol 3, Part A, 10.1: LE Credit Based Flow Control Mode, and 10.2: Enhanced
/// Credit Based Flow Control Mode, which differs in how channels open. A channel carries SDUs in both
/// directions in K-frames. Each K-frame uses a credit from the receiver.
struct CreditBasedChannel {
  enum State {
    /// There is no channel.
    case free
    /// This device has requested the channel and waits for the response.
    case connecting
    /// The channel carries SDUs.
    case open
    /// This device closes the channel and waits for the response.
    case disconnecting
  }

  private(set) var state = State.free
  /// Whether it opens by the commands for several channels.
  private(set) var isEnhanced = false
  /// The connection index.
  private(set) var link = 0
  private(set) var spsm = SPSM.firstDynamic
  /// Its CID at this device.
  private(set) var localCID = L2CAPChannel(rawValue: 0)
  /// Its CID at the peer; 0 while it is unknown.
  private(set) var remoteCID = L2CAPChannel(rawValue: 0)
  /// The longest SDU that this device accepts.
  private(set) var mtu = ChannelMTU.minimum
  /// The longest SDU that the peer accepts, and its longest K-frame payload.
  private(set) var peerMTU = ChannelMTU.minimum
  private(set) var peerMPS = ChannelMPS.minimum

  /// How many K-frames this device may send.
  private(set) var credits: UInt16 = 0
  /// How many K-frames the peer may send.
  private(set) var peerCredits: UInt16 = 0
  private var incoming = SDUProgress()
  private var outgoing = SDUProgress()

  // Signalling.
  var isConnectionRequestPending = false
  var isConnectionResponsePending = false
  var isDisconnectionRequestPending = false
  /// The identifier of the request that this device sent, or has to answer.
  var identifier: UInt8 = 0
  /// Its place in an enhanced request, and what that request gets as an answer.
  var request = EnhancedRequest()
  /// When the request times out.
  var deadline: Instant?
  /// Why the channel ends; `nil` if it does not.
  private(set) var end: ChannelEnd?

  /// No channel.
  init() {}

  /// Creates a channel that this device requests.
  init(requesting spsm: SPSM, mtu: ChannelMTU, localCID: L2CAPChannel, link: Int) {
    state = .connecting
    isConnectionRequestPending = true
    self.spsm = spsm
    self.mtu = mtu
    self.localCID = localCID
    self.link = link
  }

  /// Creates a channel that the peer requested.
  init(
    accepting request: LECreditBasedConnectionRequest, identifier: UInt8, spsm: SPSM,
    mtu: ChannelMTU, peerMTU: ChannelMTU, peerMPS: ChannelMPS, localCID: L2CAPChannel, link: Int
  ) {
    state = .open
    isConnectionResponsePending = true
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

  /// Creates a channel that this device requests together with others: those with the same `group`.
  init(requesting spsm: SPSM, group: UInt8, mtu: ChannelMTU, localCID: L2CAPChannel, link: Int) {
    self.init(requesting: spsm, mtu: mtu, localCID: localCID, link: link)
    isEnhanced = true
    request.group = group
  }

  /// Creates a channel that the peer requested as number `position` of several.
  init(
    accepting position: Int, of request: CreditBasedConnectionRequest, identifier: UInt8,
    spsm: SPSM, mtu: ChannelMTU, peerMTU: ChannelMTU, peerMPS: ChannelMPS,
    localCID: L2CAPChannel, link: Int
  ) {
    self.init(
      accepting: LECreditBasedConnectionRequest(
        spsm: request.spsm, sourceCID: request.sourceCIDs[position], mtu: request.mtu,
        mps: request.mps, initialCredits: request.initialCredits),
      identifier: identifier, spsm: spsm, mtu: mtu, peerMTU: peerMTU, peerMPS: peerMPS,
      localCID: localCID, link: link)
    isEnhanced = true
    self.request.position = UInt8(truncatingIfNeeded: position)
    self.request.count = UInt8(truncatingIfNeeded: request.sourceCIDs.count)
  }

  /// Whether it is open and the peer has the response.
  var isEstablished: Bool { state == .open && !isConnectionResponsePending }

  /// Whether it has to be requested, or its request to be answered.
  var isOpeningPending: Bool { isConnectionRequestPending || isConnectionResponsePending }

  /// Whether the response to the request for several channels with this identifier opens it.
  func answersRequest(_ identifier: UInt8) -> Bool {
    isEnhanced && isConnectionResponsePending && self.identifier == identifier
  }

  /// Whether it waits for the response with this identifier.
  func awaits(_ identifier: UInt8) -> Bool { deadline != nil && self.identifier == identifier }

  /// Opens the channel with the peer's response. If the program has closed it meanwhile, it
  /// disconnects.
  ///
  /// - Returns: False if the response has a CID out of range: Vol 3, Part A, 4.23.
  mutating func connect(_ response: LECreditBasedConnectionResponse) -> Bool {
    deadline = nil
    guard response.destinationCID.isDynamic else { return false }
    remoteCID = response.destinationCID
    state = .open
    guard let mtu = ChannelMTU(response.mtu), let mps = ChannelMPS(response.mps) else {
      disconnect(.invalidResponse)
      return true
    }
    guard !isEnhanced || mtu.isEnhanced && mps.isEnhanced else {
      disconnect(.invalidResponse)
      return true
    }
    peerMTU = mtu
    peerMPS = mps
    credits = response.initialCredits
    if let end { disconnect(end) }
    return true
  }

  /// Takes new values of what the peer accepts.
  mutating func reconfigure(peerMTU: ChannelMTU, peerMPS: ChannelMPS) {
    self.peerMTU = peerMTU
    self.peerMPS = peerMPS
  }

  /// The peer answers later. Waits once for 60 s more: Vol 3, Part A, 6.2.2.
  mutating func waitLonger() {
    guard !request.isPending else { return }
    request.isPending = true
    deadline = deadline?.advanced(by: 60_000)
  }

  /// Begins to close it. The first reason applies.
  mutating func disconnect(_ end: ChannelEnd) {
    self.end = self.end ?? end
    guard state == .open else { return }
    state = .disconnecting
    isDisconnectionRequestPending = true
  }
}

/// How a channel belongs to a request for several: Core Specification, Vol 3, Part A, 4.25.
struct EnhancedRequest {
  /// The same number for each channel of a request of this device.
  var group: UInt8 = 0
  /// The channel's position in the peer's request, and the number of channels there.
  var position: UInt8 = 0
  var count: UInt8 = 0
  /// The result of the peer's request, at most 0x000F.
  var result: UInt8 = 0
  /// Whether the peer has answered that its answer follows.
  var isPending = false
}

// MARK: Credits

extension CreditBasedChannel {
  /// Adds the peer's credits. False if they exceed the maximum: Vol 3, Part A, 10.1.
  mutating func add(credits more: UInt16) -> Bool {
    let (sum, overflow) = credits.addingReportingOverflow(more)
    guard !overflow else { return false }
    credits = sum
    return true
  }

  /// How many credits to give the peer if the program can take `room` more bytes, in K-frames of up
  /// to `mps`. 0 while the peer has more than half of the possible credits: an indication for each
  /// K-frame would use as much airtime as the data.
  func creditsDue(room: Int, mps: ChannelMPS) -> UInt16 {
    let limit = UInt16(clamping: room / mps.byteCount)
    guard limit > peerCredits else { return 0 }
    return peerCredits <= limit / 2 ? limit - peerCredits : 0
  }

  /// Records the credits given to the peer.
  mutating func give(_ credits: UInt16) {
    peerCredits = UInt16(clamping: Int(peerCredits) + Int(credits))
  }
}

// MARK: Data

extension CreditBasedChannel {
  /// Takes the payload of a K-frame: the bytes of an SDU, in the first frame after the SDU's
  /// length. Throws the peer's violation: Vol 3, Part A, 3.4.3 and 10.1.
  @_lifetime(copy payload) mutating func receive(_ payload: Span<UInt8>, mps: ChannelMPS)
    throws(ChannelEnd) -> SDUSegment
  {
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

  /// Whether an SDU is being sent.
  var isSendingSDU: Bool { outgoing.isUnderWay }
  /// How many bytes of that SDU have been sent.
  var sentCount: Int { outgoing.count }

  /// Begins an SDU of this length. False if it is longer than the peer's MTU.
  mutating func beginSDU(_ length: Int) -> Bool {
    guard length >= 0, length <= peerMTU.byteCount else { return false }
    outgoing.begin(UInt16(truncatingIfNeeded: length))
    return true
  }

  /// The next K-frame of the SDU, with at most `limit` bytes of payload.
  func nextFrame(limit: Int) -> KFrame {
    let lengthField = outgoing.count == 0 ? outgoing.length : nil
    let fieldLength = lengthField == nil ? 0 : KFrame.sduLengthLength
    let payload = min(min(peerMPS.byteCount, limit), outgoing.remaining &+ fieldLength)
    return KFrame(cid: remoteCID, payloadLength: payload, sduLength: lengthField)
  }

  /// Uses a credit for a K-frame.
  mutating func useCredit() { if credits > 0 { credits -= 1 } }

  /// Records that `count` bytes of the SDU were sent. Returns whether they were the last.
  mutating func send(_ count: Int) -> Bool {
    outgoing.advance(by: count)
    guard outgoing.remaining == 0 else { return false }
    outgoing = SDUProgress()
    return true
  }
}

/// The progress of an SDU in one direction. Two bytes hold any length, at most 65,535.
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

  mutating func advance(by count: Int) { countField &+= UInt16(truncatingIfNeeded: count) }
}

/// The header of an outgoing K-frame: an L2CAP frame with a part of an SDU.
/// Core Specification, Vol 3, Part A, 3.4.
struct KFrame {
  /// The size of the SDU length field in an SDU's first K-frame: 3.4.2.
  static var sduLengthLength: Int { 2 }

  /// The longest payload to send, even if the peer's MPS is longer: a K-frame blocks its link until
  /// it is sent. At 1 Mbit/s, 2,048 bytes take about 20 ms of airtime.
  static var longestPayload: Int { 2048 }

  /// The channel's CID at the peer.
  var cid: L2CAPChannel
  /// The length of the payload in bytes, with the SDU length field.
  var payloadLength: Int
  /// The length of the SDU, in its first K-frame.
  var sduLength: Int?

  /// How many bytes precede those of the SDU.
  var headerLength: Int { L2CAPFrame.headerLength &+ (sduLength == nil ? 0 : Self.sduLengthLength) }

  /// Writes the L2CAP header, and the length of the SDU if it is the first K-frame.
  func writeHeader(to writer: inout ByteWriter) {
    writer.write(UInt16(truncatingIfNeeded: payloadLength))
    writer.write(cid.rawValue)
    if let sduLength { writer.write(UInt16(truncatingIfNeeded: sduLength)) }
  }
}

extension ByteWriter {
  /// Writes `length` bytes with `body`, and zeros where it writes fewer. The caller has checked
  /// that they fit.
  ///
  /// - Returns: Whether `body` wrote exactly `length` bytes.
  @_lifetime(self: copy self) mutating func fill(_ length: Int, _ body: (inout ByteWriter) -> Void)
    -> Bool
  {
    var part = makeWriter(after: 0, limit: length)
    body(&part)
    let isFull = part.count == length && !part.hasOverflowed
    while part.freeCapacity > 0 { part.write(UInt8(0)) }
    let count = part.count
    guard reserve(count) else { return false }
    written &+= count
    return isFull
  }
}

/// The state that the channels of one link share.
struct ChannelBearer {
  /// A K-frame that is partly sent.
  struct UnfinishedFrame {
    /// The channel; `nil` if it has ended: the rest of the frame is zeros, which the peer ignores.
    var channel: Int?
    /// How many bytes of the payload remain to be sent.
    var remaining: Int
  }

  /// The channels of the link.
  var members = ChannelSet.none
  /// The channels that may have something to send.
  var ready = ChannelSet.none
  /// The channel that may send next: the one after the last sender.
  var next = 0
  /// The K-frame that is being sent.
  var unfinished: UnfinishedFrame?
  private var lastIdentifier = Self.reservedIdentifier
  /// The group of the last request for several channels.
  private var lastGroup: UInt8 = 0

  /// The identifier of the host's connection parameter requests.
  private static var reservedIdentifier: UInt8 { 1 }

  init() {}

  /// The next identifier: 2 to 255, and then 2 again. Core Specification, Vol 3, Part A, 4: 0 is
  /// invalid, and successive requests or indications have different identifiers.
  mutating func nextIdentifier() -> UInt8 {
    lastIdentifier = lastIdentifier == .max ? Self.reservedIdentifier + 1 : lastIdentifier + 1
    return lastIdentifier
  }

  /// A number for the channels of one request.
  mutating func nextGroup() -> UInt8 {
    lastGroup &+= 1
    return lastGroup
  }

  /// Removes a channel that has ended.
  mutating func remove(_ channel: Int) {
    members.remove(channel)
    ready.remove(channel)
    if unfinished?.channel == channel { unfinished?.channel = nil }
  }
}
