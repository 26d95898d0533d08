/// Adds enhanced ATT bearers to the channels of a host (EATT), at most `bearers` over all links, and
/// passes every other channel to `application`.
///
///     CreditBasedChannels<4, 8, EnhancedBearers<4, 6, NoChannelApplication>>
///
/// The host serves the same database on them as on the link's own bearer, and its client has an
/// operation on each: see `Host.openBearers`. Core Specification, Vol 3, Part G, 5.3: a bearer needs
/// an encrypted link. The host's `channels` needs room for them, and an MPS of at least 64 bytes.
/// Each takes 3.4 kB.
public struct EnhancedBearers<
  let links: Int, let bearers: Int, Application: ChannelApplication & ~Copyable
>: ChannelApplication, ~Copyable {
  /// The program that uses the other channels.
  public var application: Application
  /// Whether peers may open bearers. If not, `Host.openBearers` opens some even so.
  public var acceptsBearers: Bool
  /// The longest ATT PDU on a bearer, at least 64 bytes.
  public let mtu: ATTMTU

  /// What a link needs for a bearer. Only tests change it.
  var security = ChannelListener.Security.encryption
  private var entries: InlineArray<bearers, EnhancedBearer>
  /// The state of each link's own bearer.
  private var own: InlineArray<links, BearerTurn>
  /// The links on which a request that waited for another has its turn.
  public var linksInTurn = ConnectionSet.none
  /// The entries with something for the host.
  private var eventful = ConnectionSet.none
  private var now = Instant(rawValue: 0)

  /// Creates no bearers yet.
  ///
  /// - Parameters:
  ///   - application: The program that uses the other channels.
  ///   - acceptsBearers: Whether peers may open bearers.
  ///   - mtu: The longest ATT PDU on a bearer; a shorter one than 64 bytes becomes 64.
  public init(
    application: consuming Application, acceptsBearers: Bool = true, mtu: ATTMTU = .maximum
  ) {
    self.application = application
    self.acceptsBearers = acceptsBearers
    self.mtu = max(mtu, ATTMTU(64) ?? .maximum)
    entries = InlineArray { _ in EnhancedBearer() }
    own = InlineArray { _ in BearerTurn() }
  }

  /// True.
  public static var hasBearers: Bool { true }

  private func entry(of channel: Int) -> Int? {
    for index in 0..<bearers where entries[index].channel == channel { return index }
    return nil
  }

  private var freeCount: Int {
    var count = 0
    for index in 0..<bearers where entries[index].channel == nil { count += 1 }
    return count
  }

  private var channelMTU: ChannelMTU {
    ChannelMTU(UInt16(truncatingIfNeeded: mtu.byteCount)) ?? .minimum
  }

  private mutating func begin(_ channel: Int, at link: Int) -> Int? {
    for index in 0..<bearers where entries[index].channel == nil {
      entries[index] = EnhancedBearer(channel: channel, link: link, number: links &+ index)
      return index
    }
    return nil
  }

  // MARK: Bearers

  /// The longest PDU of another `count` bearers; `nil` if there is no room for them.
  public func bearerMTU(forMore count: Int) -> ChannelMTU? {
    freeCount >= count ? channelMTU : nil
  }

  /// These channels were requested as bearers.
  public mutating func beginBearers(_ channels: ConnectionSet, at link: Int) {
    var remaining = channels
    while let channel = remaining.first(from: 0) {
      remaining.remove(channel)
      _ = begin(channel, at: link)
    }
  }

  /// Calls `body` with the bearer that has the number `number`; `nil` if there is none. A bearer that
  /// has ended is gone afterwards.
  public mutating func withBearer<Result>(
    _ number: Int, _ body: (inout EnhancedBearer) -> Result
  ) -> Result? {
    let index = number &- links
    guard index >= 0, index < bearers, entries[index].channel != nil else { return nil }
    let result = body(&entries[index])
    if entries[index].end != nil {
      eventful.remove(index)
      entries[index] = EnhancedBearer()
    }
    return result
  }

  /// The number of a bearer that has something for the host; `nil` if there is none.
  public mutating func takeNextBearer() -> Int? {
    guard let index = eventful.first(from: 0) else { return nil }
    eventful.remove(index)
    return links &+ index
  }

  /// The open bearers of a link, by number.
  public func bearers(at link: Int) -> ConnectionSet {
    var set = ConnectionSet.none
    for index in 0..<bearers
    where entries[index].channel != nil && entries[index].link == link && entries[index].hasOpened {
      set.insert(links &+ index)
    }
    return set
  }

  /// Whether the server's application has put off a request on a bearer of the link.
  public func hasPutOff(at link: Int) -> Bool {
    for index in 0..<bearers
    where entries[index].link == link && entries[index].turn.waiting == .putOff { return true }
    return false
  }

  /// Calls `body` with the state of the link's own bearer.
  public mutating func withOwnBearer<Result>(
    _ link: Int, _ body: (inout BearerTurn) -> Result
  ) -> Result? { body(&own[link]) }

  // MARK: ChannelApplication

  /// The listener for bearers, or that of the application.
  public func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    guard spsm == .eatt, acceptsBearers else { return application.listener(on: spsm, at: link) }
    return ChannelListener(
      mtu: channelMTU, security: security, hasRoom: freeCount > 0, isEnhancedOnly: true)
  }

  /// A bearer or a channel of the application has opened.
  public mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    guard spsm == .eatt, let index = entry(of: channel) ?? begin(channel, at: link) else {
      return application.opened(channel, on: spsm, at: link, peerMTU: peerMTU)
    }
    open(index, peerMTU: peerMTU)
  }

  private mutating func open(_ index: Int, peerMTU: Int) {
    entries[index].open(mtu.agreed(with: UInt16(clamping: peerMTU)))
    eventful.insert(index)
  }

  /// The peer accepts longer PDUs.
  public mutating func reconfigured(_ channel: Int, peerMTU: Int) {
    guard let index = entry(of: channel) else {
      return application.reconfigured(channel, peerMTU: peerMTU)
    }
    open(index, peerMTU: peerMTU)
  }

  /// A bearer or a channel of the application has closed.
  public mutating func closed(_ channel: Int, with end: ChannelEnd) {
    guard let index = entry(of: channel) else { return application.closed(channel, with: end) }
    entries[index].close(with: end)
    eventful.insert(index)
  }

  /// The host takes each PDU at once, so a bearer always has room: for a few PDUs of the longest MTU.
  public func room(of channel: Int) -> Int {
    entry(of: channel) == nil ? application.room(of: channel) : 2_048
  }

  /// Takes a part of a PDU.
  public mutating func received(_ segment: SDUSegment, on channel: Int) {
    guard let index = entry(of: channel) else {
      return application.received(segment, on: channel)
    }
    if entries[index].receive(segment) { eventful.insert(index) }
  }

  /// The length of the next PDU.
  public func nextSDULength(on channel: Int) -> Int? {
    guard let index = entry(of: channel) else { return application.nextSDULength(on: channel) }
    return entries[index].outgoingCount
  }

  /// Writes a part of a PDU.
  public mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    guard let index = entry(of: channel) else {
      return application.writeSDU(on: channel, from: offset, into: &writer)
    }
    entries[index].write(from: offset, into: &writer)
  }

  /// A PDU was sent.
  public mutating func sent(on channel: Int) {
    guard let index = entry(of: channel) else { return application.sent(on: channel) }
    entries[index].sent(at: now)
    // A command ends when it is sent.
    if entries[index].client.hasSentCommand { eventful.insert(index) }
  }

  /// When a request on a bearer times out.
  public var deadline: Instant? {
    var earliest: Instant?
    for index in 0..<bearers {
      earliest = Instant.earlier(earliest, entries[index].deadline)
    }
    return earliest
  }

  /// Reports bearers whose request has timed out.
  public mutating func advance(to now: Instant) {
    self.now = now
    for index in 0..<bearers where entries[index].expires(at: now) { eventful.insert(index) }
  }
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// A program without channels of its own, for a host whose only channels are enhanced bearers.
public struct NoChannelApplication: ChannelApplication {
  /// No channels.
  public init() {}

  /// None.
  public func listener(on spsm: SPSM, at link: Int) -> ChannelListener? { nil }
  public mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {}
  public mutating func closed(_ channel: Int, with end: ChannelEnd) {}
  /// None.
  public func room(of channel: Int) -> Int { 0 }
  public mutating func received(_ segment: SDUSegment, on channel: Int) {}
  /// None.
  public func nextSDULength(on channel: Int) -> Int? { nil }
  public mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {}
  public mutating func sent(on channel: Int) {}
}
