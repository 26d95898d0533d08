/// Requests the values of the attributes of one grouping type: how a client finds services.
///
/// Core Specification, Vol 3, Part F, 3.4.4.9.
public struct ReadByGroupTypeRequest: Equatable, Sendable {
  /// The range and the grouping type.
  public var parameters: ReadByTypeRequest

  /// Creates a PDU with these parameters.
  public init(range: AttributeHandleRange, type: BluetoothUUID) {
    parameters = ReadByTypeRequest(range: range, type: type)
  }

  /// Reads what follows the opcode; `nil` unless that is exactly 6 or 20 bytes.
  public init?(_ reader: inout ByteReader) {
    guard let parameters = ReadByTypeRequest(&reader) else { return nil }
    self.parameters = parameters
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.readByGroupTypeRequest.rawValue)
    parameters.writeParameters(to: &writer)
  }
}

/// Groups and their values, all of one length, read one at a time: call `next()` until `nil`.
///
/// Core Specification, Vol 3, Part F, 3.4.4.10.
public struct ReadByGroupTypeResponse: ~Escapable {
  private var reader: ByteReader
  private let valueLength: Int

  /// Reads what follows the opcode; `nil` unless it is whole entries of the stated length.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard let length = reader.readUInt8(), length >= 4, !reader.isEmpty,
      reader.count % Int(length) == 0
    else { return nil }
    self.reader = reader
    valueLength = Int(length) - 4
  }

  /// The next group.
  @_lifetime(copy self)
  public mutating func next() -> AttributeGroup? {
    guard let range = AttributeHandleRange(&reader), let value = reader.readBytes(valueLength)
    else { return nil }
    return AttributeGroup(range: range, value: value)
  }
}

/// A service: its first and last handle, and the value of its declaration, which is its UUID.
public struct AttributeGroup: ~Escapable {
  /// The handles from the declaration to the group's last attribute.
  public var range: AttributeHandleRange
  /// The declaration's value: 2 or 16 bytes.
  public var value: Span<UInt8>

  @_lifetime(copy value)
  init(range: AttributeHandleRange, value: Span<UInt8>) {
    self.range = range
    self.value = value
  }
}
