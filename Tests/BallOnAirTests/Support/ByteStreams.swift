import BluetoothHost

/// A delegate of channels that sends and receives bytes, in SDUs as long as the peer accepts.
struct ByteStreams: ChannelApplication {
  /// One channel.
  struct Stream: Equatable {
    let spsm: UInt16
    let link: Int
    let peerMTU: Int
    /// The received bytes that were not taken.
    var incoming: [UInt8] = []
    /// The bytes that were not sent.
    var outgoing: [UInt8] = []
  }

  /// The most bytes that wait in a channel.
  static let capacity = 2_000

  var listeners: [UInt16: ChannelListener] = [:]
  /// The channels that are open.
  var streams: [Int: Stream] = [:]
  /// How channels have ended, oldest first.
  var ends: [ChannelEnd] = []

  /// Listens on an SPSM.
  mutating func listen(
    on spsm: UInt16, security: ChannelListener.Security = .none, isAuthorized: Bool = true
  ) {
    listeners[spsm] = ChannelMTU(600).map {
      ChannelListener(mtu: $0, security: security, isAuthorized: isAuthorized)
    }
  }

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? { listeners[spsm.rawValue] }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    streams[channel] = Stream(spsm: spsm.rawValue, link: link, peerMTU: peerMTU)
  }

  mutating func closed(_ channel: Int, with end: ChannelEnd) {
    streams[channel] = nil
    ends.append(end)
  }

  func room(of channel: Int) -> Int {
    Self.capacity - (streams[channel]?.incoming.count ?? 0)
  }

  mutating func received(_ segment: SDUSegment, on channel: Int) {
    for index in segment.bytes.indices { streams[channel]?.incoming.append(segment.bytes[index]) }
  }

  func nextSDULength(on channel: Int) -> Int? {
    guard let stream = streams[channel], !stream.outgoing.isEmpty else { return nil }
    return min(stream.peerMTU, stream.outgoing.count)
  }

  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    guard let stream = streams[channel] else { return }
    let part = Array(stream.outgoing[offset..<offset + writer.freeCapacity])
    writer.write(part.span)
  }

  mutating func sent(on channel: Int) {
    guard let stream = streams[channel] else { return }
    streams[channel]?.outgoing.removeFirst(min(stream.peerMTU, stream.outgoing.count))
  }
}

extension SecureDevice {
  /// The delegate of its channels.
  var owner: ByteStreams {
    _read { yield host.channels.application }
    _modify { yield &host.channels.application }
  }

  /// Requests a channel from its peer.
  @discardableResult
  func open(_ spsm: UInt16) -> Int? {
    guard let spsm = SPSM(spsm), let mtu = ChannelMTU(1_000) else { return nil }
    return host.channels.open(spsm, mtu: mtu, at: 0)
  }

  /// Sends bytes on a channel, after those that wait.
  func send(_ bytes: [UInt8], on channel: Int) {
    owner.streams[channel]?.outgoing += bytes
    host.channels.resume(channel)
  }

  /// Takes the received bytes of a channel.
  func take(from channel: Int) -> [UInt8] {
    let bytes = owner.streams[channel]?.incoming ?? []
    owner.streams[channel]?.incoming = []
    host.channels.resume(channel)
    return bytes
  }
}
