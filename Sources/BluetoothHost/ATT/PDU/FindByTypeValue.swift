/// Requests the attributes of a 16-bit type with a given value: how a client finds one service.
///
/// Core Specification, Vol 3, Part F, 3.4.3.3.
public struct FindByTypeValueRequest: ~Escapable {
  /// The range to search.
  public var range: AttributeHandleRange
  /// The attributes' type.
  public var type: UInt16
  /// The attributes' value.
  public var value: Span<UInt8>

  /// Reads what follows the opcode; `nil` if that is less than six bytes.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard let range = AttributeHandleRange(&reader), let type = reader.readUInt16() else {
      return nil
    }
    self.range = range
    self.type = type
    value = reader.readRemaining()
  }
}

/// The attributes found and the ends of their groups, read one at a time.
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

  /// The handles from the next attribute found to the end of its group.
  public mutating func next() -> AttributeHandleRange? {
    AttributeHandleRange(&reader)
  }
}
