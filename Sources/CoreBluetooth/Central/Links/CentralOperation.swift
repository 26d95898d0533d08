import BluetoothHost

/// One operation on a link, from the call that asks for it to the event that completes it. Never used
/// twice.
struct OperationID: RawRepresentable, Hashable {
  var rawValue: UInt32
}

/// What a device asks of the server at the other end of a link. The operations of a link are carried
/// out in the order in which they were asked for, one at a time.
enum CentralOperation: Equatable, Sendable {
  /// Agree on how long a PDU may be.
  case exchangeMTU
  /// Find the primary services with this UUID, or all of them.
  case discoverServices(BluetoothUUID?)
  /// Find the services that the service with this range includes.
  case discoverIncludedServices(AttributeHandleRange)
  /// Find the characteristics in a service's range.
  case discoverCharacteristics(AttributeHandleRange)
  /// Find the descriptors in a characteristic's `descriptorRange`.
  case discoverDescriptors(AttributeHandleRange)
  /// Read a whole value.
  case read(AttributeHandle)
  /// Read the value of the first attribute of this type, as far as one response holds it.
  case readFirst(BluetoothUUID)
  /// Write a value of at most 512 bytes and wait for the server to accept it.
  case write(AttributeHandle, [UInt8])
  /// Write a value of at most MTU − 3 bytes. The operation ends when the value is on its way.
  case writeWithoutResponse(AttributeHandle, [UInt8])
  /// Write the Client Characteristic Configuration descriptor at this handle.
  case subscribe(AttributeHandle, ClientConfiguration)
  /// Find the Client Characteristic Configuration descriptor in a characteristic's `descriptorRange`,
  /// and write it.
  case configure(AttributeHandleRange, ClientConfiguration)
  /// Subscribe to Service Changed, if the server has it: `CentralEvent.servicesChanged` then follows
  /// each change.
  case watchServices
}

/// The result of an operation.
enum OperationOutput: Equatable, Sendable {
  /// The MTU now in force.
  case mtu(ATTMTU)
  /// The services found, by handle.
  case services([FoundService])
  /// The included services found, in the order of their references.
  case includedServices([FoundService])
  /// The characteristics found, by handle.
  case characteristics([FoundCharacteristic])
  /// The descriptors found, by handle.
  case descriptors([RemoteDescriptor])
  /// The value read.
  case value([UInt8])
  /// The write was accepted; or, without response, is on its way.
  case written
  /// The descriptor at this handle was written; `nil` if there is none.
  case configured(AttributeHandle?)
  /// The handle of Service Changed; `nil` if the server reports no changes.
  case watching(AttributeHandle?)
  /// The signal strength of the peer in dBm; `nil` if the controller does not know it.
  case rssi(Int8?)
  /// A channel is open; or why it is not.
  case channel(ChannelEnd?)
}

/// A service of a server, primary or only included by others.
struct FoundService: Equatable, Sendable {
  var uuid: BluetoothUUID
  /// From its declaration to the last attribute that belongs to it.
  var range: AttributeHandleRange
  var isPrimary = true
}

/// A characteristic of a server, with the handle at which it ends.
struct FoundCharacteristic: Equatable, Sendable {
  var uuid: BluetoothUUID
  var properties: GATTProperties
  /// Where its declaration is.
  var declaration: AttributeHandle
  /// Where its value is.
  var value: AttributeHandle
  /// The last attribute that belongs to it.
  var end: AttributeHandle

  /// Where its descriptors are; `nil` if there is no room for any.
  var descriptorRange: AttributeHandleRange? {
    guard value < end else { return nil }
    let start = AttributeHandle(rawValue: value.rawValue + 1)
    return AttributeHandleRange(start: start, end: end)
  }
}
