/// The next element of a stream of H4 packets.
public enum H4Element: ~Escapable {
  /// One whole packet, its type byte first. It refers to the input, or to the decoder if it arrived
  /// in pieces, and is valid until the next call of the decoder.
  case packet(Span<UInt8>)
  /// The input is used up. A packet at its end, if any, is incomplete.
  case incomplete
  /// A packet of `length` bytes with its type byte, more than the decoder's capacity. The decoder
  /// skips all of it, and then continues.
  case tooLong(HCIPacketType, length: Int)
  /// This byte is not a packet type, so the start of the next packet is unknown. The decoder discards
  /// input until `reset()`. With H4 the only remedy is to reopen the stream.
  case lostSync(UInt8)
}

/// Splits a stream of bytes, in pieces of any size, into H4 packets.
/// Core Specification, Vol 4, Part A, 2: a type byte, then an HCI packet with its length in its
/// header. `capacity` is the longest packet in bytes, with its type byte.
public struct H4StreamDecoder<let capacity: Int>: ~Copyable {
  private var buffer = ByteBuffer<capacity>()
  private var step = Step.type
  /// The number of bytes in `buffer` at the end of the step.
  private var target = 1

  private enum Step {
    /// Waits for the type byte.
    case type
    /// Waits for the rest of the header.
    case header
    /// Waits for the rest of the packet.
    case body
    /// The packet was returned; the next call clears it.
    case handedOut
    /// Skips this many bytes of a packet that is too long.
    case skipping(Int)
    /// Got a byte that is not a packet type.
    case lost(UInt8)
  }

  /// Creates a decoder at the start of a packet.
  public init() {}

  /// Discards its content: the next byte begins a packet.
  public mutating func reset() {
    buffer.removeAll()
    step = .type
    target = 1
  }

  /// Whether no packet is incomplete, so that the stream may end here.
  public var isBetweenPackets: Bool {
    switch step {
    case .type, .handedOut: true
    default: false
    }
  }

  /// Takes bytes from the front of `input` up to the end of the next packet.
  ///
  /// Call it again with the same input until it returns `incomplete`.
  @_lifetime(&self, copy input) public mutating func next(from input: inout ByteReader) -> H4Element
  {
    if isBetweenPackets, let packet = input.readH4Packet(limit: capacity) { return .packet(packet) }
    return nextInPieces(from: &input)
  }

  @_lifetime(&self) @inline(never) private mutating func nextInPieces(from input: inout ByteReader)
    -> H4Element
  {
    while true {
      switch step {
      case .handedOut: reset()
      case .skipping(let length):
        let skipped = min(length, input.count)
        _ = input.readBytes(skipped)
        guard skipped == length else {
          step = .skipping(length - skipped)
          return .incomplete
        }
        reset()
      case .lost(let byte):
        guard !input.isEmpty else { return .incomplete }
        _ = input.readRemaining()
        return .lostSync(byte)
      case .type:
        guard let byte = input.readUInt8() else { return .incomplete }
        let type = HCIPacketType(rawValue: byte)
        guard let headerLength = type.headerLength else {
          step = .lost(byte)
          _ = input.readRemaining()
          return .lostSync(byte)
        }
        keep(byte)
        target = headerLength
        step = .header
      case .header:
        guard fill(from: &input) else { return .incomplete }
        var reader = ByteReader(buffer.span)
        guard let (type, bodyLength) = reader.readH4Header() else { return .incomplete }
        target += bodyLength
        guard target <= capacity else {
          step = .skipping(bodyLength)
          return .tooLong(type, length: target)
        }
        step = .body
      case .body:
        guard fill(from: &input) else { return .incomplete }
        step = .handedOut
        return .packet(buffer.span)
      }
    }
  }

  private mutating func keep(_ byte: UInt8) { buffer.write { $0.write(byte) } }

  /// Takes bytes up to the step's target; `false` if the input ends first.
  private mutating func fill(from input: inout ByteReader) -> Bool {
    let length = min(target - buffer.count, input.count)
    if let bytes = input.readBytes(length), !buffer.append(bytes) { return false }
    return buffer.count == target
  }
}

extension ByteReader {
  /// Reads the event or ACL packet at the front, its type byte first; `nil`, without a change, if
  /// it is incomplete, longer than `limit` bytes, or of another, rarer type.
  @_lifetime(copy self) @inline(__always) fileprivate mutating func readH4Packet(limit: Int)
    -> Span<UInt8>?
  {
    var rest = self
    let length: Int
    switch rest.readUInt8() {
    case HCIPacketType.event.rawValue?:
      guard let header = rest.readUInt16() else { return nil }
      length = 3 &+ Int(header &>> 8)
    case HCIPacketType.acl.rawValue?:
      guard let header = rest.readUInt32() else { return nil }
      length = 5 &+ Int(header &>> 16)
    default: return nil
    }
    return length <= limit ? readBytes(length) : nil
  }

  /// Reads a type byte and the header after it, with the length of the body in bytes; `nil` if it
  /// is incomplete, or the type unknown.
  @_lifetime(self: copy self) fileprivate mutating func readH4Header() -> (
    HCIPacketType, bodyLength: Int
  )? {
    guard let byte = readUInt8() else { return nil }
    let type = HCIPacketType(rawValue: byte)
    switch type {
    case .event:
      _ = readUInt8()
      return readUInt8().map { (type, Int($0)) }
    case .command, .sco:
      _ = readUInt16()
      return readUInt8().map { (type, Int($0)) }
    case .acl:
      _ = readUInt16()
      return readUInt16().map { (type, Int($0)) }
    case .iso:
      // The top two bits are reserved: Vol 4, Part E, 5.4.5.
      _ = readUInt16()
      return readUInt16().map { (type, Int($0 & 0x3FFF)) }
    default: return nil
    }
  }
}

extension HCIPacketType {
  /// The length of H4's type byte and the packet's header, in bytes; `nil` if the byte is not a packet
  /// type: Core Specification, Vol 4, Part E, 5.4.
  fileprivate var headerLength: Int? {
    switch self {
    case .event: 1 + 1 + 1  // type, event code, length
    case .command, .sco: 1 + 2 + 1  // type, opcode or handle, length
    case .acl, .iso: 1 + 2 + 2  // type, handle, length
    default: nil
    }
  }
}
