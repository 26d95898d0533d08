/// A PDU of the Security Manager: a code, then parameters of a fixed length.
///
/// Core Specification, Vol 3, Part H, 3.3.
public protocol SMPPDU: Sendable {
  /// Which PDU it is.
  static var code: SMPCode { get }

  /// Reads what follows the code; `nil` if a byte is missing or a field is out of its range.
  init?(_ reader: inout ByteReader)

  /// Writes what follows the code.
  func writeParameters(to writer: inout ByteWriter)
}

extension SMPPDU {
  /// Reads all that follows the code; `nil` also if a byte is left over.
  public init?(parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    self.init(&reader)
    guard reader.isEmpty else { return nil }
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(Self.code.rawValue)
    writeParameters(to: &writer)
  }
}
