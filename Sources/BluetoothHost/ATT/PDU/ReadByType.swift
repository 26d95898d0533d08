/// Requests the values of the attributes of one type: how a client finds characteristics.
///
/// Core Specification, Vol 3, Part F, 3.4.4.1. Read By Group Type has the same parameters.
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

/// Handles and their values, all of one length, read one at a time: call `next()` until `nil`.
///
/// Core Specification, Vol 3, Part F, 3.4.4.2.
public struct ReadByTypeResponse: ~Escapable {
  private var reader: ByteReader
  private let valueLength: Int

  /// Reads what follows the opcode; `nil` unless it is whole pairs of the stated length.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard let length = reader.readUInt8(), length >= 2, !reader.isEmpty,
      reader.count % Int(length) == 0
    else { return nil }
    self.reader = reader
    valueLength = Int(length) - 2
  }

  /// The next attribute.
  @_lifetime(copy self)
  public mutating func next() -> AttributeValue? {
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
  @inlinable
  @_lifetime(copy value)
  public init(handle: AttributeHandle, value: Span<UInt8>) {
    self.handle = handle
    self.value = value
  }

  /// Reads a handle and, as its value, all that follows; `nil` without a whole handle.
  @inlinable
  @inline(__always)
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard let handle = AttributeHandle(&reader) else { return nil }
    self.init(handle: handle, value: reader.readRemaining())
  }

  func write(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(value)
  }
}
