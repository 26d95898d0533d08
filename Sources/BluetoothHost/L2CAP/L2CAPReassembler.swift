/// A channel identifier (CID): the protocol of a frame, or a dynamic channel.
/// Core Specification, Vol 3, Part A, 2.1. An open set: a peer may send any value.
public struct L2CAPChannel: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The attribute protocol.
  public static let att = L2CAPChannel(rawValue: 0x0004)
  /// LE L2CAP signalling.
  public static let leSignalling = L2CAPChannel(rawValue: 0x0005)
  /// The Security Manager Protocol.
  public static let securityManager = L2CAPChannel(rawValue: 0x0006)

  /// The short name of the channel's protocol; `nil` for a dynamic channel, or an unknown one.
  public var name: StaticString? {
    switch self {
    case .att: "ATT"
    case .leSignalling: "signalling"
    case .securityManager: "SMP"
    default: nil
    }
  }
}

/// Reassembles the L2CAP frames of one link from the fragments in ACL packets.
/// Core Specification, Vol 3, Part A, 3.1 and 7.2. `capacity` is the longest frame in bytes, with
/// its four-byte header; a longer one is skipped. A continuation without a start is dropped, and a
/// new start discards an incomplete frame.
public struct L2CAPReassembler<let capacity: Int>: ~Copyable {
  private var buffer = ByteBuffer<capacity>()
  /// How many bytes of the frame in `buffer` are missing; 0 if there is none.
  private var missing = 0

  /// Creates a reassembler that waits for a start.
  public init() {}

  /// Discards an incomplete frame.
  public mutating func reset() {
    buffer.removeAll()
    missing = 0
  }

  /// Stores a whole ACL packet of an unknown link, if there is room.
  mutating func store(_ header: ACLHeader, _ data: Span<UInt8>) {
    guard ACLHeader.packetHeaderLength + data.count <= buffer.freeCapacity else { return }
    var start = ByteBuffer<5>()
    start.write { header.write(dataLength: data.count, to: &$0) }
    _ = buffer.append(start.span)
    _ = buffer.append(data)
  }

  /// Copies the stored packets.
  func copyStored(to copy: inout ByteBuffer<capacity>) { _ = copy.assign(buffer.span) }

  /// Takes one fragment, and passes the frame that it completes to `body`. A frame in a single
  /// fragment is passed without a copy.
  @inline(__always) mutating func receive(
    _ fragment: Span<UInt8>, startsFrame: Bool, _ body: (borrowing L2CAPFrame) -> Void
  ) {
    if startsFrame, fragment.count <= capacity, let frame = L2CAPFrame(fragment), frame.isComplete {
      missing = 0
      body(frame)
    } else if append(fragment, startsFrame: startsFrame), let frame = L2CAPFrame(buffer.span) {
      body(frame)
    }
  }

  /// Appends a fragment; true if it completes a frame.
  @inline(never) private mutating func append(_ fragment: Span<UInt8>, startsFrame: Bool) -> Bool {
    if startsFrame { buffer.removeAll() } else if missing == 0 { return false }
    guard buffer.append(fragment), let missing = measure() else {
      // Longer than its header says, or than `capacity`: skips to the next start.
      missing = 0
      return false
    }
    self.missing = missing
    return missing == 0
  }

  /// The channel of a frame that is longer than `capacity`; `nil` if there is none. Each such frame
  /// is returned once. Call it after `receive`, with the same arguments.
  mutating func takeOverlong(_ fragment: Span<UInt8>, startsFrame: Bool) -> L2CAPChannel? {
    guard missing == 0 else { return nil }
    // A single fragment that is too long is not in the buffer.
    let isAlone = startsFrame && fragment.count > capacity
    guard let channel = isAlone ? overlongChannel(of: fragment) : overlongChannel(of: buffer.span)
    else { return nil }
    buffer.removeAll()
    return channel
  }

  private func overlongChannel(of start: Span<UInt8>) -> L2CAPChannel? {
    var reader = ByteReader(start)
    guard let length = reader.readUInt16(), let channel = reader.readUInt16(),
      L2CAPFrame.headerLength + Int(length) > capacity
    else { return nil }
    return L2CAPChannel(rawValue: channel)
  }

  /// How many bytes of the frame are missing; at least 1 while its header is incomplete; `nil` for
  /// an invalid frame.
  private func measure() -> Int? {
    var reader = ByteReader(buffer.span)
    guard buffer.count >= L2CAPFrame.headerLength, let length = reader.readUInt16() else {
      return 1
    }
    let total = L2CAPFrame.headerLength + Int(length)
    return total <= capacity && buffer.count <= total ? total - buffer.count : nil
  }
}

/// A frame, or the start of one, without a copy: Core Specification, Vol 3, Part A, 3.1.
struct L2CAPFrame: ~Escapable {
  /// The length of a frame's header in bytes: two of length, two of channel.
  static var headerLength: Int { 4 }

  /// The number of bytes before the payload in a frame's first ACL packet: H4's type byte, the ACL
  /// header and the frame's header.
  static var packetHeaderLength: Int { 9 }

  /// Writes the start of an ACL packet, and `first`, the first bytes of a frame's payload.
  @inline(__always) static func writeStart(
    on handle: ConnectionHandle, _ channel: L2CAPChannel, payloadLength: Int, _ first: Span<UInt8>,
    to writer: inout ByteWriter
  ) {
    writer.write(
      HCIPacketType.acl.rawValue,
      header(on: handle, channel, payloadLength: payloadLength, size: first.count), first)
  }

  /// Writes the start of an ACL packet before a whole payload of `length` bytes that is already in
  /// place.
  @inline(__always) static func writeStart(
    on handle: ConnectionHandle, _ channel: L2CAPChannel, before length: Int,
    to writer: inout ByteWriter
  ) {
    writer.write(
      HCIPacketType.acl.rawValue, header(on: handle, channel, payloadLength: length, size: length),
      before: length)
  }

  /// The ACL header and the frame's header, as they are sent.
  @inline(__always) private static func header(
    on handle: ConnectionHandle, _ channel: L2CAPChannel, payloadLength: Int, size: Int
  ) -> UInt64 {
    let acl = ACLHeader(handle: handle, boundary: .firstNonFlushable).word(
      dataLength: headerLength &+ size)
    // The payload's length, then the channel, two bytes each.
    let frame = UInt32(truncatingIfNeeded: payloadLength) | UInt32(channel.rawValue) << 16
    return UInt64(widening: acl) | UInt64(widening: frame) &<< 32
  }

  let channel: L2CAPChannel
  /// The available bytes of the payload.
  let payload: Span<UInt8>
  /// Whether the payload's length is the one in the header.
  let isComplete: Bool

  @inline(__always) @_lifetime(copy bytes) init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let length = reader.readUInt16(), let channel = reader.readUInt16() else { return nil }
    self.channel = L2CAPChannel(rawValue: channel)
    isComplete = reader.count == Int(length)
    payload = reader.readRemaining()
  }
}
