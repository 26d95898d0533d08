// The common ground of the fuzzers: a host, and a controller that checks the host's packets.
// Compiled by scripts/fuzz as one module with the core.

import Glibc

/// A host of four links, and its controller. A failed condition stops the program, which libFuzzer
/// reports.
///
/// Its bytes are its whole state: see `StartingGround`. All its copies share the buffers.
@safe
struct Ground<
  Server: ServerRole & Settling & ~Copyable, Client: ClientRole & Settling & ~Copyable,
  Channels: ChannelRole & ~Copyable
>: ~Copyable {
  var host: Host<4, Server, Client, NoSecurity, Channels>
  private(set) var now = Instant(rawValue: 1)
  /// Whether the controller answers commands and returns its buffers.
  var isObliging = true
  /// Whether links end only when the host ends them, so that the frames on them can be followed.
  var followsLinks = true
  /// The ATT responses since this was last set to 0.
  var responses = 0
  /// The opcode of each link's last ATT request; 0 after any reply.
  var requests = InlineArray<4, UInt8>(repeating: 0)
  /// The number of indications on each link that may be unconfirmed, including those that come
  /// before their link.
  var indications = InlineArray<4, Int>(repeating: 0)
  /// Each link's last request about a channel.
  var signals = InlineArray<4, SentSignal>(repeating: SentSignal())
  private var frames = InlineArray<4, SentFrame>(repeating: SentFrame())
  /// The received packet is at the end of this, so that AddressSanitizer detects a read beyond it.
  private let incoming = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 526)
  /// The sent packet. It must not need more room.
  private let outgoing = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 526)

  static var aclLength: Int { 27 }
  static var aclCount: Int { 4 }

  /// A host that has started up.
  init(
    server: consuming Server, client: consuming Client, channels: consuming Channels,
    followsLinks: Bool
  ) {
    let name = DeviceName(StaticText("8-Ball"))
    host = Host(
      configuration: HostConfiguration(
        name: name, service: Server.isPresent ? .ballService : nil, address: .public),
      server: server, client: client, security: NoSecurity(), channels: channels)
    self.followsLinks = followsLinks
    host.start(at: now)
    pass(milliseconds: 1)
  }

  /// Starts over, as after a lost radio.
  mutating func restart() {
    host.radioLost()
    host.start(at: now)
    for link in 0..<4 { forget(link) }
  }

  /// Drops the state of this link's number.
  private mutating func forget(_ link: Int) {
    frames[link] = SentFrame()
    requests[link] = 0
    signals[link] = SentSignal()
  }

  mutating func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    host.advance(to: now)
    drain()
  }

  /// Gives the host one packet, whole or not, and takes all packets that follow.
  mutating func receive(_ packet: Span<UInt8>) {
    give(packet.count) { $0.write(packet) }
    drain()
  }

  /// Makes a link: `link` is 0 to 3, and its handle 0x40 more. By default a central began it.
  mutating func connect(_ link: UInt8, as role: UInt8 = 0x01) {
    forget(Int(link))
    let event: [22 of UInt8] = [
      0x04, 0x3E, 19, 0x01, 0x00, 0x40 + link, 0x00, role, 0x01,
      link, 0, 0, 0, 0, 0xC0, 0x18, 0, 0, 0, 0x48, 0, 0,
    ]
    receive(event.span)
  }

  /// Receives one L2CAP frame on a fixed channel of this link, in one ACL packet. With `filling`,
  /// `frame` is repeated to that length.
  mutating func receive(frame: Span<UInt8>, filling: Int? = nil, channel: UInt8, link: UInt8) {
    let count = frame.isEmpty ? 0 : filling ?? frame.count
    give(9 + count) { packet in
      packet.write(0x02 as UInt8)
      packet.write(UInt16(0x2040) | UInt16(link))
      packet.write(UInt16(4 + count))
      packet.write(UInt16(count))
      packet.write(UInt16(channel))
      if count > frame.count { packet.write(frame[0]) }
      while packet.freeCapacity > 0 { packet.writePrefix(of: frame) }
    }
    drain()
  }

  /// Receives one ACL packet.
  mutating func receive(fragment: Span<UInt8>, boundary: UInt8, link: UInt8) {
    give(5 + fragment.count) { packet in
      packet.write(0x02 as UInt8)
      packet.write(0x40 + link)
      packet.write(boundary << 4)
      packet.write(UInt16(fragment.count))
      packet.write(fragment)
    }
    drain()
  }

  /// Gives the host a packet of `count` bytes, which `write` writes.
  private mutating func give(_ count: Int, _ write: (inout ByteWriter) -> Void) {
    let packet = unsafe UnsafeMutableBufferPointer(rebasing: incoming[(incoming.count - count)...])
    var writer = unsafe ByteWriter(packet.mutableSpan)
    write(&writer)
    unsafe host.receive(packet.span, at: now)
  }

  /// Takes the host's packets until it has none, which must happen.
  mutating func drain() {
    let packet = unsafe outgoing
    var turns = 0
    while true {
      var writer = unsafe ByteWriter(packet.mutableSpan)
      let isWritten = host.nextPacket(into: &writer, at: now)
      let count = writer.count
      guard isWritten else {
        demand(count == 0, "bytes without a packet")
        break
      }
      demand(!writer.hasOverflowed, "a packet longer than the buffer")
      turns += 1
      demand(turns < 2_000, "the host never stops sending")
      unsafe answer(packet.span.extracting(first: count))
    }
    host.server.settle()
    host.client.settle()
    _ = host.deadline
  }

  // MARK: The controller

  private mutating func answer(_ packet: Span<UInt8>) {
    demand(packet.count >= 4, "a packet without a header")
    let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    switch packet[0] {
    case 0x01:
      demand(packet.count == 4 + Int(packet[3]), "a command of the wrong length")
      guard isObliging else { return }
      complete(HCIOpcode(rawValue: opcode), parameters: packet.extracting(4...))
    case 0x02:
      demand(packet.count >= 5, "data without a header")
      let length = Int(packet[3]) | Int(packet[4]) << 8
      demand(packet.count == 5 + length, "data of the wrong length")
      take(packet.extracting(5...), isFirst: packet[2] & 0x30 != 0x10, handle: opcode & 0x0FFF)
      guard isObliging else { return }
      let credit: [8 of UInt8] = [0x04, 0x13, 5, 1, packet[1], packet[2] & 0x0F, 1, 0]
      host.receive(credit.span, at: now)
    default: demand(false, "a packet of a type that no host sends")
    }
  }

  private mutating func complete(_ opcode: HCIOpcode, parameters: Span<UInt8>) {
    let low = UInt8(truncatingIfNeeded: opcode.rawValue)
    let high = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
    let status: [7 of UInt8] = [0x04, 0x0F, 4, 0x00, 1, low, high]
    switch opcode {
    case .leCreateConnection, .leExtendedCreateConnection, .lePeriodicAdvertisingCreateSync:
      // The fuzzer makes the link or the synchronization itself later.
      host.receive(status.span, at: now)
    case .disconnect:
      demand(parameters.count >= 2, "a disconnection without a link")
      let end: [7 of UInt8] = [0x04, 0x05, 4, 0x00, parameters[0], parameters[1], 0x16]
      host.receive(status.span, at: now)
      if (0x40...0x43).contains(parameters[0]) { forget(Int(parameters[0] - 0x40)) }
      host.receive(end.span, at: now)
    case .readBDADDR:
      let address: [6 of UInt8] = [1, 0, 0, 0, 0, 0xF0]
      complete(opcode, results: address.span)
    case .leReadBufferSize:
      let buffers: [3 of UInt8] = [UInt8(Self.aclLength), 0, UInt8(Self.aclCount)]
      complete(opcode, results: buffers.span)
    case .leReadLocalSupportedFeatures:
      // 2M and data length, and for a host that can, the coded PHY, extended and periodic advertising.
      let features: [8 of UInt8] = [
        0x20, Host<4, Server, Client, NoSecurity, Channels>.isExtended ? 0x39 : 0x01, 0, 0, 0, 0, 0,
        0,
      ]
      complete(opcode, results: features.span)
    default: complete(opcode, results: Span())
    }
  }

  /// The command has succeeded, with these results.
  private mutating func complete(_ opcode: HCIOpcode, results: Span<UInt8>) {
    give(7 + results.count) { event in
      event.write(0x04 as UInt8)
      event.write(0x0E as UInt8)
      event.write(UInt8(4 + results.count))
      event.write(1 as UInt8)
      event.write(opcode.rawValue)
      event.write(0x00 as UInt8)
      event.write(results)
    }
  }

  // MARK: The peers

  /// Assembles the data's frames, and checks them.
  private mutating func take(_ data: Span<UInt8>, isFirst: Bool, handle: UInt16) {
    demand(!data.isEmpty, "an ACL packet with nothing in it")
    guard followsLinks, (0x40...0x43).contains(handle) else { return }
    let link = Int(handle - 0x40)
    if isFirst {
      demand(frames[link].missing == 0, "a frame begins within another")
      demand(data.count >= 4, "a frame without a header")
      frames[link] = SentFrame(header: data)
      if Channels.isPresent, frames[link].channel == 0x0005 { signals[link].note(data) }
    } else {
      demand(frames[link].missing > 0, "a fragment of no frame")
    }
    let rest = isFirst ? data.extracting(4...) : data
    if frames[link].missing == frames[link].length, !rest.isEmpty { frames[link].first = rest[0] }
    demand(rest.count <= frames[link].missing, "more data than the frame states")
    frames[link].missing -= rest.count
    if frames[link].missing == 0 { check(frames[link], link) }
  }

  private mutating func check(_ frame: SentFrame, _ link: Int) {
    switch frame.channel {
    case 0x0004:
      demand(frame.length > 0, "an ATT PDU of no bytes")
      demand(frame.length <= 517, "an ATT PDU longer than any MTU")
      if frame.first & 1 == 1 {
        if frame.first != 0x1B && frame.first != 0x1D { responses += 1 }
      } else {
        checkRequest(frame.first, link)
      }
    case 0x0005: demand(frame.length >= 4, "a signalling command without a header")
    case 0x0006: demand(frame.length == 2 && frame.first == 0x05, "anything but a refusal to pair")
    case 0x0040...0x007F:
      demand(Channels.isPresent, "a frame on a channel, without channels")
      demand(frame.length <= 2_048, "a frame longer than any MPS")
    default: demand(false, "a frame on an unknown channel")
    }
  }

  /// Core Specification, Vol 3, Part F, 3.3.2.
  private mutating func checkRequest(_ opcode: UInt8, _ link: Int) {
    demand(Client.isPresent, "a request or a command from a server")
    switch opcode {
    case 0x1E:
      demand(indications[link] > 0, "a confirmation of no indication")
      indications[link] = 0
    case 0x52: break
    default:
      demand(requests[link] == 0, "a request before the response to the last one")
      requests[link] = opcode
    }
  }
}

