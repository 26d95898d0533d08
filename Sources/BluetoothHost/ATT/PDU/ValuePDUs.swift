/// Requests the first bytes of a value: Core Specification, Vol 3, Part F, 3.4.4.3.
public struct ReadRequest: Equatable, Sendable {
  /// The attribute.
  public var handle: AttributeHandle

  /// Creates a PDU with these parameters.
  public init(handle: AttributeHandle) { self.handle = handle }

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

/// Requests a value from an offset on: Core Specification, Vol 3, Part F, 3.4.4.5.
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

/// The handles of Read Multiple (Variable) Request, one at a time:
/// Core Specification, Vol 3, Part F, 3.4.4.7 and 3.4.4.11.
public struct ReadMultipleRequest: ~Escapable {
  private var reader: ByteReader

  /// Reads what follows the opcode; `nil` unless it is two or more whole handles.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard reader.count >= 4, reader.count % 2 == 0 else { return nil }
    self.reader = reader
  }

  /// The next handle.
  public mutating func next() -> AttributeHandle? { AttributeHandle(&reader) }
}

/// Writes a value: Core Specification, Vol 3, Part F, 3.4.5.1. Write Command (3.4.5.3) and the
/// updates (3.4.7) have the same parameters, an `AttributeValue`.
public struct WriteRequest: ~Escapable {
  /// The attribute and the value for it.
  public var attribute: AttributeValue

  /// Creates a PDU with these parameters.
  @_lifetime(copy value) public init(handle: AttributeHandle, value: Span<UInt8>) {
    attribute = AttributeValue(handle: handle, value: value)
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.writeRequest.rawValue)
    attribute.write(to: &writer)
  }
}

/// Queues a part of a value; the response echoes it: Core Specification, Vol 3, Part F, 3.4.6.1 and
/// 3.4.6.2.
public struct PrepareWrite: ~Escapable {
  /// The attribute.
  public var handle: AttributeHandle
  /// The part's position in the value.
  public var offset: UInt16
  /// The part.
  public var value: Span<UInt8>

  /// Creates a PDU with these parameters.
  @_lifetime(copy value) public init(handle: AttributeHandle, offset: UInt16, value: Span<UInt8>) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }

  /// Reads what follows the opcode; `nil` if that is less than four bytes.
  @_lifetime(copy reader) public init?(_ reader: consuming ByteReader) {
    guard let handle = AttributeHandle(&reader), let offset = reader.readUInt16() else {
      return nil
    }
    self.init(handle: handle, offset: offset, value: reader.readRemaining())
  }

  /// Writes the whole PDU: the request, or the response.
  public func write(_ opcode: ATTOpcode, to writer: inout ByteWriter) {
    writer.write(opcode.rawValue)
    writer.write(handle.rawValue)
    writer.write(offset)
    writer.write(value)
  }
}

/// Writes or discards the queued parts: Core Specification, Vol 3, Part F, 3.4.6.3.
public struct ExecuteWriteRequest: Equatable, Sendable {
  /// `true` to write the parts; `false` to discard them.
  public var writes: Bool

  /// Creates a PDU with this flag.
  public init(writes: Bool) { self.writes = writes }

  /// Reads what follows the opcode; `nil` unless that is exactly one byte, 0x00 or 0x01.
  public init?(_ reader: inout ByteReader) {
    guard let flags = reader.readUInt8(), flags <= 1, reader.isEmpty else { return nil }
    writes = flags == 1
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.executeWriteRequest.rawValue)
    writer.write(UInt8(writes ? 1 : 0))
  }
}
