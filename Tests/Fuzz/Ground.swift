// The ground that every fuzzer stands on: a ball's host, and a controller that takes what it gives
// and checks it. Compiled by scripts/fuzz as one module with the core.

import Glibc

/// A host of four places, and its controller. A condition that does not hold stops the program,
/// which is how a fuzzer reports it.
///
/// It is its bytes and nothing else: see `StartingGround`. The buffers belong to all its copies.
@safe struct Ground: ~Copyable {
  private var host: Peripheral<4, GATTDatabase<32>, HesitantBall>
  private(set) var now = Instant(rawValue: 1)
  /// Whether the controller answers commands and gives back its buffers.
  var isObliging = true
  /// Whether links end only when the host ends them, so that the frames on them can be followed.
  private var followsLinks = true
  /// The ATT responses that went out since this was last set to 0.
  var responses = 0
  private var frames = InlineArray<4, SentFrame>(repeating: SentFrame())
  /// The packet that the host receives is at the end of this, so that AddressSanitizer notices a
  /// read beyond it.
  private let incoming = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 526)
  /// The packet that the host sends. It needs no more room than this.
  private let outgoing = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 526)

  static let aclLength = 27
  static let aclCount = 4

  private init() {
    let name = DeviceName(StaticText("8-Ball"))
    host = Host(
      configuration: HostConfiguration(name: name, service: .ballService, address: .public),
      database: BallProfile.makeDatabase(), application: HesitantBall())
    host.start(at: now)
  }

  /// A host that has started up.
  static func started(followsLinks: Bool) -> Ground {
    var ground = Ground()
    ground.followsLinks = followsLinks
    ground.pass(milliseconds: 1)
    return ground
  }

  /// A host that has started up and has four links.
  static func withFourLinks() -> Ground {
    var ground = started(followsLinks: true)
    for link: UInt8 in 0..<4 { ground.connect(link) }
    return ground
  }

  /// Starts over, as after a lost radio.
  mutating func restart() {
    host.radioLost()
    host.start(at: now)
    for link in 0..<4 { frames[link] = SentFrame() }
  }

  /// Whether requests that reach the ball are put off.
  var hesitates: Bool {
    get { host.server.application.hesitates }
    set { host.server.application.hesitates = newValue }
  }

  /// The requests that were put off can be answered.
  mutating func resume() {
    for place in -1...4 { host.resume(at: place) }
    drain()
  }

  /// The services from one handle to another have changed.
  mutating func change(_ start: UInt8, _ end: UInt8) {
    host.server.databaseChanged(
      in: AttributeHandleRange(
        start: AttributeHandle(rawValue: UInt16(start)),
        end: AttributeHandle(rawValue: UInt16(end))))
    drain()
  }

  mutating func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    host.advance(to: now)
    drain()
  }

  /// Gives the host one packet, whole or not, and takes all that it has to say to it.
  mutating func receive(_ packet: Span<UInt8>) {
    give(packet.count) { $0.write(packet) }
    drain()
  }

  /// A central connects: `link` is 0 to 3, and its handle 0x40 more.
  mutating func connect(_ link: UInt8) {
    frames[Int(link)] = SentFrame()
    let event: [22 of UInt8] = [
      0x04, 0x3E, 19, 0x01, 0x00, 0x40 + link, 0x00, 0x01, 0x01,
      link, 0, 0, 0, 0, 0xC0, 0x18, 0, 0, 0, 0x48, 0, 0,
    ]
    receive(event.span)
  }

  /// One L2CAP frame on a fixed channel of this link, in one ACL packet. With `filling` it is so
  /// many bytes: the first of `frame`, and then all of `frame` over and over.
  mutating func receive(
    frame: Span<UInt8>, filling: Int? = nil, channel: UInt8, link: UInt8
  ) {
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

  /// One ACL packet.
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
    let packet = unsafe UnsafeMutableBufferPointer(
      rebasing: incoming[(incoming.count - count)...])
    var writer = unsafe ByteWriter(packet.mutableSpan)
    write(&writer)
    unsafe host.receive(packet.span, at: now)
  }

  /// Takes the host's packets until it has none. It must come to an end.
  private mutating func drain() {
    let packet = unsafe outgoing
    var turns = 0
    while true {
      var writer = unsafe ByteWriter(packet.mutableSpan)
      let isWritten = host.nextPacket(into: &writer, at: now)
      let count = writer.count
      guard isWritten else {
        demand(count == 0, "no packet, and yet some bytes")
        break
      }
      demand(!writer.hasOverflowed, "a packet longer than was promised")
      turns += 1
      demand(turns < 2_000, "the host never falls silent")
      unsafe answer(packet.span.extracting(first: count))
    }
    while host.server.application.ball.nextEvent() != nil {}
    _ = host.deadline
    _ = host.server.application.ball.lights
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
    default:
      demand(false, "a packet of a type that no host sends")
    }
  }

  private mutating func complete(_ opcode: HCIOpcode, parameters: Span<UInt8>) {
    switch opcode {
    case .disconnect:
      let low = UInt8(truncatingIfNeeded: opcode.rawValue)
      let high = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
      demand(parameters.count >= 2, "a disconnection of no link")
      let status: [7 of UInt8] = [0x04, 0x0F, 4, 0x00, 1, low, high]
      let end: [7 of UInt8] = [0x04, 0x05, 4, 0x00, parameters[0], parameters[1], 0x16]
      host.receive(status.span, at: now)
      host.receive(end.span, at: now)
    case .readBDADDR:
      let address: [6 of UInt8] = [1, 0, 0, 0, 0, 0xF0]
      complete(opcode, results: address.span)
    case .leReadBufferSize:
      let buffers: [3 of UInt8] = [UInt8(Self.aclLength), 0, UInt8(Self.aclCount)]
      complete(opcode, results: buffers.span)
    case .leReadLocalSupportedFeatures:
      let features: [8 of UInt8] = [0x20, 0x01, 0, 0, 0, 0, 0, 0]
      complete(opcode, results: features.span)
    default:
      complete(opcode, results: Span())
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

  /// Follows the frames that the data is fragments of, and checks them.
  private mutating func take(_ data: Span<UInt8>, isFirst: Bool, handle: UInt16) {
    demand(!data.isEmpty, "an ACL packet with nothing in it")
    guard followsLinks, (0x40...0x43).contains(handle) else { return }
    let link = Int(handle - 0x40)
    if isFirst {
      demand(frames[link].missing == 0, "a frame begins within another")
      demand(data.count >= 4, "a frame without a header")
      frames[link] = SentFrame(header: data)
    } else {
      demand(frames[link].missing > 0, "a fragment of no frame")
    }
    let rest = isFirst ? data.extracting(4...) : data
    if frames[link].missing == frames[link].length, !rest.isEmpty { frames[link].first = rest[0] }
    demand(rest.count <= frames[link].missing, "more data than the frame states")
    frames[link].missing -= rest.count
    if frames[link].missing == 0 { check(frames[link]) }
  }

  private mutating func check(_ frame: SentFrame) {
    switch frame.channel {
    case 0x0004:
      demand(frame.length > 0, "an ATT PDU of no bytes")
      demand(frame.length <= 517, "an ATT PDU longer than any MTU")
      demand(frame.first & 1 == 1, "a request or a command from a server")
      if frame.first != 0x1B && frame.first != 0x1D { responses += 1 }
    case 0x0005:
      demand(frame.length >= 4, "a signalling command without a header")
    case 0x0006:
      demand(frame.length == 2 && frame.first == 0x05, "anything but a refusal to pair")
    default:
      demand(false, "a frame on a channel that is not ours")
    }
  }
}

/// What the checks need of a frame that the host is sending.
private struct SentFrame {
  /// The length of its payload.
  var length = 0
  var channel: UInt16 = 0
  /// The first byte of its payload.
  var first: UInt8 = 0
  /// How many bytes of its payload are still to come.
  var missing = 0

  init() {}

  /// A frame of which this header has come.
  init(header: Span<UInt8>) {
    length = Int(header[0]) | Int(header[1]) << 8
    channel = UInt16(header[2]) | UInt16(header[3]) << 8
    missing = length
  }
}

/// Stops the program unless the condition holds, and says which it was: a precondition's message is
/// lost where code is optimised.
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
