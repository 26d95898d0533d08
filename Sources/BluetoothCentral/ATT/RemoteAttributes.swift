import BluetoothHost

/// A service of a server.
public struct RemoteService: Equatable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// From its declaration to the last attribute that belongs to it.
  public var range: AttributeHandleRange
  /// Whether it is one that centrals look for, rather than one that is only included by others.
  public var isPrimary: Bool

  /// An attribute as a peripheral tells of it.
  public init(uuid: BluetoothUUID, range: AttributeHandleRange, isPrimary: Bool = true) {
    self.uuid = uuid
    self.range = range
    self.isPrimary = isPrimary
  }
}

/// A characteristic of a server.
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
  /// The last attribute that belongs to it.
  public var end: AttributeHandle

  /// An attribute as a peripheral tells of it.
  public init(
    uuid: BluetoothUUID, properties: GATTProperties, declaration: AttributeHandle,
    value: AttributeHandle, end: AttributeHandle
  ) {
    self.uuid = uuid
    self.properties = properties
    self.declaration = declaration
    self.value = value
    self.end = end
  }

  /// Where its descriptors are; `nil` if there is no room for any.
  public var descriptorRange: AttributeHandleRange? {
    guard value < end else { return nil }
    return AttributeHandleRange(start: value.following, end: end)
  }
}

/// A descriptor of a characteristic.
public struct RemoteDescriptor: Equatable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// Where it is.
  public var handle: AttributeHandle

  /// An attribute as a peripheral tells of it.
  public init(uuid: BluetoothUUID, handle: AttributeHandle) {
    self.uuid = uuid
    self.handle = handle
  }
}

extension AttributeHandle {
  /// The handle after this one; the last stays the last.
  var following: AttributeHandle {
    AttributeHandle(rawValue: rawValue == .max ? .max : rawValue + 1)
  }

  /// The handle before this one; the first stays the first.
  var preceding: AttributeHandle {
    AttributeHandle(rawValue: rawValue <= 1 ? 1 : rawValue - 1)
  }
}
