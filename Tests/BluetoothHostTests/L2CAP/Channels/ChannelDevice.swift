import Expectations

@testable import BluetoothHost

/// A device with two links and up to eight channels, and the part of a host that channels use.
final class ChannelDevice<Owner: ChannelApplication> {
  var role: CreditBasedChannels<2, 8, Owner>
  var now = Instant(rawValue: 0)
  var protection = LinkProtection.none
  private var connections: InlineArray<2, Connection> = InlineArray { Connection(index: $0) }
  private var reassemblers: InlineArray<2, L2CAPReassembler<2100>> = InlineArray { _ in
    L2CAPReassembler()
  }
  /// Pending frames with responses, by link.
  private var responses: [[[UInt8]]] = [[], []]
  private var storage = [UInt8](repeating: 0, count: 2200)

  /// A device with the links 0 and 1.
  init(_ owner: Owner, mps: UInt16 = 100) throws {
    role = CreditBasedChannels(application: owner, mps: try #require(ChannelMPS(mps)))
    for link in 0..<2 { connect(link) }
  }

  func connect(_ link: Int) {
    connections[link].handle = ConnectionHandle(rawValue: UInt16(0x40 + link))
    role.opened(connections[link])
  }

  func lose(_ link: Int, reason: HCIErrorCode = .connectionTimeout) {
    role.closed(connections[link], reason: reason)
    connections[link].close()
    reassemblers[link].reset()
    responses[link] = []
  }

  func wait(_ milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    role.advance(to: now)
  }

  func hasPacket(on link: Int) -> Bool {
    !responses[link].isEmpty || role.hasPacket(for: connections[link])
  }

  func isSending(on link: Int = 0) -> Bool { role.isSending(on: connections[link]) }

  // MARK: Packets

  /// The data of the next ACL packet, at most `length` bytes, and whether it starts a frame.
  func nextPacket(on link: Int = 0, length: Int) -> (starts: Bool, data: [UInt8])? {
    if !role.isSending(on: connections[link]), !responses[link].isEmpty {
      return (true, responses[link].removeFirst())
    }
    // A local variable holds the buffer while a writer borrows it.
    var storage: [UInt8] = []
    swap(&storage, &self.storage)
    defer { swap(&storage, &self.storage) }
    var writer = ByteWriter(storage.mutableSpan)
    guard role.writePacket(for: connections[link], length: length, at: now, to: &writer) else {
      expect(writer.count, is: 0)
      return nil
    }
    let count = writer.count
    expect(writer.hasOverflowed, is: false)
    expect(storage[0] == 0x02 && storage[1] == UInt8(0x40 + link))
    expect(Int(storage[3]) | Int(storage[4]) << 8 == count - 5 && count - 5 <= length)
    return (storage[2] == 0x00, Array(storage[5..<count]))
  }

  /// Receives the data of an ACL packet.
  func receive(_ data: [UInt8], starts: Bool, on link: Int = 0) {
    reassemblers[link].receive(data.span, startsFrame: starts) { frame in receive(frame, on: link) }
  }

  /// Receives a frame as a host does.
  private func receive(_ frame: borrowing L2CAPFrame, on link: Int) {
    if frame.channel.isDynamic {
      role.receive(frame.payload, to: frame.channel, on: connections[link])
    } else if frame.channel == .leSignalling, let command = SignallingCommand(frame.payload) {
      let response = written(capacity: 23) { writer in
        let isTaken = role.receive(
          command, on: connections[link], protection: protection, response: &writer)
        if !isTaken {
          _ = Signalling.respond(to: frame.payload, isCentral: false, response: &writer)
        }
      }
      if !response.isEmpty { responses[link].append(l2cap(0x0005, response)) }
    }
  }

  // MARK: The test as the peer

  /// Receives a frame.
  func receive(_ frame: [UInt8], on link: Int = 0) { receive(frame, starts: true, on: link) }

  /// Receives a K-frame on a channel.
  func receive(kFrame payload: [UInt8], to cid: UInt16, on link: Int = 0) {
    receive(l2cap(cid, payload), on: link)
  }

  /// Receives a command.
  func receive(_ code: UInt8, _ identifier: UInt8, _ data: [UInt8], on link: Int = 0) {
    receive(signal(code, identifier, data), on: link)
  }

  /// All frames that it can send now.
  func frames(on link: Int = 0) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    while let packet = nextPacket(on: link, length: 2100) { frames.append(packet.data) }
    return frames
  }
}

extension ChannelDevice where Owner == ChannelOwner {
  /// A device that listens on SPSM 0x0080.
  static func listening(
    _ listener: ChannelListener? = ChannelListener(mtu: .minimum)
  ) throws -> ChannelDevice {
    var owner = ChannelOwner()
    owner.listeners[0x0080] = listener
    return try ChannelDevice(owner)
  }

