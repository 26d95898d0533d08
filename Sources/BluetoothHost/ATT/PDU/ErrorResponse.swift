/// An Error Response, which refuses a request.
///
/// Core Specification, Vol 3, Part F, 3.4.1.1.
public struct ErrorResponse: Equatable, Sendable {
  /// The request's opcode.
  public var request: ATTOpcode
  /// The attribute that caused it; 0x0000 for none.
  public var handle: AttributeHandle
  /// The reason.
  public var code: ATTErrorCode

  /// Creates a refusal of `request`.
  public init(request: ATTOpcode, handle: AttributeHandle, code: ATTErrorCode) {
    self.request = request
    self.handle = handle
    self.code = code
  }

  /// Reads what follows the opcode; `nil` unless that is exactly four bytes.
  public init?(_ reader: inout ByteReader) {
    guard let request = reader.readUInt8(), let handle = AttributeHandle(&reader),
      let code = reader.readUInt8(), reader.isEmpty
    else { return nil }
    self.request = ATTOpcode(rawValue: request)
    self.handle = handle
    self.code = ATTErrorCode(rawValue: code)
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.errorResponse.rawValue)
    writer.write(request.rawValue)
    writer.write(handle.rawValue)
    writer.write(code.rawValue)
  }
}
