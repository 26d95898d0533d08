// The ground that every fuzzer stands on: a ball's host, and a controller that takes what it gives
// and checks it. Compiled by scripts/fuzz as one module with the core.

import Glibc

/// A host of four places, and its controller. A condition that does not hold stops the program,
/// which is how a fuzzer tells of it.
struct Ground: ~Copyable {
  private var host: Host<4, GATTDatabase<32>, HesitantBall>
  private(set) var now = Instant(rawValue: 1)
  /// Whether the controller answers commands and gives back its buffers.
  var isObliging = true
  /// Whether links end only when they are told to, so that what goes out on them can be followed.
  var followsLinks = true
  /// The ATT responses that went out since this was last set to 0.
  var responses = 0
  private var frames = InlineArray<4, [UInt8]>(repeating: [])

  static let aclLength = 27
  static let aclCount = 4

  init() {
    let name = DeviceName(StaticText("8-Ball"))
    host = Host(
      configuration: HostConfiguration(name: name, service: .ballService, address: .public),
      database: BallProfile.database, application: HesitantBall())
    host.start(at: now)
  }

  /// Starts over, as after a lost radio.
  mutating func restart() {
    host.radioLost()
    host.start(at: now)
    for link in 0..<4 { frames[link] = [] }
  }

  /// Whether requests that reach the ball are put off.
  var hesitates: Bool {
    get { host.application.hesitates }
    set { host.application.hesitates = newValue }
  }

  /// The requests that were put off can be answered.
  mutating func resume() {
    for place in -1...4 { host.resume(at: place) }
    drain()
  }

