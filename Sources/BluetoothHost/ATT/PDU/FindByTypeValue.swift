/// Asks which attributes of a 16-bit type have a given value: how a client finds one service.
///
/// Core Specification, Vol 3, Part F, 3.4.3.3.
public struct FindByTypeValueRequest: ~Escapable {
  /// The handles of interest.
  public var range: AttributeHandleRange
  /// The attributes' type.
  public var type: UInt16
  /// The attributes' value.
  public var value: Span<UInt8>

  /// A PDU with these parameters.
  @_lifetime(copy value)
  public init(range: AttributeHandleRange, type: UInt16, value: Span<UInt8>) {
    self.range = range
    self.type = type
    self.value = value
  }

  /// Reads what follows the opcode; `nil` if that is less than six bytes.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard let range = AttributeHandleRange(&reader), let type = reader.readUInt16() else {
      return nil
    }
    self.init(range: range, type: type, value: reader.readRemaining())
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.findByTypeValueRequest.rawValue)
    range.write(to: &writer)
    writer.write(type)
    writer.write(value)
  }
}

/// The attributes found and the ends of their groups; read them one at a time.
///
/// Core Specification, Vol 3, Part F, 3.4.3.4.
public struct FindByTypeValueResponse: ~Escapable {
  private var reader: ByteReader

  /// Reads what follows the opcode; `nil` unless it is whole pairs of handles.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard !reader.isEmpty, reader.count % 4 == 0 else { return nil }
    self.reader = reader
  }

  /// The next attribute found, to the last one of its group.
  public mutating func next() -> AttributeHandleRange? {
    AttributeHandleRange(&reader)
  }
}
