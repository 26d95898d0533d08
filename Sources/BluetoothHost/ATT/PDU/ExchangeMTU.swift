/// Tells the longest PDU that the client takes.
///
/// Core Specification, Vol 3, Part F, 3.4.2.1.
public struct ExchangeMTURequest: Equatable, Sendable {
  /// In bytes. A value under 23 is against the specification, but can be sent.
  public var clientReceiveMTU: UInt16

  /// A PDU that tells this length.
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

/// Tells the longest PDU that the server takes.
///
/// Core Specification, Vol 3, Part F, 3.4.2.2.
public struct ExchangeMTUResponse: Equatable, Sendable {
  /// In bytes.
  public var serverReceiveMTU: UInt16

  /// A PDU that tells this length.
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
