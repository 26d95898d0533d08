import BluetoothHost

/// The channels of a device: the application of the host's channels. The host's calls record what
/// happened and return at once. `update` then asks the host for what is wanted. Only the radio's
/// thread uses it.
final class DeviceChannels: ChannelApplication, @unchecked Sendable {
  /// How long a channel may send the rest after its streams are closed, in milliseconds.
  static let drainTime: UInt32 = 10_000
  /// The longest SDU that a peer may send. Its bytes can be read as they arrive.
  static let mtu = ChannelMTU(8_192) ?? .minimum

  /// A channel that a manager has published.
  struct Listener {
    let client: PeripheralHandle
    let needsEncryption: Bool
    /// Makes the pipe of a channel that a peer opens.
    let makePipe: @Sendable () -> ChannelPipe
  }

  /// A channel that a peer has opened.
  struct Arrival {
    let keeper: ChannelKeeper
    let spsm: SPSM
    let link: Int
    let client: PeripheralHandle
    /// Keep it until the delegate has received the channel.
    let delivery: ChannelDelivery
  }

  private struct Entry {
    let pipe: ChannelPipe
    let link: Int
    /// The number of its delivery to a delegate; `nil` for a channel that this device has opened.
    var delivery: Int?
    var peerMTU = 0
    /// Receives `nil` when the channel is open, or why it cannot be opened. `nil` after that, and
    /// for a channel that the peer opens.
    var completion: ((ChannelEnd?) -> Void)?
    /// When the channel is closed, even if not everything is sent.
    var closing: Instant?
  }

  /// The time of the current call.
  var now = Instant(rawValue: 0)
  var listeners: [SPSM: Listener] = [:]
  /// Whether the host may have to be asked for something.
  private(set) var needsUpdate = false

  private var entries: [Int: Entry] = [:]
  private var arrivals: [Arrival] = []
  private let backlog = ChannelBacklog()
  private var toResume: Set<Int> = []
  private var toClose: Set<Int> = []

  // MARK: Requests

  /// This device has asked for a channel with this number.
  func begin(
    _ channel: Int, _ pipe: ChannelPipe, at link: Int, _ completion: @escaping (ChannelEnd?) -> Void
  ) { entries[channel] = Entry(pipe: pipe, link: link, completion: completion) }

  /// The streams of a channel have been used, or closed.
  func attend(to pipe: ChannelPipe) {
    let action = pipe.takeAction()
    guard let channel = entries.first(where: { $0.value.pipe === pipe })?.key else { return }
    follow(action, on: channel)
  }

  private func follow(_ action: ChannelPipe.Action, on channel: Int) {
    needsUpdate = true
    switch action {
    case .resume, .close(isDrained: false): toResume.insert(channel)
    case .close(isDrained: true): toClose.insert(channel)
    }
    if case .close = action, entries[channel]?.closing == nil {
      entries[channel]?.closing = now.advanced(by: Self.drainTime)
    }
  }

  /// The channels that peers have opened since the last call.
  func takeArrivals() -> [Arrival] {
    defer { arrivals = [] }
    return arrivals
  }

  /// Asks the host for what is wanted. Call it after any other call, while `needsUpdate`.
  func update(_ host: inout LocalDevice.Host) {
    needsUpdate = false
    let (resumed, closed) = (toResume, toClose)
    toResume = []
    toClose = []
    for channel in resumed { host.channels.resume(channel) }
    for channel in closed {
      entries[channel]?.closing = nil
      host.channels.disconnect(channel)
    }
  }

  // MARK: Time

  /// When `advance` has to be called; `nil` if nothing is timed.
  var deadline: Instant? { entries.values.compactMap(\.closing).min() }

  /// Closes the channels that have been sending for too long.
  func advance() {
    for (channel, entry) in entries {
      guard let closing = entry.closing, closing <= now else { continue }
      entries[channel]?.closing = nil
      toClose.insert(channel)
      needsUpdate = true
    }
  }

