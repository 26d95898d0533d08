/// Gives the longest PDU that the client accepts.
///
/// Core Specification, Vol 3, Part F, 3.4.2.1.
public struct ExchangeMTURequest: Equatable, Sendable {
  /// In bytes. Less than 23 violates the specification, but a peer may send it.
  public var clientReceiveMTU: UInt16

  /// Creates a request with this length.
  public init(clientReceiveMTU: UInt16) {
    self.clientReceiveMTU = clientReceiveMTU
  }

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

/// Gives the longest PDU that the server accepts.
///
/// Core Specification, Vol 3, Part F, 3.4.2.2.
public struct ExchangeMTUResponse: Equatable, Sendable {
  /// In bytes.
  public var serverReceiveMTU: UInt16

  /// Creates a response with this length.
  public init(serverReceiveMTU: UInt16) {
    self.serverReceiveMTU = serverReceiveMTU
  }

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
