/// The parameters of one event, as a controller writes them and a host reads them.
public protocol HCIEvent: Sendable {
  /// Which event it is.
  static var code: HCIEventCode { get }

  /// Reads the parameters; `nil` if they are too short. What is left over is ignored: later
  /// versions of the specification add parameters to the end of an event.
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

/// The parameters of one LE Meta event, after its subevent byte.
///
/// Core Specification, Vol 4, Part E, 7.7.65.
public protocol LEMetaEvent: Sendable {
  /// Which LE event it is.
  static var subevent: LEMetaSubevent { get }

  /// Reads the parameters after the subevent; `nil` if they are too short.
  init?(_ reader: inout ByteReader)

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
