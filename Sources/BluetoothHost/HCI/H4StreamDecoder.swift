/// What came next out of a stream of H4 packets.
public enum H4Element: ~Escapable {
  /// One whole packet, its type byte first: where it lies in the input, or in the decoder if it came in
  /// pieces. It is good until the decoder is next asked.
  case packet(Span<UInt8>)
  /// The input is used up, and the packet that it began, if any, is not whole yet.
  case incomplete
  /// A packet of `length` bytes, type byte included, which is more than the decoder holds. It is
  /// skipped whole, and the packets after it are read as ever.
  case tooLong(HCIPacketType, length: Int)
  /// A packet cannot begin with this byte, so where the next one begins is unknown: the input is
  /// thrown away until `reset()`. H4 has no way back but to open the stream again.
  case lostSync(UInt8)
}

/// Cuts a stream of bytes, which may arrive in any pieces, into H4 packets.
///
/// Core Specification, Vol 4, Part A, 2: a type byte, then an HCI packet, whose header tells its
/// length. `capacity` is the longest packet it can hold, type byte included.
public struct H4StreamDecoder<let capacity: Int>: ~Copyable {
  private var buffer = ByteBuffer<capacity>()
  private var step = Step.type
  /// The bytes that `buffer` holds when the step is done.
  private var target = 1

  private enum Step {
    /// Waits for the type byte.
    case type
    /// Waits for the rest of the header.
    case header
    /// Waits for the rest of the packet.
    case body
    /// Has handed the packet out, and clears it at the next call.
    case handedOut
    /// Passes over this many bytes of a packet that is too long.
    case skipping(Int)
    /// Has met a byte that begins no packet.
    case lost(UInt8)
  }

  /// A decoder at the start of a packet.
  public init() {}

  /// Forgets what it holds: the next byte begins a packet.
  public mutating func reset() {
    buffer.removeAll()
    step = .type
    target = 1
  }

  /// Whether the stream may end here: no packet has begun that is not whole.
  public var isBetweenPackets: Bool {
    switch step {
    case .type, .handedOut: true
    default: false
    }
  }

  /// Takes bytes from the front of `input` up to the end of the next packet.
  ///
  /// Ask again, with the same input, until it answers `incomplete`.
  @_lifetime(&self, copy input)
  public mutating func next(from input: inout ByteReader) -> H4Element {
    if isBetweenPackets, let packet = input.readH4Packet(limit: capacity) { return .packet(packet) }
    return nextInPieces(from: &input)
  }

  @_lifetime(&self)
  @inline(never)
  private mutating func nextInPieces(from input: inout ByteReader) -> H4Element {
    while true {
      switch step {
      case .handedOut:
        reset()
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

  private mutating func keep(_ byte: UInt8) {
    buffer.write { $0.write(byte) }
  }

  /// Takes bytes until the step's target is reached; `false` if the input ends before.
  private mutating func fill(from input: inout ByteReader) -> Bool {
    let length = min(target - buffer.count, input.count)
    if let bytes = input.readBytes(length), !buffer.append(bytes) { return false }
    return buffer.count == target
  }
}

extension ByteReader {
  /// Reads the event or the ACL packet at the front, its type byte first; `nil`, and nothing moves, if it
  /// is not whole, is longer than `limit` bytes, or is of another type, which is rare.
  @_lifetime(copy self)
  @inline(__always)
  fileprivate mutating func readH4Packet(limit: Int) -> Span<UInt8>? {
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

  /// Reads a type byte and the header after it, which has the length of the body, in bytes; `nil` if it
  /// is not whole, or begins with no type.
  @_lifetime(self: copy self)
  fileprivate mutating func readH4Header() -> (HCIPacketType, bodyLength: Int)? {
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
    default:
      return nil
    }
  }
}

extension HCIPacketType {
  /// The length of H4's type byte and the packet's header, in bytes; `nil` for a byte that begins
  /// no packet.
  ///
  /// Core Specification, Vol 4, Part E, 5.4.
  fileprivate var headerLength: Int? {
    switch self {
    case .event: 1 + 1 + 1  // type, event code, length
    case .command, .sco: 1 + 2 + 1  // type, opcode or handle, length
    case .acl, .iso: 1 + 2 + 2  // type, handle, length
    default: nil
    }
  }
}