  /// The services from one handle to another are told to have changed.
  mutating func change(_ start: UInt8, _ end: UInt8) {
    host.databaseChanged(
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
  mutating func receive(_ packet: [UInt8]) {
    host.receive(packet.span, at: now)
    drain()
  }

  /// A central connects: `link` is 0 to 3, and its handle 0x40 more.
  mutating func connect(_ link: UInt8) {
    frames[Int(link)] = []
    receive(
      [0x04, 0x3E, 19, 0x01, 0x00, 0x40 + link, 0x00, 0x01, 0x01]
        + [link, 0, 0, 0, 0, 0xC0] + [0x18, 0, 0, 0, 0x48, 0, 0])
  }

  /// One L2CAP frame on a fixed channel of this link, in one ACL packet.
  mutating func receive(frame: ArraySlice<UInt8>, channel: UInt8, link: UInt8) {
    let length = UInt16(truncatingIfNeeded: frame.count)
    let l2cap = [UInt8(truncatingIfNeeded: length), UInt8(length >> 8), channel, 0x00] + frame
    receive(fragment: l2cap[...], boundary: 0b10, link: link)
  }

  /// One ACL packet.
  mutating func receive(fragment: ArraySlice<UInt8>, boundary: UInt8, link: UInt8) {
    let length = UInt16(truncatingIfNeeded: fragment.count)
    receive(
      [0x02, 0x40 + link, boundary << 4, UInt8(truncatingIfNeeded: length), UInt8(length >> 8)]
        + fragment)
  }

  /// Takes the host's packets until it has none. It must come to an end.
  private mutating func drain() {
    var turns = 0
    while let packet = nextPacket() {
      turns += 1
      demand(turns < 2_000, "the host never falls silent")
      answer(packet)
    }
    while host.application.ball.nextEvent() != nil {}
    _ = host.deadline
    _ = host.application.ball.lights
  }

  private mutating func nextPacket() -> [UInt8]? {
    var storage = InlineArray<526, UInt8>(repeating: 0)
    var writer = ByteWriter(storage.mutableSpan)
    guard host.nextPacket(into: &writer, at: now) else {
      demand(writer.count == 0, "no packet, and yet some bytes")
      return nil
    }
    demand(!writer.hasOverflowed, "a packet longer than was promised")
    let count = writer.count
    return (0..<count).map { storage[$0] }
  }

  // MARK: The controller

  private mutating func answer(_ packet: [UInt8]) {
    demand(packet.count >= 4, "a packet without a header")
    let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    switch packet[0] {
    case 0x01:
      demand(packet.count == 4 + Int(packet[3]), "a command of the wrong length")
      guard isObliging else { return }
      complete(HCIOpcode(rawValue: opcode), parameters: packet[4...])
    case 0x02:
      let length = Int(packet[3]) | Int(packet[4]) << 8
      demand(packet.count == 5 + length, "data of the wrong length")
      take(packet[5...], isFirst: packet[2] & 0x30 != 0x10, handle: opcode & 0x0FFF)
      guard isObliging else { return }
      let credit = [0x04, 0x13, 5, 1, packet[1], packet[2] & 0x0F, 1, 0]
      host.receive(credit.span, at: now)
    default:
      demand(false, "a packet of a type that no host sends")
    }
  }

  private mutating func complete(_ opcode: HCIOpcode, parameters: ArraySlice<UInt8>) {
    let low = UInt8(truncatingIfNeeded: opcode.rawValue)
    let high = UInt8(truncatingIfNeeded: opcode.rawValue >> 8)
    var results: [UInt8] = [0x00]
    switch opcode {
    case .disconnect:
      host.receive([0x04, 0x0F, 4, 0x00, 1, low, high].span, at: now)
      let handle = Array(parameters.prefix(2))
      host.receive(([0x04, 0x05, 4, 0x00] + handle + [0x16]).span, at: now)
      return
    case .readBDADDR:
      results += [1, 0, 0, 0, 0, 0xF0]
    case .leReadBufferSize:
      results += [UInt8(Self.aclLength), 0, UInt8(Self.aclCount)]
    case .leReadLocalSupportedFeatures:
      results += [0x20, 0x01, 0, 0, 0, 0, 0, 0]
    default:
      break
    }
    let event = [0x04, 0x0E, UInt8(3 + results.count), 1, low, high] + results
    host.receive(event.span, at: now)
  }

  // MARK: The peers

  /// Puts frames together from data, and checks them.
  private mutating func take(_ data: ArraySlice<UInt8>, isFirst: Bool, handle: UInt16) {
    demand(!data.isEmpty, "an ACL packet with nothing in it")
    guard followsLinks, (0x40...0x43).contains(handle) else { return }
    let link = Int(handle - 0x40)
    if isFirst {
      demand(frames[link].isEmpty, "a frame begins within another")
      demand(data.count >= 4, "a frame without a header")
    }
    frames[link] += data
    let length = Int(frames[link][0]) | Int(frames[link][1]) << 8
    demand(frames[link].count <= 4 + length, "more data than the frame states")
    guard frames[link].count == 4 + length else { return }
    check(frames[link][4...], channel: UInt16(frames[link][2]) | UInt16(frames[link][3]) << 8)
    frames[link] = []
  }

  private mutating func check(_ payload: ArraySlice<UInt8>, channel: UInt16) {
    switch channel {
    case 0x0004:
      demand(!payload.isEmpty, "an ATT PDU of no bytes")
      let opcode = payload.first ?? 0
      demand(payload.count <= 517, "an ATT PDU longer than any MTU")
      demand(opcode & 1 == 1, "a request or a command from a server")
      if opcode != 0x1B && opcode != 0x1D { responses += 1 }
    case 0x0005:
      demand(payload.count >= 4, "a signalling command without a header")
    case 0x0006:
      demand(payload.count == 2 && payload.first == 0x05, "anything but a refusal to pair")
    default:
      demand(false, "a frame on a channel that is not ours")
    }
  }
}

/// A ball that puts off what it is asked, while it hesitates.
struct HesitantBall: GATTApplication, ~Copyable {
  var ball = Ball<4>(seed: 8)
  var hesitates = false

  mutating func centralConnected(at place: Int, address: DeviceAddress) {
    ball.centralConnected(at: place, address: address)
  }

  mutating func centralDisconnected(at place: Int, reason: HCIErrorCode) {
    ball.centralDisconnected(at: place, reason: reason)
  }

  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at place: Int, to configuration: ClientConfiguration
  ) {
    ball.configurationChanged(of: attribute, at: place, to: configuration)
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at place: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if hesitates { throw .later }
    try ball.read(attribute, at: place, from: offset, into: &value)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at place: Int
  ) throws(GATTRefusal) {
    try ball.write(value, to: attribute, at: place)
  }

  mutating func endWrite(at place: Int, isCommand: Bool) throws(GATTRefusal) {
    if hesitates { throw .later }
  }

  func pendingUpdate(at place: Int) -> ApplicationAttribute? { ball.pendingUpdate(at: place) }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at place: Int, into value: inout ByteWriter
  ) {
    ball.writeUpdate(of: attribute, at: place, into: &value)
  }

  mutating func radioChanged(to state: RadioState) { ball.radioChanged(to: state) }
}

/// Stops the program unless the condition holds, and says which it was: a precondition's message is
/// lost where code is optimised.
func demand(_ condition: Bool, _ fault: StaticString) {
  guard !condition else { return }
  print("FAULT: \(fault)")
  fflush(nil)
  fatalError()
}

/// Cuts a fuzzer's input into pieces, each behind its own tag and length.
struct Pieces {
  private var rest: ArraySlice<UInt8>

  init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    rest = unsafe Array(UnsafeBufferPointer(start: start, count: count))[...]
  }

  /// The next tag byte, and the bytes that its length byte counts: as many as are left if they are
  /// fewer.
  mutating func next() -> (tag: UInt8, bytes: ArraySlice<UInt8>)? {
    guard let tag = rest.popFirst(), let length = rest.popFirst() else { return nil }
    let bytes = rest.prefix(Int(length))
    rest = rest.dropFirst(bytes.count)
    return (tag, bytes)
  }
}