/// A request about a channel, with what the peer needs for its response.
struct SentSignal {
  /// 0x14 or 0x06; 0 if there was none.
  var code: UInt8 = 0
  var identifier: UInt8 = 0
  /// The CIDs of a Disconnection Request.
  var cids = InlineArray<4, UInt8>(repeating: 0)

  /// Notes a signalling command, with the header of its frame.
  mutating func note(_ frame: Span<UInt8>) {
    guard frame.count >= 12, frame[4] == 0x14 || frame[4] == 0x06 else { return }
    code = frame[4]
    identifier = frame[5]
    for index in 0..<4 { cids[index] = frame[8 + index] }
  }
}

/// The checked properties of a frame that the host sends.
private struct SentFrame {
  /// The length of its payload.
  var length = 0
  var channel: UInt16 = 0
  /// The first byte of its payload.
  var first: UInt8 = 0
  /// How many bytes of its payload are missing.
  var missing = 0

  init() {}

  /// A frame that begins with this header.
  init(header: Span<UInt8>) {
    length = Int(header[0]) | Int(header[1]) << 8
    channel = UInt16(header[2]) | UInt16(header[3]) << 8
    missing = length
  }
}

/// Stops the program unless the condition holds, and prints which it was: optimised code loses a
/// precondition's message.
@inline(__always)
func demand(_ condition: Bool, _ fault: StaticString) {
  if !condition { stop(fault) }
}

@inline(never)
private func stop(_ fault: StaticString) -> Never {
  print("FAULT: \(fault)")
  fflush(nil)
  fatalError()
}
