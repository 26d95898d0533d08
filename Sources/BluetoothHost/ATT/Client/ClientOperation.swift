/// A GATT client's operation, one at a time on a link: Core Specification, Vol 3, Part G, 4.
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
  /// Read several values at once: 4.8.4, or with a length before each: 4.8.5. `writeValue` provides
  /// the handles, two bytes each, at least two and as many as the MTU allows.
  case readMultiple(byteCount: Int, isVariable: Bool)
  /// Write a value of at most 512 bytes from `writeValue`, in one request or in prepared parts that
  /// the server echoes, and wait for the response: 4.9.3 and 4.9.4.
  case write(AttributeHandle, byteCount: Int)
  /// Write a value of at most MTU − 3 bytes without a response: 4.9.1. It ends when it is sent.
  case writeWithoutResponse(AttributeHandle, byteCount: Int)
  /// Write a Client Characteristic Configuration: 4.10 and 4.11.
  case subscribe(AttributeHandle, ClientConfiguration)
}

/// Why an operation failed.
public enum OperationError: Error, Equatable, Sendable {
  /// The server refused it with this error.
  case refused(ErrorResponse)
  /// The response was invalid. One to another request also ends the link, since later responses
  /// could not be matched.
  case wrongResponse(ResponseError)
  /// The server did not answer in time. The host closes the link, or the enhanced bearer: Vol 3, Part
  /// F, 3.3.3.
  case timedOut
  /// The link or the enhanced bearer ended before the operation did.
  case disconnected
  /// The bond's key could not encrypt the link: `pinOrKeyMissing` if the peer lost the bond,
  /// `connectionTimeout` if the controller did not answer.
  case encryptionFailed(HCIErrorCode)
  /// The value is longer than this many bytes.
  case tooLong(limit: Int)
}

/// Why a response of a server is wrong.
public enum ResponseError: Error, Equatable, Sendable {
  /// It answers another request.
  case unexpected(ATTOpcode, awaited: ATTOpcode)
  /// It is truncated, too long, or not in its opcode's format.
  case malformed(ATTOpcode)
  /// An attribute is outside of the range or not in rising order, so the discovery might not end.
  case outOfOrder(AttributeHandle)
  /// It does not echo the part of a value that was prepared at this offset.
  case echoDiffers(offset: Int)
  /// The value is longer than 512 bytes.
  case valueTooLong
}

/// A service on a server.
public struct RemoteService: Equatable, Sendable {
  /// The service's UUID.
  public var uuid: BluetoothUUID
  /// The handles from its declaration to its last attribute.
  public var range: AttributeHandleRange

  /// Creates a service with this range.
  public init(uuid: BluetoothUUID, range: AttributeHandleRange) {
    self.uuid = uuid
    self.range = range
  }
}

/// A service that another one includes: Core Specification, Vol 3, Part G, 3.2.
public struct RemoteInclude: Equatable, Sendable {
  /// The handle of the include declaration.
  public var declaration: AttributeHandle
  /// The handles of the included service.
  public var range: AttributeHandleRange
  /// The included service's 16-bit UUID; `nil` for a longer one, which its declaration has.
  public var uuid: BluetoothUUID?

  /// Creates a declaration that includes the service with this range.
  public init(declaration: AttributeHandle, range: AttributeHandleRange, uuid: BluetoothUUID?) {
    self.declaration = declaration
    self.range = range
    self.uuid = uuid
  }
}

/// A characteristic, up to the next one or the service's end:
/// Core Specification, Vol 3, Part G, 3.3.1.
public struct RemoteCharacteristic: Equatable, Sendable {
  /// The characteristic's UUID.
  public var uuid: BluetoothUUID
  /// The permitted uses of its value.
  public var properties: GATTProperties
  /// The handle of its declaration.
  public var declaration: AttributeHandle
  /// The handle of its value.
  public var value: AttributeHandle

  /// Creates a characteristic with its value at `value`.
  public init(
    uuid: BluetoothUUID, properties: GATTProperties, declaration: AttributeHandle,
    value: AttributeHandle
  ) {
    self.uuid = uuid
    self.properties = properties
    self.declaration = declaration
    self.value = value
  }
}

/// An attribute on a server and its type, usually a descriptor of a characteristic.
public struct RemoteDescriptor: Equatable, Sendable {
  /// The attribute's type.
  public var uuid: BluetoothUUID
  /// The attribute's handle.
  public var handle: AttributeHandle

  /// Creates an attribute of this type.
  public init(uuid: BluetoothUUID, handle: AttributeHandle) {
    self.uuid = uuid
    self.handle = handle
  }
}