  // MARK: ChannelApplication

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    listeners[spsm].map {
      ChannelListener(
        mtu: Self.mtu, security: $0.needsEncryption ? .encryption : .none,
        hasRoom: hasRoom(forPeerAt: link))
    }
  }

  /// Whether a peer may open another channel. The host counts the open channels; this also counts
  /// those that have closed before their delegate received them. Like the host, it keeps one for
  /// each link without any.
  private func hasRoom(forPeerAt link: Int) -> Bool {
    let closed = backlog.links(except: entries.values.compactMap(\.delivery))
    let links = Set(entries.values.map(\.link)).union(closed)
    let reserved = links.contains(link) ? LocalDevice.links - links.count : 0
    return LocalDevice.channels - entries.count - closed.count > reserved
  }

  func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    if let listener = listeners[spsm], entries[channel] == nil {
      let pipe = listener.makePipe()
      let delivery = ChannelDelivery(backlog, at: link)
      entries[channel] = Entry(pipe: pipe, link: link, delivery: delivery.number)
      arrivals.append(
        Arrival(
          keeper: ChannelKeeper(pipe), spsm: spsm, link: link, client: listener.client,
          delivery: delivery))
    }
    entries[channel]?.peerMTU = peerMTU
    entries[channel]?.completion?(nil)
    entries[channel]?.completion = nil
    // The program may have closed it meanwhile.
    if let action = entries[channel]?.pipe.takeAction() { follow(action, on: channel) }
  }

  func closed(_ channel: Int, with end: ChannelEnd) {
    guard let entry = entries.removeValue(forKey: channel) else { return }
    toResume.remove(channel)
    toClose.remove(channel)
    // A refused channel may be requested again, with the same pipe.
    if let completion = entry.completion { completion(end) } else { entry.pipe.finish(end) }
  }

  func room(of channel: Int) -> Int { entries[channel]?.pipe.room ?? ChannelPipe.inputCapacity }

  func received(_ segment: SDUSegment, on channel: Int) {
    entries[channel]?.pipe.receive(segment.bytes)
  }

  func nextSDULength(on channel: Int) -> Int? {
    guard let entry = entries[channel] else { return nil }
    let count = entry.pipe.outputCount
    return count > 0 ? min(count, entry.peerMTU) : nil
  }

  func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    entries[channel]?.pipe.writeOutput(from: offset, into: &writer)
  }

  func sent(on channel: Int) {
    guard let action = entries[channel]?.pipe.noteSent() else { return }
    if case .close(isDrained: true) = action { follow(action, on: channel) }
  }
}

/// The channels that peers have opened and delegates have not received. A thread of the program that
/// lags must not make them pile up.
final class ChannelBacklog: Sendable {
  private struct Contents {
    var last = 0
    /// The index of each channel's link, by the number of its delivery. It outlives the link: a peer
    /// that connects again gets no more room by that.
    var links: [Int: Int] = [:]
  }

  private let contents = Locked(Contents())

  /// The indexes of the links of all deliveries with other numbers than these, each as often as it
  /// has deliveries.
  func links(except numbers: [Int]) -> [Int] {
    contents.withLock { contents in contents.links.filter { !numbers.contains($0.key) }.map(\.value)
    }
  }

  fileprivate func add(_ link: Int) -> Int {
    contents.withLock { contents in
      contents.last += 1
      contents.links[contents.last] = link
      return contents.last
    }
  }

  fileprivate func remove(_ number: Int) { contents.withLock { $0.links[number] = nil } }
}

/// The way of one channel to its delegate. It ends with the release of this object, on any thread.
final class ChannelDelivery: Sendable {
  let number: Int
  private let backlog: ChannelBacklog

  init(_ backlog: ChannelBacklog, at link: Int) {
    self.backlog = backlog
    number = backlog.add(link)
  }

  deinit { backlog.remove(number) }
}
