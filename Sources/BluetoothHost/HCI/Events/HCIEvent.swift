/// An HCI event, which a controller writes and a host reads.
public protocol HCIEvent: Sendable {
  /// The event's code.
  static var code: HCIEventCode { get }

  /// Reads the parameters; `nil` if they are too short. It ignores further bytes: later versions of
  /// the specification append parameters to events.
  init?(_ reader: inout ByteReader)

  /// Writes the parameters.
  func writeParameters(to writer: inout ByteWriter)
}

extension HCIEvent {
  /// Reads an event's parameters from the bytes that follow its header.
  public init?(parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    self.init(&reader)
  }

  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(Self.code.rawValue)
    let lengthOffset = writer.count
    writer.write(UInt8(0))
    writeParameters(to: &writer)
    writer.patch(UInt8(truncatingIfNeeded: writer.count - lengthOffset - 1), at: lengthOffset)
  }
}

/// An LE Meta event, without its subevent byte.
///
/// Core Specification, Vol 4, Part E, 7.7.65.
public protocol LEMetaEvent: Sendable {
  /// The LE Meta subevent.
  static var subevent: LEMetaSubevent { get }

  /// Writes the parameters after the subevent.
  func writeParameters(to writer: inout ByteWriter)
}

extension LEMetaEvent {
  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.event.rawValue)
    writer.write(HCIEventCode.leMeta.rawValue)
    let lengthOffset = writer.count
    writer.write(UInt8(0))
    writer.write(Self.subevent.rawValue)
    writeParameters(to: &writer)
    writer.patch(UInt8(truncatingIfNeeded: writer.count - lengthOffset - 1), at: lengthOffset)
  }
}
