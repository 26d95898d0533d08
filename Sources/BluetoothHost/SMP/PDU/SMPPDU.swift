/// A PDU of the Security Manager: a code, then parameters of a fixed length.
///
/// Core Specification, Vol 3, Part H, 3.3.
public protocol SMPPDU: Sendable {
  /// The PDU's code.
  static var code: SMPCode { get }

  /// Reads what follows the code; `nil` if a byte is missing or a field is out of range.
  init?(_ reader: inout ByteReader)

  /// Writes what follows the code.
  func writeParameters(to writer: inout ByteWriter)
}

extension SMPPDU {
  /// Reads all that follows the code; `nil` also if bytes remain.
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

/// A PDU with one number of 128 bits: a key, or a value of the pairing functions.
public protocol NumberPDU: SMPPDU {
  /// The number.
  var number: Number128 { get }
  /// Creates a PDU with this number.
  init(_ number: Number128)
}

extension NumberPDU {
  /// Reads what follows the code.
  public init?(_ reader: inout ByteReader) {
    guard let number = Number128(&reader) else { return nil }
    self.init(number)
  }

  /// Writes what follows the code.
  public func writeParameters(to writer: inout ByteWriter) {
    number.write(to: &writer)
  }
}
