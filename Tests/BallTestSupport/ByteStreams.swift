import BluetoothHost

/// A delegate of channels that sends and receives bytes, in SDUs as long as the peer accepts.
package struct ByteStreams: ChannelApplication {
  /// One channel.
  package struct Stream: Equatable {
    package let spsm: UInt16
    let link: Int
    let peerMTU: Int
    /// The received bytes that were not taken.
    package var incoming: [UInt8] = []
    /// The bytes that were not sent.
    package var outgoing: [UInt8] = []
  }

  /// The most bytes that wait in a channel.
  package static let capacity = 2_000
  /// The most in this device's channels.
  package var capacity = ByteStreams.capacity

  package var listeners: [UInt16: ChannelListener] = [:]
  /// The channels that are open.
  package var streams: [Int: Stream] = [:]
  /// How channels have ended, oldest first.
  package var ends: [ChannelEnd] = []

  /// Listens on an SPSM.
  package mutating func listen(
    on spsm: UInt16, security: ChannelListener.Security = .none, isAuthorized: Bool = true,
    mtu: UInt16 = 600
  ) {
    listeners[spsm] = ChannelMTU(mtu).map {
      ChannelListener(mtu: $0, security: security, isAuthorized: isAuthorized)
    }
  }

  package func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    listeners[spsm.rawValue]
  }

  package mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    streams[channel] = Stream(spsm: spsm.rawValue, link: link, peerMTU: peerMTU)
  }

  package mutating func closed(_ channel: Int, with end: ChannelEnd) {
    streams[channel] = nil
    ends.append(end)
  }

  package func room(of channel: Int) -> Int {
    capacity - (streams[channel]?.incoming.count ?? 0)
  }

  package mutating func received(_ segment: SDUSegment, on channel: Int) {
    let bytes = segment.bytes.indices.map { segment.bytes[$0] }
    streams[channel]?.incoming += bytes
  }

  package func nextSDULength(on channel: Int) -> Int? {
    guard let stream = streams[channel], !stream.outgoing.isEmpty else { return nil }
    return min(stream.peerMTU, stream.outgoing.count)
  }

  package mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    guard let stream = streams[channel] else { return }
    let part = Array(stream.outgoing[offset..<offset + writer.freeCapacity])
    writer.write(part.span)
  }

  package mutating func sent(on channel: Int) {
    guard let stream = streams[channel] else { return }
    streams[channel]?.outgoing.removeFirst(min(stream.peerMTU, stream.outgoing.count))
  }
}
