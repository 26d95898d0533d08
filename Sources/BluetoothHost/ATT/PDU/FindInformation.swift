/// Requests the types of the attributes in a range.
///
/// Core Specification, Vol 3, Part F, 3.4.3.1.
public struct FindInformationRequest: Equatable, Sendable {
  /// The range to search.
  public var range: AttributeHandleRange

  /// Creates a PDU with these parameters.
  public init(range: AttributeHandleRange) {
    self.range = range
  }

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

/// Handles and their types, all of one length, read one at a time: call `next()` until `nil`.
///
/// Core Specification, Vol 3, Part F, 3.4.3.2.
public struct FindInformationResponse: ~Escapable {
  private var reader: ByteReader
  private let uuidLength: Int

  /// Reads what follows the opcode; `nil` unless the format is known and every pair is whole.
  @_lifetime(copy reader)
  public init?(_ reader: consuming ByteReader) {
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
