/// The longest ATT PDU that both sides accept, 23 to 517 bytes:
/// Core Specification, Vol 3, Part F, 3.2.8. 517 hold the longest value, 512, with the header of
/// Prepare Write.
public struct ATTMTU: Equatable, Comparable, Sendable {
  /// The length in bytes, 23 to 517.
  public let byteCount: Int

  /// `nil` outside of 23…517.
  public init?(_ byteCount: Int) {
    guard byteCount >= 23, byteCount <= 517 else { return nil }
    self.byteCount = byteCount
  }

  private init(clamping byteCount: Int) { self.byteCount = max(23, min(517, byteCount)) }

  /// 23, the value before an exchange.
  public static var minimum: ATTMTU { ATTMTU(clamping: 23) }
  /// 517, the longest useful value.
  public static var maximum: ATTMTU { ATTMTU(clamping: 517) }

  /// The MTU after an exchange with a peer that accepts `peer` bytes: the smaller, at least 23.
  public func agreed(with peer: UInt16) -> ATTMTU { ATTMTU(clamping: min(byteCount, Int(peer))) }

  /// Whether the first is smaller.
  public static func < (left: ATTMTU, right: ATTMTU) -> Bool { left.byteCount < right.byteCount }
}

/// The longest attribute value, in bytes: Core Specification, Vol 3, Part F, 3.2.9.
public let maximumAttributeValueLength = 512

/// Gives the longest PDU that the client accepts: Core Specification, Vol 3, Part F, 3.4.2.1.
public struct ExchangeMTURequest: Equatable, Sendable {
  /// In bytes. Less than 23 violates the specification, but a peer may send it.
  public var clientReceiveMTU: UInt16

  /// Creates a request with this length.
  public init(clientReceiveMTU: UInt16) { self.clientReceiveMTU = clientReceiveMTU }

  /// Reads what follows the opcode; `nil` unless that is exactly two bytes.
  public init?(_ reader: inout ByteReader) {
    guard let mtu = reader.readUInt16(), reader.isEmpty else { return nil }
    clientReceiveMTU = mtu
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.exchangeMTURequest.rawValue)
    writer.write(clientReceiveMTU)
  }
}

/// Gives the longest PDU that the server accepts: Core Specification, Vol 3, Part F, 3.4.2.2.
public struct ExchangeMTUResponse: Equatable, Sendable {
  /// In bytes.
  public var serverReceiveMTU: UInt16

  /// Creates a response with this length.
  public init(serverReceiveMTU: UInt16) { self.serverReceiveMTU = serverReceiveMTU }

  /// Reads what follows the opcode; `nil` unless that is exactly two bytes.
  public init?(_ reader: inout ByteReader) {
    guard let mtu = reader.readUInt16(), reader.isEmpty else { return nil }
    serverReceiveMTU = mtu
  }

  /// Writes the whole PDU.
  public func write(to writer: inout ByteWriter) {
    writer.write(ATTOpcode.exchangeMTUResponse.rawValue)
    writer.write(serverReceiveMTU)
  }
}

/// An Error Response, which refuses a request: Core Specification, Vol 3, Part F, 3.4.1.1.
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
