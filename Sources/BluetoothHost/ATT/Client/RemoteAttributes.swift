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

/// An include declaration: a service that another service includes.
///
/// Core Specification, Vol 3, Part G, 3.2.
public struct RemoteInclude: Equatable, Sendable {
  /// The handle of the include declaration.
  public var declaration: AttributeHandle
  /// The handles of the included service.
  public var range: AttributeHandleRange
  /// The included service's 16-bit UUID; `nil` for a 128-bit UUID, which the service's declaration
  /// at `range.start` contains.
  public var uuid: BluetoothUUID?

  /// Creates a declaration that includes the service with this range.
  public init(declaration: AttributeHandle, range: AttributeHandleRange, uuid: BluetoothUUID?) {
    self.declaration = declaration
    self.range = range
    self.uuid = uuid
  }
}

/// A characteristic on a server. It ends before the next characteristic, or with its service.
///
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
