@testable import BluetoothHost

/// A call that `ChannelOwner` records.
enum ChannelEvent: Equatable {
  case opened(Int, spsm: UInt16, link: Int, peerMTU: Int)
  case closed(Int, ChannelEnd)
  case sent(Int)
  case reconfigured(Int, peerMTU: Int)
}

/// An owner of channels that records what it receives, and sends `outgoing`.
struct ChannelOwner: ChannelApplication {
  var listeners: [UInt16: ChannelListener] = [:]
  var events: [ChannelEvent] = []
  /// The SDUs to be sent, by channel.
  var outgoing: [Int: [[UInt8]]] = [:]
  /// The complete received SDUs, by channel.
  var incoming: [Int: [[UInt8]]] = [:]
  /// The incomplete received SDU, by channel.
  var partial: [Int: [UInt8]] = [:]
  /// The number of bytes that it accepts, by channel.
  var room: [Int: Int] = [:]
  /// The number of bytes that it accepts on the other channels.
  var usualRoom = 1000
  /// The number of bytes that it fails to write.
  var shortage = 0

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? { listeners[spsm.rawValue] }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    events.append(.opened(channel, spsm: spsm.rawValue, link: link, peerMTU: peerMTU))
  }

  mutating func reconfigured(_ channel: Int, peerMTU: Int) {
    events.append(.reconfigured(channel, peerMTU: peerMTU))
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
