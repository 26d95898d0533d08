import BluetoothHost

/// Identifies an operation on a link, from its call to the event that completes it. Never reused.
struct OperationID: RawRepresentable, Hashable {
  var rawValue: UInt32
}

/// An operation on the server at the other end of a link. A link's operations are carried out in
/// the order of the calls, one at a time.
enum CentralOperation: Equatable, Sendable {
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
  /// Read the value of the first attribute of this type, up to the length of one response.
  case readFirst(BluetoothUUID)
  /// Write a value of at most 512 bytes and wait for the server to accept it.
  case write(AttributeHandle, [UInt8])
  /// Write a value of at most MTU − 3 bytes. The operation ends when the command is sent.
  case writeWithoutResponse(AttributeHandle, [UInt8])
  /// Write the Client Characteristic Configuration descriptor at this handle.
  case subscribe(AttributeHandle, ClientConfiguration)
  /// Find the Client Characteristic Configuration descriptor in a characteristic's
  /// `descriptorRange`, and write it.
  case configure(AttributeHandleRange, ClientConfiguration)
  /// Subscribe to Service Changed, if the server has it: `CentralEvent.servicesChanged` then
  /// follows each change.
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
  case value([UInt8])
  /// The write was accepted or, without response, sent.
  case written
  /// The descriptor at this handle was written; `nil` if there is none.
  case configured(AttributeHandle?)
  /// The handle of Service Changed; `nil` if the server reports no changes.
  case watching(AttributeHandle?)
  /// The RSSI in dBm; `nil` if the controller does not know it.
  case rssi(Int8?)
  /// A channel is open (`nil`), or why it is not.
  case channel(ChannelEnd?)
}

/// A service of a server, primary or only included by others.
struct FoundService: Equatable, Sendable {
  var uuid: BluetoothUUID
  /// From its declaration to the last attribute that belongs to it.
  var range: AttributeHandleRange
  var isPrimary = true
}

/// A characteristic of a server, with its last handle.
struct FoundCharacteristic: Equatable, Sendable {
  var uuid: BluetoothUUID
  var properties: GATTProperties
  var declaration: AttributeHandle
  var value: AttributeHandle
  /// The last attribute that belongs to it.
  var end: AttributeHandle

  /// The handles of its descriptors; `nil` if there are none.
  var descriptorRange: AttributeHandleRange? {
    guard value < end else { return nil }
    let start = AttributeHandle(rawValue: value.rawValue + 1)
    return AttributeHandleRange(start: start, end: end)
  }
}
