// Compiled by scripts/check embedded with the core: specialises credit-based channels for one link
// and one channel, for four links and eight channels, and for enhanced bearers.

import BluetoothHost
import EightBall

/// One turn of a host's loop, for each table of channels.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_channels_entry)
public func channelsEntry(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  var one = CreditBasedChannels<1, 1, ChannelOwner>(application: ChannelOwner(), mps: .twoPackets)
  var eight = CreditBasedChannels<4, 8, ChannelOwner>(application: ChannelOwner(), mps: .twoPackets)
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  return turn(of: &one, at: now, byte) &+ turn(of: &eight, at: now, byte)
}

/// A delegate that counts.
struct ChannelOwner: ChannelApplication {
  var count: UInt32 = 0

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    ChannelListener(mtu: .minimum, security: .encryption)
  }
  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    count &+= UInt32(truncatingIfNeeded: peerMTU)
  }
  mutating func closed(_ channel: Int, with end: ChannelEnd) {
    if end == .timedOut { count &+= 1 }
  }
  func room(of channel: Int) -> Int { Int(truncatingIfNeeded: count) }
  mutating func received(_ segment: SDUSegment, on channel: Int) {
    if segment.isLast { count &+= UInt32(truncatingIfNeeded: segment.bytes.count) }
  }
  func nextSDULength(on channel: Int) -> Int? { channel }
  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: offset))
  }
  mutating func sent(on channel: Int) { count &+= 1 }
}

private func turn<let links: Int, let channels: Int>(
  of role: inout CreditBasedChannels<links, channels, ChannelOwner>, at now: Instant, _ byte: UInt8
) -> UInt32 {
  let incoming = InlineArray<64, UInt8>(repeating: byte)
  var outgoing = InlineArray<64, UInt8>(repeating: 0)
  var writer = ByteWriter(outgoing.mutableSpan)
  var connection = Connection(index: 0)
  connection.handle = ConnectionHandle(rawValue: UInt16(byte))

  role.opened(connection)
  let channel = role.open(.firstDynamic, mtu: .minimum, at: 0) ?? 0
  if let command = SignallingCommand(incoming.span) {
    _ = role.receive(command, on: connection, protection: .none, response: &writer)
  }
  role.receive(incoming.span, to: L2CAPChannel(rawValue: UInt16(byte)), on: connection)
  role.receiveOverlong(to: L2CAPChannel(rawValue: UInt16(byte)), on: connection)
  if role.hasPacket(for: connection), !role.isSending(on: connection) { role.resume(channel) }
  _ = role.writePacket(for: connection, length: 27, at: now, to: &writer)
  role.advance(to: now)
  role.disconnect(channel)
  role.closed(connection, reason: .connectionTimeout)
  return role.withApplication { $0.count } &+ UInt32(role.count) &+ UInt32(writer.count)
    &+ (role.deadline == nil ? 0 : 1) &+ UInt32(role.pendingConnections.count)
}
