/// Requests the first bytes of a value. The response is the opcode and the bytes.
///
/// Core Specification, Vol 3, Part F, 3.4.4.3.
public struct ReadRequest: Equatable, Sendable {
  /// The attribute.
  public var handle: AttributeHandle

  /// Creates a PDU with these parameters.
  public init(handle: AttributeHandle) {
    self.handle = handle
  }

  /// Reads what follows the opcode; `nil` unless that is exactly two bytes.
  public init?(_ reader: inout ByteReader) {
    guard let handle = AttributeHandle(&reader), reader.isEmpty else { return nil }
    self.handle = handle
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.readRequest.rawValue)
    writer.write(handle.rawValue)
  }
}

/// Requests the bytes of a value from an offset on. The response is the opcode and the bytes.
///
/// Core Specification, Vol 3, Part F, 3.4.4.5.
public struct ReadBlobRequest: Equatable, Sendable {
  /// The attribute.
  public var handle: AttributeHandle
  /// The offset of the first byte, from 0 to the value's length.
  public var offset: UInt16

  /// Creates a PDU with these parameters.
  public init(handle: AttributeHandle, offset: UInt16) {
    self.handle = handle
    self.offset = offset
  }

  /// Reads what follows the opcode; `nil` unless that is exactly four bytes.
  public init?(_ reader: inout ByteReader) {
    guard let handle = AttributeHandle(&reader), let offset = reader.readUInt16(), reader.isEmpty
    else { return nil }
    self.handle = handle
    self.offset = offset
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.readBlobRequest.rawValue)
    writer.write(handle.rawValue)
    writer.write(offset)
  }
}

/// The handles of a Read Multiple or Read Multiple Variable Request, read one at a time.
///
/// Core Specification, Vol 3, Part F, 3.4.4.7 and 3.4.4.11.
public struct ReadMultipleRequest: ~Escapable {
  private var reader: ByteReader

  /// Reads what follows the opcode; `nil` unless it is two or more whole handles.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
    guard reader.count >= 4, reader.count % 2 == 0 else { return nil }
    self.reader = reader
  }

  /// The next handle.
  public mutating func next() -> AttributeHandle? {
    AttributeHandle(&reader)
  }
}
