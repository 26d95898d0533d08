/// What a GATT client can do on a link. A link carries out one operation at a time.
///
/// Core Specification, Vol 3, Part G, 4.
public enum ClientOperation: Equatable, Sendable {
  /// Agree on how long a PDU may be. A server without this request leaves the MTU at 23.
  case exchangeMTU
  /// Find every primary service: 4.4.1.
  case discoverServices
  /// Find the primary services with this UUID: 4.4.2.
  case discoverServicesByUUID(BluetoothUUID)
  /// Find the references to included services in a service's range: 4.5.1.
  case discoverIncludedServices(AttributeHandleRange)
  /// Find the characteristics in a service's range: 4.6.1.
  case discoverCharacteristics(AttributeHandleRange)
  /// Find the attributes in a range with their types: 4.7.1.
  case discoverDescriptors(AttributeHandleRange)
  /// Read a value whole, with as many requests as it takes: 4.8.1 and 4.8.3.
  case read(AttributeHandle)
  /// Read the value of the first attribute of this type, as far as one response holds it: 4.8.2.
  case readByUUID(BluetoothUUID)
  /// Read several values with one request: 4.8.4; with a length before each value if `isVariable`:
  /// 4.8.5. `writeValue` lends the handles, two bytes each, at least two and as many as the MTU lets
  /// through. `byteCount` is their length.
  case readMultiple(byteCount: Int, isVariable: Bool)
  /// Write a value of `byteCount` bytes, at most 512, which `writeValue` lends, and wait for the server
  /// to accept it: in one request, or prepared in parts, each checked against the server's echo, and
  /// then executed: 4.9.3 and 4.9.4.
  case write(AttributeHandle, byteCount: Int)
  /// Write a value of at most MTU − 3 bytes and do not wait: 4.9.1. It ends when it is on its way.
  case writeWithoutResponse(AttributeHandle, byteCount: Int)
  /// Write a Client Characteristic Configuration: what the server shall notify or indicate: 4.10 and
  /// 4.11.
  case subscribe(AttributeHandle, ClientConfiguration)
}

/// Why an operation did not succeed.
public enum OperationError: Error, Equatable, Sendable {
  /// The server refused it, and says why.
  case refused(ErrorResponse)
  /// The server's answer was wrong. After a response to another request the link is closed too,
  /// since no later answer can be matched to its request.
  case wrongResponse(ResponseFault)
  /// The server did not answer in time. The link is closed: Vol 3, Part F, 3.3.3.
  case timedOut
  /// The link ended before the operation did.
  case disconnected
  /// The peer has a bond, and the link could not be encrypted with its key: nothing was asked.
  /// `pinOrKeyMissing` if the peer has lost the bond, `connectionTimeout` if the controller did not answer.
  case encryptionFailed(HCIErrorCode)
  /// The value is longer than this many bytes.
  case tooLong(limit: Int)
}

/// What was wrong with a server's answer.
public enum ResponseFault: Error, Equatable, Sendable {
  /// It answers another request.
  case unexpected(ATTOpcode, awaited: ATTOpcode)
  /// It is cut short, too long, or not of the form that its opcode demands.
  case malformed(ATTOpcode)
  /// It lists an attribute outside of the range, or not after those before it. To go on would never
  /// end.
  case outOfOrder(AttributeHandle)
  /// It does not repeat the part of a value that was to be prepared at this offset.
  case echoDiffers(offset: Int)
  /// The value goes on after the 512 bytes that a value can have.
  case valueTooLong
}
