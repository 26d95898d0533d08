/// A set of channel numbers, a bit each, as in a set of connections.
typealias ChannelSet = ConnectionSet

/// LE credit-based channels, enhanced ones among them, and their application: the channel role of a
/// host with `links` connections.
///
/// `channels` is their maximum number over all links, at most `ConnectionSet.capacity`; each takes
/// 72 bytes on a 64-bit processor. A peer that has a channel gets another only while one remains
/// for each link without a channel. The core stores no data: credits limit sending and receiving.
/// Core Specification, Vol 3, Part A, 4.22 to 4.28, 10.1 and 10.2.
public struct CreditBasedChannels<
  let links: Int, let channels: Int, Application: ChannelApplication & ~Copyable
>: ChannelRole, ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// The program that uses the channels. After a change, call `resume`.
  public var application: Application
  /// The longest K-frame payload that this device accepts.
  public let mps: ChannelMPS

  var entries: InlineArray<channels, CreditBasedChannel>
  /// How often each number has been used, so that its next channel gets another CID.
  private var turns: InlineArray<channels, UInt8>
  var bearers: InlineArray<links, ChannelBearer>
  private var used = ChannelSet.none
  private var openLinks = ConnectionSet.none

  /// The longest payload in bytes of a frame for a channel.
  public var longestPayload: Int { mps.byteCount }

  /// The connections that may have a packet to send.
  public internal(set) var pendingConnections = ConnectionSet.none
  /// When the next request times out; `nil` if none waits for a response.
  private var requestDeadline: Instant?

  /// When the next request of a channel, or on a bearer, times out; `nil` if none waits for a
  /// response.
  public var deadline: Instant? {
    Application.hasBearers
      ? Instant.earlier(requestDeadline, application.deadline) : requestDeadline
  }

  private let pin = Pinned()

  /// The response timeout in milliseconds: 30 s, as for ATT transactions.
  /// Core Specification, Vol 3, Part A, 6.2.1: the RTX timer starts at 1 to 60 s, and each pending
  /// request has its own. Requests are not repeated, since an LE link is reliable.
  static var responseTimeout: UInt32 { 30_000 }

  /// Creates no channels yet. More channels than `ConnectionSet.capacity` stop the program.
  ///
  /// - Parameters:
  ///   - application: The program that uses the channels.
  ///   - mps: The longest K-frame payload that the host can hold.
  public init(application: consuming Application, mps: ChannelMPS) {
    precondition(
      channels > 0 && channels <= ChannelSet.capacity && channels <= L2CAPChannel.dynamicCount,
      "A host has at most as many channels as a UInt has bits.")
    self.application = application
    self.mps = mps
    entries = InlineArray(repeating: CreditBasedChannel())
    turns = InlineArray(repeating: 0)
    bearers = InlineArray(repeating: ChannelBearer())
  }

  /// Calls `body` with the application, in place.
  public mutating func withApplication<Result>(_ body: (inout Application) -> Result) -> Result {
    body(&application)
  }

  /// The number of channels, including those that are opening or closing.
  public var count: Int { used.count }

  // MARK: For the program

  /// Requests a channel from the peer on `link`.
  ///
  /// - Parameters:
  ///   - spsm: The protocol or service of the channel.
  ///   - link: The index of the link.
  ///   - mtu: The longest SDU that this device accepts.
  /// - Returns: The channel's number; `nil` if there is no such link, or no room for another
  ///   channel. The application's `opened` or `closed` follows.
  public mutating func open(_ spsm: SPSM, mtu: ChannelMTU, at link: Int) -> Int? {
    guard isOpen(link), let channel = firstFree else { return nil }
    insert(
      CreditBasedChannel(requesting: spsm, mtu: mtu, localCID: takeCID(of: channel), link: link),
      at: channel)
    return channel
  }

  /// Requests several channels at once from the peer on `link`: Core Specification, Vol 3, Part A,
  /// 4.25. The peer may open only some of them.
  ///
  /// - Parameters:
  ///   - count: How many, 1 to 5.
  ///   - spsm: The protocol or service of the channels.
  ///   - mtu: The longest SDU that this device accepts, at least 64 bytes.
  ///   - link: The index of the link.
  /// - Returns: The channels' numbers; `nil` if there is no such link, no room for all of them, or
  ///   the MTU or this device's MPS is too short. The application's `opened` or `closed` follows for
  ///   each.
  public mutating func open(_ count: Int, of spsm: SPSM, mtu: ChannelMTU, at link: Int)
    -> ConnectionSet?
  {
    guard isOpen(link), count > 0, count <= ChannelList.capacity, channels &- used.count >= count,
      mtu.isEnhanced, mps.isEnhanced
    else { return nil }
    let group = bearers[link].nextGroup()
    var opened = ConnectionSet.none
    for _ in 0..<count {
      guard let channel = firstFree else { break }
      insert(
        CreditBasedChannel(
          requesting: spsm, group: group, mtu: mtu, localCID: takeCID(of: channel), link: link),
        at: channel)
      opened.insert(channel)
    }
    return opened
  }

  /// Closes a channel. The application's `closed` follows when the peer has answered. A K-frame
  /// that is being sent is completed first. Does nothing if there is no such channel.
  public mutating func disconnect(_ channel: Int) {
    guard channel >= 0, channel < channels, used.contains(channel) else { return }
    if entries[channel].isConnectionRequestPending {
      remove(channel, with: .closed)
    } else {
      disconnect(channel, with: .closed)
    }
  }

  /// Call this when the application has something to send on a channel, or room for more.
  public mutating func resume(_ channel: Int) {
    guard channel >= 0, channel < channels, used.contains(channel) else { return }
    markReady(channel)
  }

  // MARK: For the host

  /// A link was opened.
  public mutating func opened(_ connection: borrowing Connection) {
    openLinks.insert(connection.index)
  }

  /// A link has closed, and with it all its channels.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {
    let link = connection.index
    openLinks.remove(link)
    while let channel = bearers[link].members.first(from: 0) {
      remove(channel, with: .linkLost(reason))
    }
    bearers[link] = ChannelBearer()
    pendingConnections.remove(link)
  }

  /// Ends requests that have timed out at `now`.
  public mutating func advance(to now: Instant) {
    if Application.hasBearers { application.advance(to: now) }
    guard let requestDeadline, requestDeadline <= now else { return }
    var remaining = used
    while let channel = remaining.first(from: 0) {
      remaining.remove(channel)
      if let time = entries[channel].deadline, time <= now { remove(channel, with: .timedOut) }
    }
    findDeadline()
  }

  // MARK: Bearers

  /// Whether channels can be enhanced ATT bearers.
  public static var hasBearers: Bool { Application.hasBearers }

  /// Requests enhanced bearers from the peer on `link`; `false` if there is no room for them.
  public mutating func openBearers(_ count: Int, at link: Int) -> Bool {
    guard let mtu = application.bearerMTU(forMore: count),
      let opened = open(count, of: .eatt, mtu: mtu, at: link)
    else { return false }
    application.beginBearers(opened, at: link)
    return true
  }

  /// Calls `body` with the bearer that has the number `number`, and sends what it has then, or closes
  /// it; `nil` if there is none.
  public mutating func withBearer<Result>(
    _ number: Int, _ body: (inout EnhancedBearer) -> Result
  ) -> Result? {
    var channel: Int?
    var failure: ChannelEnd?
    let result = application.withBearer(number) { bearer in
      let result = body(&bearer)
      if bearer.end == nil { channel = bearer.channel }
      failure = bearer.failure
      return result
    }
    guard let channel else { return result }
    if let failure { disconnect(channel, with: failure) } else { resume(channel) }
    return result
  }

  /// Calls `body` with the state of the link's own bearer; `nil` without enhanced ones.
  public mutating func withOwnBearer<Result>(
    _ link: Int, _ body: (inout BearerTurn) -> Result
  ) -> Result? { application.withOwnBearer(link, body) }

  /// The links on which a request that waited for another has its turn.
  public var linksInTurn: ConnectionSet {
    get { application.linksInTurn }
    set { application.linksInTurn = newValue }
  }

  /// The number of a bearer that has something for the host; `nil` if there is none. Each is
  /// returned once.
  public mutating func takeNextBearer() -> Int? { application.takeNextBearer() }

  /// Whether the server's application has put off a request on a bearer of the link.
  public func hasPutOff(at link: Int) -> Bool { application.hasPutOff(at: link) }

  /// The bearers of the link, by number.
  public func bearers(at link: Int) -> ConnectionSet { application.bearers(at: link) }

  // MARK: The table

  /// Whether the link is open.
  func isOpen(_ link: Int) -> Bool { link >= 0 && link < links && openLinks.contains(link) }

  /// The number of the channel with the local CID `cid`; `nil` if the link has none.
  func channel(with cid: L2CAPChannel, at link: Int) -> Int? {
    guard cid.isDynamic else { return nil }
    let channel = Int(cid.rawValue &- L2CAPChannel.firstDynamic.rawValue) % channels
    guard bearers[link].members.contains(channel), entries[channel].localCID == cid else {
      return nil
    }
    return channel
  }

  /// The first channel of the link for which `isWanted` is true; `nil` if there is none.
  func firstChannel(at link: Int, where isWanted: (CreditBasedChannel) -> Bool) -> Int? {
    var remaining = bearers[link].members
    while let channel = remaining.first(from: 0) {
      if isWanted(entries[channel]) { return channel }
      remaining.remove(channel)
    }
    return nil
  }

  /// The channels of the link for which `isWanted` is true.
  func channelSet(at link: Int, where isWanted: (CreditBasedChannel) -> Bool) -> ConnectionSet {
    var found = ConnectionSet.none
    var remaining = bearers[link].members
    while let channel = remaining.first(from: 0) {
      remaining.remove(channel)
      if isWanted(entries[channel]) { found.insert(channel) }
    }
    return found
  }

  /// A number for a channel that the peer on `link` requests; `nil` if it gets none. One is kept
  /// for each link without a channel.
  func freeChannel(forPeerAt link: Int) -> Int? {
    var reserved = 0
    if !bearers[link].members.isEmpty {
      for other in 0..<links where bearers[other].members.isEmpty { reserved += 1 }
    }
    return channels &- used.count > reserved ? firstFree : nil
  }

  private var firstFree: Int? {
    let channel = (~used.rawValue).trailingZeroBitCount
    return channel < channels ? channel : nil
  }

  /// A CID for the next channel with this number. CIDs rotate, so that a peer that missed the end
  /// of a channel does not reach the next one with its old CID.
  mutating func takeCID(of channel: Int) -> L2CAPChannel {
    let offset = Int(turns[channel]) &* channels &+ channel
    let next = (Int(turns[channel]) &+ 1) % (L2CAPChannel.dynamicCount / channels)
    turns[channel] = UInt8(truncatingIfNeeded: next)
    return L2CAPChannel(
      rawValue: L2CAPChannel.firstDynamic.rawValue &+ UInt16(truncatingIfNeeded: offset))
  }

  mutating func insert(_ entry: CreditBasedChannel, at channel: Int) {
    entries[channel] = entry
    used.insert(channel)
    bearers[entry.link].members.insert(channel)
    markReady(channel)
  }

  /// Marks the channel as one that may have something to send.
  mutating func markReady(_ channel: Int) {
    let link = entries[channel].link
    bearers[link].ready.insert(channel)
    pendingConnections.insert(link)
  }

  /// Begins to close an open channel. One that is still opening is closed as soon as it is open.
  mutating func disconnect(_ channel: Int, with end: ChannelEnd) {
    entries[channel].disconnect(end)
    markReady(channel)
  }

  /// Removes a channel. If this device began to close it, its own reason applies.
  mutating func remove(_ channel: Int, with end: ChannelEnd) {
    let entry = entries[channel]
    entries[channel] = CreditBasedChannel()
    used.remove(channel)
    bearers[entry.link].remove(channel)
    if entry.deadline != nil { findDeadline() }
    application.closed(channel, with: entry.end ?? end)
  }

  /// Starts the timer of the channel's request.
  mutating func startTimer(of channel: Int, at now: Instant) {
    let time = now.advanced(by: Self.responseTimeout)
    entries[channel].deadline = time
    requestDeadline = Instant.earlier(requestDeadline, time)
  }

  /// Finds the earliest deadline after a change.
  mutating func findDeadline() {
    requestDeadline = nil
    var remaining = used
    while let channel = remaining.first(from: 0) {
      remaining.remove(channel)
      requestDeadline = Instant.earlier(requestDeadline, entries[channel].deadline)
    }
  }
}
