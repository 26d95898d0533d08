@testable import BluetoothHost

/// What `ChannelOwner` saw.
enum ChannelEvent: Equatable {
  case opened(Int, spsm: UInt16, link: Int, peerMTU: Int)
  case closed(Int, ChannelEnd)
  case sent(Int)
}

/// An owner of channels that keeps what it receives, and sends what is put into `outgoing`.
struct ChannelOwner: ChannelApplication {
  var listeners: [UInt16: ChannelListener] = [:]
  var events: [ChannelEvent] = []
  /// The SDUs to be sent, by channel.
  var outgoing: [Int: [[UInt8]]] = [:]
  /// The SDUs that came whole, by channel.
  var incoming: [Int: [[UInt8]]] = [:]
  /// The SDU that is still to be completed, by channel.
  var partial: [Int: [UInt8]] = [:]
  /// How many bytes it takes, by channel.
  var room: [Int: Int] = [:]
  /// How many bytes it takes on the other channels.
  var usualRoom = 1000
  /// How many bytes it writes fewer than it should.
  var shortage = 0

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? { listeners[spsm.rawValue] }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    events.append(.opened(channel, spsm: spsm.rawValue, link: link, peerMTU: peerMTU))
  }

  mutating func closed(_ channel: Int, with end: ChannelEnd) {
    events.append(.closed(channel, end))
    outgoing[channel] = nil
    partial[channel] = nil
  }

  func room(of channel: Int) -> Int { room[channel] ?? usualRoom }

  mutating func received(_ segment: SDUSegment, on channel: Int) {
    let part = Array(segment.bytes)
    partial[channel, default: []] += part
    guard segment.isLast else { return }
    incoming[channel, default: []].append(partial[channel] ?? [])
    partial[channel] = nil
  }

  func nextSDULength(on channel: Int) -> Int? { outgoing[channel]?.first?.count }

  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    let rest = (outgoing[channel]?.first ?? []).dropFirst(offset)
    for byte in rest.prefix(max(0, writer.freeCapacity - shortage)) { writer.write(byte) }
  }

  mutating func sent(on channel: Int) {
    events.append(.sent(channel))
    outgoing[channel]?.removeFirst()
  }
}
