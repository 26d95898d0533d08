/// A delegate of channels that checks its reports: every channel opens and ends once, no more data
/// comes than there is room for, and the parts of SDUs come and go in order.
struct Courier: ChannelApplication {
  /// The state of one channel.
  private struct Channel {
    /// Whether it is open, or was requested.
    var isUsed = false
    var isOpen = false
    /// How many bytes wait to be taken.
    var held = 0
    /// The position in the incoming SDU, and its length.
    var position = 0
    var incomingLength = 0
    /// The length of the outgoing SDU, and how much of it was written.
    var outgoingLength: Int?
    var written = 0
    var peerMTU = 0
  }

  static var capacity: Int { 2_000 }
  static var mtu: Int { 600 }

  private var channels = InlineArray<8, Channel>(repeating: Channel())

  /// How many channels are open or being opened.
  var count: Int {
    var count = 0
    for index in 0..<8 where channels[index].isUsed { count += 1 }
    return count
  }

  /// Notes the host's request for a channel.
  mutating func begin(_ channel: Int) {
    demand(!channels[channel].isUsed, "a channel that is in use")
    channels[channel] = Channel()
    channels[channel].isUsed = true
  }

  /// Takes the received bytes.
  mutating func drain(_ channel: Int) { channels[channel].held = 0 }

  /// Sends an SDU. One longer than the peer's MTU is an error of the delegate, which closes the
  /// channel.
  mutating func send(_ length: Int, on channel: Int) {
    if channels[channel].outgoingLength == nil { channels[channel].outgoingLength = length }
  }

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    switch spsm.rawValue {
    case 0x0080: ChannelMTU(UInt16(Self.mtu)).map { ChannelListener(mtu: $0) }
    case 0x0081: ChannelListener(mtu: .minimum, security: .encryption)
    default: nil
    }
  }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    demand(!channels[channel].isOpen, "a channel that opens twice")
    demand(peerMTU >= 23, "an MTU out of range")
    if !channels[channel].isUsed { begin(channel) }
    channels[channel].isOpen = true
    channels[channel].peerMTU = peerMTU
  }

  mutating func reconfigured(_ channel: Int, peerMTU: Int) {
    demand(channels[channel].isOpen, "a change of a channel that is not open")
    demand(peerMTU >= channels[channel].peerMTU, "an MTU that shrinks")
    channels[channel].peerMTU = peerMTU
  }

  mutating func closed(_ channel: Int, with end: ChannelEnd) {
    demand(channels[channel].isUsed, "the end of a channel that does not exist")
    channels[channel] = Channel()
  }

  func room(of channel: Int) -> Int { Self.capacity - channels[channel].held }

  mutating func received(_ segment: SDUSegment, on channel: Int) {
    demand(channels[channel].isOpen, "data of a channel that is not open")
    demand(segment.sduLength <= Self.mtu, "an SDU longer than the MTU")
    if channels[channel].position == 0 {
      channels[channel].incomingLength = segment.sduLength
    }
    demand(segment.offset == channels[channel].position, "a part of an SDU that is missing")
    demand(segment.sduLength == channels[channel].incomingLength, "an SDU that changes its length")
    channels[channel].position += segment.bytes.count
    demand(channels[channel].position <= segment.sduLength, "more than the SDU")
    if segment.isLast { channels[channel].position = 0 }
    channels[channel].held += segment.bytes.count
    demand(channels[channel].held <= Self.capacity, "more than there was room for")
  }

  func nextSDULength(on channel: Int) -> Int? { channels[channel].outgoingLength }

  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    demand(offset == channels[channel].written, "a part of an SDU out of order")
    while writer.freeCapacity > 0 {
      writer.write(0x5A as UInt8)
      channels[channel].written += 1
    }
    demand(
      channels[channel].written <= channels[channel].outgoingLength ?? 0, "more than the SDU has")
  }

  mutating func sent(on channel: Int) {
    demand(channels[channel].written == channels[channel].outgoingLength, "an SDU sent in part")
    channels[channel].outgoingLength = nil
    channels[channel].written = 0
  }
}
