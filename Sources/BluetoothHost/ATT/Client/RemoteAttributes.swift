/// A service of a server.
public struct RemoteService: Equatable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// From its declaration to the last attribute that belongs to it.
  public var range: AttributeHandleRange

  /// A service with this range.
  public init(uuid: BluetoothUUID, range: AttributeHandleRange) {
    self.uuid = uuid
    self.range = range
  }
}

/// A service's reference to another service.
///
/// Core Specification, Vol 3, Part G, 3.2.
public struct RemoteInclude: Equatable, Sendable {
  /// Where the reference is.
  public var declaration: AttributeHandle
  /// The service that is included.
  public var range: AttributeHandleRange
  /// Its UUID; `nil` for one of 128 bits, which a read of the attribute at `range.start` gives.
  public var uuid: BluetoothUUID?

  /// A reference to the service with this range.
  public init(declaration: AttributeHandle, range: AttributeHandleRange, uuid: BluetoothUUID?) {
    self.declaration = declaration
    self.range = range
    self.uuid = uuid
  }
}

/// A characteristic of a server. It ends before the declaration of the next one, or with its service.
///
/// Core Specification, Vol 3, Part G, 3.3.1.
public struct RemoteCharacteristic: Equatable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// What may be done with it.
  public var properties: GATTProperties
  /// Where its declaration is.
  public var declaration: AttributeHandle
  /// Where its value is.
  public var value: AttributeHandle

  /// A characteristic with its value at `value`.
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

/// An attribute of a server, and its type: a descriptor of a characteristic, mostly.
public struct RemoteDescriptor: Equatable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// Where it is.
  public var handle: AttributeHandle

  /// An attribute of this type.
  public init(uuid: BluetoothUUID, handle: AttributeHandle) {
    self.uuid = uuid
    self.handle = handle
  }
}
