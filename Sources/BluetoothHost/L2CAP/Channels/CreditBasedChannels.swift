/// Channels, by their numbers: a bit each, as in a set of connections.
typealias ChannelSet = ConnectionSet

/// LE credit-based channels with their application: the channel role of a host with `links` connections.
///
/// `channels` is how many there are at once over all links, at most `ConnectionSet.capacity`, each in
/// 64 bytes on a 64-bit processor. A peer that has a channel gets another only while one is left for
/// each link that has none. The core keeps no data: credits limit what may be sent and received.
///
/// Core Specification, Vol 3, Part A, 4.22 to 4.24 and 10.1.
public struct CreditBasedChannels<
  let links: Int, let channels: Int, Application: ChannelApplication & ~Copyable
>: ChannelRole, ~Copyable {
  /// True.
  public static var isPresent: Bool { true }

  /// What the channels are for. After a change, call `resume`.
  public var application: Application
  /// The longest payload of a K-frame that this device takes, on any channel.
  public let mps: ChannelMPS

  var entries: InlineArray<channels, CreditBasedChannel>
  /// How often each number has been given out, so that its next channel has another CID.
  private var turns: InlineArray<channels, UInt8>
  var bearers: InlineArray<links, ChannelBearer>
  private var used = ChannelSet.none
  private var openLinks = ConnectionSet.none

  /// The longest payload in bytes of a frame that a channel takes.
  public var longestPayload: Int { mps.byteCount }

  /// The connections that may have a packet to send.
  public internal(set) var pendingConnections = ConnectionSet.none
  /// When the next request is given up; `nil` if none waits for its response.
  public private(set) var deadline: Instant?

  private let pin = Pinned()

  /// How long a request waits for its response, in milliseconds: 30 s, as a transaction of the attribute
  /// protocol does.
  ///
  /// Core Specification, Vol 3, Part A, 6.2.1: the RTX timer starts at 1 to 60 s, and each request that
  /// waits has its own. A request is not sent again: an LE link loses nothing.
  static var responseTimeout: UInt32 { 30_000 }

  /// No channels yet. With more channels than `ConnectionSet.capacity`, the program stops here.
  ///
  /// - Parameters:
  ///   - application: what the channels are for.
  ///   - mps: the longest payload of a K-frame that the host can hold.
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
  public mutating func withApplication<Result>(
    _ body: (inout Application) -> Result
  ) -> Result {
    body(&application)
  }

  /// How many channels there are, those that are being opened or closed among them.
  public var count: Int { used.count }

  // MARK: For the owner

  /// Asks the peer on `link` for a channel.
  ///
  /// - Parameters:
  ///   - spsm: what it is for.
  ///   - mtu: the longest SDU that this device takes.
  /// - Returns: The channel's number; `nil` if there is no such link, or no room for another channel.
  ///   The application's `opened` or `closed` follows.
  public mutating func open(_ spsm: SPSM, mtu: ChannelMTU, at link: Int) -> Int? {
    guard isOpen(link), let channel = firstFree else { return nil }
    insert(
      CreditBasedChannel(requesting: spsm, mtu: mtu, localCID: takeCID(of: channel), link: link),
      at: channel)
    return channel
  }

  /// Closes a channel. The application's `closed` follows, when the peer has answered. A K-frame that is
  /// on its way is finished before. Nothing happens if there is no such channel.
  public mutating func disconnect(_ channel: Int) {
    guard channel >= 0, channel < channels, used.contains(channel) else { return }
    if entries[channel].owesConnectionRequest {
      remove(channel, with: .closed)
    } else {
      disconnect(channel, with: .closed)
    }
  }

  /// The application has something to send on a channel, or room for more.
  public mutating func resume(_ channel: Int) {
    guard channel >= 0, channel < channels, used.contains(channel) else { return }
    markReady(channel)
  }

  // MARK: For the host

  /// A link is there.
  public mutating func opened(_ connection: borrowing Connection) {
    openLinks.insert(connection.index)
  }

  /// A link has gone, and with it all its channels.
  public mutating func closed(_ connection: borrowing Connection, reason: HCIErrorCode) {
    let link = connection.index
    openLinks.remove(link)
    while let channel = bearers[link].members.first(from: 0) {
      remove(channel, with: .linkLost(reason))
    }
    bearers[link] = ChannelBearer()
    pendingConnections.remove(link)
  }

  /// The time is `now`: ends what has waited too long for an answer.
  public mutating func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    var remaining = used
    while let channel = remaining.first(from: 0) {
      remaining.remove(channel)
      if let time = entries[channel].deadline, time <= now { remove(channel, with: .timedOut) }
    }
    findDeadline()
  }

  // MARK: The table

  /// Whether there is a link.
  func isOpen(_ link: Int) -> Bool { link >= 0 && link < links && openLinks.contains(link) }

  /// The number of the channel whose CID at this device is `cid`; `nil` if the link has none.
  func channel(with cid: L2CAPChannel, at link: Int) -> Int? {
    guard cid.isDynamic else { return nil }
    let channel = Int(cid.rawValue &- L2CAPChannel.firstDynamic.rawValue) % channels
    guard bearers[link].members.contains(channel), entries[channel].localCID == cid else {
      return nil
    }
    return channel
  }

  /// The number of the channel on which `isWanted` is true; `nil` if the link has none.
  func firstChannel(at link: Int, where isWanted: (CreditBasedChannel) -> Bool) -> Int? {
    var remaining = bearers[link].members
    while let channel = remaining.first(from: 0) {
      if isWanted(entries[channel]) { return channel }
      remaining.remove(channel)
    }
    return nil
  }

  /// A number for a channel that the peer on `link` asks for; `nil` if it gets none. What others in
  /// range could need is not given to one.
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

  /// A CID for the next channel with this number. CIDs take turns, so that a peer which still uses the
  /// one of a channel that it did not see end does not reach the next channel by it.
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

  /// The channel may have something to send.
  mutating func markReady(_ channel: Int) {
    let link = entries[channel].link
    bearers[link].ready.insert(channel)
    pendingConnections.insert(link)
  }

  /// Begins to close a channel that is open; one that is being opened is closed as soon as it is open.
  mutating func disconnect(_ channel: Int, with end: ChannelEnd) {
    entries[channel].disconnect(end)
    markReady(channel)
  }

  /// The channel has ended: for the reason for which this device began to close it, if it did.
  mutating func remove(_ channel: Int, with end: ChannelEnd) {
    let entry = entries[channel]
    entries[channel] = CreditBasedChannel()
    used.remove(channel)
    bearers[entry.link].remove(channel)
    if entry.deadline != nil { findDeadline() }
    application.closed(channel, with: entry.end ?? end)
  }

  /// The request of a channel is on its way.
  mutating func startTimer(of channel: Int, at now: Instant) {
    let time = now.advanced(by: Self.responseTimeout)
    entries[channel].deadline = time
    deadline = Instant.earlier(deadline, time)
  }

  /// A deadline has changed.
  mutating func findDeadline() {
    deadline = nil
    var remaining = used
    while let channel = remaining.first(from: 0) {
      remaining.remove(channel)
      deadline = Instant.earlier(deadline, entries[channel].deadline)
    }
  }
}