  /// A device that has sent `count` requests for channels on link 0.
  static func requesting(_ count: Int = 1) throws -> ChannelDevice {
    let device = try ChannelDevice(ChannelOwner())
    for _ in 0..<count { _ = device.role.open(.firstDynamic, mtu: .minimum, at: 0) }
    _ = device.frames()
    return device
  }
}

typealias ChannelScenario = Scenario<ChannelDevice<ChannelOwner>>

extension Step where Subject == ChannelDevice<ChannelOwner> {
  static func receive(_ frame: [UInt8], on link: Int = 0) -> Step {
    Step { $0.receive(frame, on: link) }
  }
  static func receive(kFrame payload: [UInt8], to cid: UInt16, on link: Int = 0) -> Step {
    receive(l2cap(cid, payload), on: link)
  }
  static func receive(
    _ code: UInt8, _ identifier: UInt8, _ data: [UInt8], on link: Int = 0
  ) -> Step { receive(signal(code, identifier, data), on: link) }
  static func wait(_ milliseconds: UInt32) -> Step { Step { $0.wait(milliseconds) } }
  static func lose(_ link: Int, reason: HCIErrorCode) -> Step {
    Step { $0.lose(link, reason: reason) }
  }
  static func open(at link: Int = 0) -> Step {
    Step { _ = $0.role.open(.firstDynamic, mtu: .minimum, at: link) }
  }
  static func open(_ count: Int, mtu: UInt16 = 64, at link: Int = 0) -> Step {
    Step { device in
      let mtu = try #require(ChannelMTU(mtu))
      expect(device.role.open(count, of: .firstDynamic, mtu: mtu, at: link) != nil)
    }
  }
  static func resume(_ channel: Int = 0) -> Step { Step { $0.role.resume(channel) } }
  static func disconnect(_ channel: Int = 0) -> Step { Step { $0.role.disconnect(channel) } }
  static func outgoing(_ sdus: [[UInt8]], on channel: Int = 0) -> Step {
    Step { $0.role.application.outgoing[channel] = sdus }
  }
  static func set<Value: Sendable>(
    _ path: WritableKeyPath<ChannelOwner, Value> & Sendable, _ value: Value
  ) -> Step { Step { $0.role.application[keyPath: path] = value } }
  /// All frames that it sends; their number; they are not checked.
  static func frames(
    _ frames: [UInt8]..., on link: Int = 0, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(frames, line) { $0.frames(on: link) } }
  static func frameCount(
    _ count: Int, on link: Int = 0, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(count, line) { $0.frames(on: link).count } }
  static func drop(on link: Int = 0) -> Step { Step { _ = $0.frames(on: link) } }
  /// The next packet of at most `length` bytes; its number of bytes.
  static func packet(
    _ length: Int, _ data: [UInt8], at line: SourceLocation = #_sourceLocation
  ) -> Step { check(data, line) { $0.nextPacket(length: length)?.data } }
  static func packet(
    _ length: Int, count: Int, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(count, line) { $0.nextPacket(length: length)?.data.count } }
  static func hasPacket(_ isSo: Bool, at line: SourceLocation = #_sourceLocation) -> Step {
    check(isSo, line) { $0.hasPacket(on: 0) }
  }
  static var forgetEvents: Step { Step { $0.role.application.events = [] } }
  static func events(
    _ events: ChannelEvent..., at line: SourceLocation = #_sourceLocation
  ) -> Step { check(events, line) { $0.role.application.events } }
  static func lastEvent(_ event: ChannelEvent, at line: SourceLocation = #_sourceLocation) -> Step {
    check(event, line) { $0.role.application.events.last }
  }
  static func incoming(
    _ sdus: [Int: [[UInt8]]], at line: SourceLocation = #_sourceLocation
  ) -> Step { check(sdus, line) { $0.role.application.incoming } }
  /// The number of channels.
  static func count(_ count: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    check(count, line) { $0.role.count }
  }
  static func deadline(_ time: UInt64?, at line: SourceLocation = #_sourceLocation) -> Step {
    check(time, line) { $0.role.deadline?.rawValue }
  }
}

/// A frame with its header.
func l2cap(_ cid: UInt16, _ payload: [UInt8]) -> [UInt8] {
  Array(little: UInt16(payload.count)) + Array(little: cid) + payload
}

/// A frame with a signalling command.
func signal(_ code: UInt8, _ identifier: UInt8, _ data: [UInt8]) -> [UInt8] {
  l2cap(0x0005, [code, identifier] + Array(little: UInt16(data.count)) + data)
}

/// Numbers of two bytes each, low byte first.
func words(_ values: UInt16...) -> [UInt8] { values.flatMap { Array(little: $0) } }
