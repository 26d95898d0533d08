/// The packet type, which H4 puts before each packet. Core Specification, Vol 4, Part A, 2. The
/// Linux HCI user channel uses the same byte.
public struct HCIPacketType: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// From host to controller.
  public static let command = HCIPacketType(rawValue: 0x01)
  /// In both directions.
  public static let acl = HCIPacketType(rawValue: 0x02)
  /// Audio over BR/EDR. Not used here, but a stream decoder can skip it.
  public static let sco = HCIPacketType(rawValue: 0x03)
  /// From controller to host.
  public static let event = HCIPacketType(rawValue: 0x04)
  /// LE audio. Not used here, but a stream decoder can skip it.
  public static let iso = HCIPacketType(rawValue: 0x05)
}

/// A packet between host and controller; its parameters are not copied:
/// Core Specification, Vol 4, Part E, 5.4, with H4's type byte (Vol 4, Part A, 2) before it.
public enum HCIPacket: ~Escapable {
  /// A command and its parameters.
  case command(HCIOpcode, parameters: Span<UInt8>)
  /// A fragment of an L2CAP frame.
  case acl(ACLHeader, data: Span<UInt8>)
  /// An event and its parameters.
  case event(HCIEventCode, parameters: Span<UInt8>)

  /// Reads one whole packet; `nil` if its length is wrong, or its type none of these three.
  @inlinable @inline(__always) @_lifetime(copy bytes) public init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let type = reader.readUInt8() else { return nil }
    switch HCIPacketType(rawValue: type) {
    case .command:
      guard let opcode = reader.readUInt16(), let length = reader.readUInt8(),
        Int(length) == reader.count
      else { return nil }
      self = .command(HCIOpcode(rawValue: opcode), parameters: reader.readRemaining())
    case .acl:
      guard let header = ACLHeader(&reader), let length = reader.readUInt16(),
        Int(length) == reader.count
      else { return nil }
      self = .acl(header, data: reader.readRemaining())
    case .event:
      guard let code = reader.readUInt8(), let length = reader.readUInt8(),
        Int(length) == reader.count
      else { return nil }
      self = .event(HCIEventCode(rawValue: code), parameters: reader.readRemaining())
    default: return nil
    }
  }
}

/// The first two bytes of an ACL packet: the link, and whether a frame starts.
/// Core Specification, Vol 4, Part E, 5.4.2.
public struct ACLHeader: Equatable, Sendable {
  /// The packet boundary flag.
  public struct Boundary: RawRepresentable, Equatable, Sendable {
    /// The value in the packet.
    public var rawValue: UInt8

    /// Any value, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The start of a frame, from the host.
    public static let firstNonFlushable = Boundary(rawValue: 0b00)
    /// A continuation of a frame.
    public static let continuing = Boundary(rawValue: 0b01)
    /// The start of a frame, from the controller.
    public static let firstFlushable = Boundary(rawValue: 0b10)
  }

  /// The length in bytes of H4's type byte, the header and the data length field.
  public static let packetHeaderLength = 5

  /// The link.
  public var handle: ConnectionHandle
  /// Whether a frame starts.
  public var boundary: Boundary

  /// Creates a header for a packet of this link.
  public init(handle: ConnectionHandle, boundary: Boundary) {
    self.handle = handle
    self.boundary = boundary
  }

  /// Reads two bytes. It ignores the broadcast flag, since LE has no broadcast.
  @inlinable public init?(_ reader: inout ByteReader) {
    guard let field = reader.readUInt16() else { return nil }
    handle = ConnectionHandle(rawValue: field & 0x0FFF)
    boundary = Boundary(rawValue: UInt8(truncatingIfNeeded: (field >> 12) & 0b11))
  }

  /// Writes a whole ACL packet that carries `data`, H4's type byte first.
  public func writePacket(_ data: Span<UInt8>, to writer: inout ByteWriter) {
    write(dataLength: data.count, to: &writer)
    writer.write(data)
  }

  /// Writes the start of an ACL packet, H4's type byte first; `dataLength` bytes follow.
  public func write(dataLength: Int, to writer: inout ByteWriter) {
    writer.write(HCIPacketType.acl.rawValue, word(dataLength: dataLength))
  }

  /// The header as a number: two bytes of handle and flags, then two of length.
  @inlinable func word(dataLength: Int) -> UInt32 {
    let field = (handle.rawValue & 0x0FFF) | UInt16(boundary.rawValue & 0b11) << 12
    return UInt32(field) | UInt32(truncatingIfNeeded: dataLength) << 16
  }
}

/// The controller's handle of a link: 12 bits, in the range 0x0000 to 0x0EFF.
/// Core Specification, Vol 4, Part E, 5.4.2.
public struct ConnectionHandle: RawRepresentable, Equatable, Hashable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt16

  /// Any value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Reads a handle from two bytes, without any flags in the top four bits.
  public init?(_ reader: inout ByteReader) {
    guard let rawValue = reader.readUInt16() else { return nil }
    self.rawValue = rawValue & 0x0FFF
  }
}
