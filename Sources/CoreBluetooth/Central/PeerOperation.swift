import BluetoothHost

/// An operation on the server at the other end of a link.
enum PeerOperation: Sendable {
  case exchangeMTU
  /// Find the primary services with these UUIDs, or all of them.
  case discoverServices([BluetoothUUID]?)
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
  /// Subscribe to Service Changed, if the server has it: `PeerLink.Report.servicesChanged` then
  /// follows each change.
  case watchServices
  /// Send nothing: it ends once the operations before it have ended.
  case pass
  /// Read the RSSI of the link, outside of its queue.
  case readRSSI
  /// Open a channel, outside of the link's queue.
  case openChannel(SPSM, ChannelPipe)

  /// Whether it waits in its link's queue.
  var isQueued: Bool {
    switch self {
    case .readRSSI, .openChannel: false
    default: true
    }
  }

  /// Whether a program asked for a value. Requests of this module itself do not start a pairing,
  /// and discovery needs no permission (Core Specification, Vol 3, Part G, 8.1).
  var isOfProgram: Bool {
    switch self {
    case .read, .write, .subscribe, .configure: true
    default: false
    }
  }
}

/// The result of an operation.
enum OperationOutput: Equatable, Sendable {
  /// The MTU now in force.
  case mtu(ATTMTU)
  /// The services found: by handle, for each UUID.
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
  /// The operations before it have ended.
  case passed
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

extension AttributeHandleRange {
  /// An empty range: an operation on it finds nothing and sends nothing.
  static let nowhere = AttributeHandleRange(start: .last, end: .first)

  func contains(_ handle: AttributeHandle) -> Bool { start <= handle && handle <= end }

  func overlaps(_ other: AttributeHandleRange) -> Bool { start <= other.end && other.start <= end }
}
