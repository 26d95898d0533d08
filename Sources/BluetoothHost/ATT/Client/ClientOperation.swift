/// An operation of a GATT client. A link carries out one at a time.
///
/// Core Specification, Vol 3, Part G, 4.
public enum ClientOperation: Equatable, Sendable {
  /// Exchange the MTU. It stays 23 with a server that does not support this request.
  case exchangeMTU
  /// Find every primary service: 4.4.1.
  case discoverServices
  /// Find the primary services with this UUID: 4.4.2.
  case discoverServicesByUUID(BluetoothUUID)
  /// Find the included services in a service's range: 4.5.1.
  case discoverIncludedServices(AttributeHandleRange)
  /// Find the characteristics in a service's range: 4.6.1.
  case discoverCharacteristics(AttributeHandleRange)
  /// Find the attributes in a range and their types: 4.7.1.
  case discoverDescriptors(AttributeHandleRange)
  /// Read a whole value with as many requests as necessary: 4.8.1 and 4.8.3.
  case read(AttributeHandle)
  /// Read the value of the first attribute of this type, as far as one response holds it: 4.8.2.
  case readByUUID(BluetoothUUID)
  /// Read several values with one request: 4.8.4, or with a length before each value if
  /// `isVariable`: 4.8.5. `writeValue` provides the handles, two bytes each, at least two and as
  /// many as the MTU allows. `byteCount` is their length.
  case readMultiple(byteCount: Int, isVariable: Bool)
  /// Write a value of `byteCount` bytes, at most 512, from `writeValue`, and wait for the response:
  /// in one request, or prepared in parts, each compared with the server's echo, and then executed:
  /// 4.9.3 and 4.9.4.
  case write(AttributeHandle, byteCount: Int)
  /// Write a value of at most MTU − 3 bytes without a response: 4.9.1. It ends when it is sent.
  case writeWithoutResponse(AttributeHandle, byteCount: Int)
  /// Write a Client Characteristic Configuration, to get notifications or indications: 4.10 and
  /// 4.11.
  case subscribe(AttributeHandle, ClientConfiguration)
}

/// Why an operation failed.
public enum OperationError: Error, Equatable, Sendable {
  /// The server refused it with this error.
  case refused(ErrorResponse)
  /// The server's response was invalid. After a response to another request the host also closes
  /// the link, since later responses could not be matched to their requests.
  case wrongResponse(ResponseFault)
  /// The server did not answer in time. The host closes the link: Vol 3, Part F, 3.3.3.
  case timedOut
  /// The link ended before the operation did.
  case disconnected
  /// The link could not be encrypted with the key of the peer's bond, so the operation was not
  /// started. `pinOrKeyMissing` if the peer has lost the bond, `connectionTimeout` if the
  /// controller did not answer.
  case encryptionFailed(HCIErrorCode)
  /// The value is longer than this many bytes.
  case tooLong(limit: Int)
}

/// The fault of a server's response.
public enum ResponseFault: Error, Equatable, Sendable {
  /// It answers another request.
  case unexpected(ATTOpcode, awaited: ATTOpcode)
  /// It is truncated, too long, or not in its opcode's format.
  case malformed(ATTOpcode)
  /// It contains an attribute outside of the range, or not in rising order. The discovery might
  /// never end.
  case outOfOrder(AttributeHandle)
  /// It does not echo the part of a value that was prepared at this offset.
  case echoDiffers(offset: Int)
  /// The value is longer than 512 bytes.
  case valueTooLong
}
