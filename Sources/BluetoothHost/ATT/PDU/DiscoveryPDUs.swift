/// Requests the types of the attributes in a range: Core Specification, Vol 3, Part F, 3.4.3.1.
public struct FindInformationRequest: Equatable, Sendable {
  /// The range to search.
  public var range: AttributeHandleRange

  /// Creates a PDU with these parameters.
  public init(range: AttributeHandleRange) { self.range = range }

  /// Reads what follows the opcode; `nil` unless that is exactly four bytes.
  public init?(_ reader: inout ByteReader) {
    guard let range = AttributeHandleRange(&reader), reader.isEmpty else { return nil }
    self.range = range
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.findInformationRequest.rawValue)
    range.write(to: &writer)
  }
}

/// Handles and types of one length, one at a time: Core Specification, Vol 3, Part F, 3.4.3.2.
public struct FindInformationResponse: ~Escapable {
  private var reader: ByteReader
  private let uuidLength: Int

  /// Reads what follows the opcode; `nil` unless the format is known and every pair is whole.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard let format = reader.readUInt8(), format == 1 || format == 2 else { return nil }
    uuidLength = format == 1 ? 2 : 16
    guard !reader.isEmpty, reader.count % (2 + uuidLength) == 0 else { return nil }
    self.reader = reader
  }

  /// The next attribute's handle and type.
  public mutating func next() -> (handle: AttributeHandle, type: BluetoothUUID)? {
    guard let handle = AttributeHandle(&reader),
      let type = BluetoothUUID(&reader, byteCount: uuidLength)
    else { return nil }
    return (handle, type)
  }
}

/// Requests the attributes of a 16-bit type and a value:
/// Core Specification, Vol 3, Part F, 3.4.3.3.
public struct FindByTypeValueRequest: ~Escapable {
  /// The range to search.
  public var range: AttributeHandleRange
  /// The attributes' type.
  public var type: UInt16
  /// The attributes' value.
  public var value: Span<UInt8>

  /// Reads what follows the opcode; `nil` if that is less than six bytes.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard let range = AttributeHandleRange(&reader), let type = reader.readUInt16() else {
      return nil
    }
    self.range = range
    self.type = type
    value = reader.readRemaining()
  }
}

/// Attributes and the ends of their groups, one at a time:
/// Core Specification, Vol 3, Part F, 3.4.3.4.
public struct FindByTypeValueResponse: ~Escapable {
  private var reader: ByteReader

  /// Reads what follows the opcode; `nil` unless it is whole pairs of handles.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard !reader.isEmpty, reader.count % 4 == 0 else { return nil }
    self.reader = reader
  }

  /// The handles from the next attribute found to the end of its group.
  public mutating func next() -> AttributeHandleRange? { AttributeHandleRange(&reader) }
}

/// Requests the groups of one type, such as services: Core Specification, Vol 3, Part F, 3.4.4.9.
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

/// Groups and values of one length, one at a time: Core Specification, Vol 3, Part F, 3.4.4.10.
public struct ReadByGroupTypeResponse: ~Escapable {
  private var reader: ByteReader
  private let valueLength: Int

  /// Reads what follows the opcode; `nil` unless it is whole entries of the stated length.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard let length = reader.readUInt8(), length >= 4, !reader.isEmpty,
      reader.count % Int(length) == 0
    else { return nil }
    self.reader = reader
    valueLength = Int(length) - 4
  }

  /// The next group.
  @_lifetime(copy self) public mutating func next() -> AttributeGroup? {
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

  @_lifetime(copy value) init(range: AttributeHandleRange, value: Span<UInt8>) {
    self.range = range
    self.value = value
  }
}

/// Requests the values of one type; Read By Group Type has the same parameters:
/// Core Specification, Vol 3, Part F, 3.4.4.1.
public struct ReadByTypeRequest: Equatable, Sendable {
  /// The range to search.
  public var range: AttributeHandleRange
  /// The attributes' type.
  public var type: BluetoothUUID

  /// Creates a PDU with these parameters.
  public init(range: AttributeHandleRange, type: BluetoothUUID) {
    self.range = range
    self.type = type
  }

  /// Reads what follows the opcode; `nil` unless that is exactly 6 or 20 bytes.
  public init?(_ reader: inout ByteReader) {
    guard let range = AttributeHandleRange(&reader),
      let type = BluetoothUUID(&reader, byteCount: reader.count), reader.isEmpty
    else { return nil }
    self.range = range
    self.type = type
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.readByTypeRequest.rawValue)
    writeParameters(to: &writer)
  }

  func writeParameters(to writer: inout ByteWriter) {
    range.write(to: &writer)
    type.write(to: &writer)
  }
}

/// Handles and values of one length, one at a time: Core Specification, Vol 3, Part F, 3.4.4.2.
public struct ReadByTypeResponse: ~Escapable {
  private var reader: ByteReader
  private let valueLength: Int

  /// Reads what follows the opcode; `nil` unless it is whole pairs of the stated length.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard let length = reader.readUInt8(), length >= 2, !reader.isEmpty,
      reader.count % Int(length) == 0
    else { return nil }
    self.reader = reader
    valueLength = Int(length) - 2
  }

  /// The next attribute.
  @_lifetime(copy self) public mutating func next() -> AttributeValue? {
    guard let handle = AttributeHandle(&reader), let value = reader.readBytes(valueLength) else {
      return nil
    }
    return AttributeValue(handle: handle, value: value)
  }
}

/// An attribute's handle and its value, or the first bytes of its value.
public struct AttributeValue: ~Escapable {
  /// The handle.
  public var handle: AttributeHandle
  /// The value, at most 512 bytes.
  public var value: Span<UInt8>

  /// Creates a value with its handle.
  @inlinable @_lifetime(copy value) public init(handle: AttributeHandle, value: Span<UInt8>) {
    self.handle = handle
    self.value = value
  }

  /// Reads a handle and, as its value, all that follows; `nil` without a whole handle.
  @inlinable @inline(__always) @_lifetime(copy reader) public init?(_ reader: consuming ByteReader)
  {
    guard let handle = AttributeHandle(&reader) else { return nil }
    self.init(handle: handle, value: reader.readRemaining())
  }

  func write(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(value)
  }
}
