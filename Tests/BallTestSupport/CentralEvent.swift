import BluetoothHost

/// A link, from the connection request to the report of its end. Never reused.
package struct LinkID: Hashable, Sendable {
  let rawValue: Int
}

/// An operation, from its request to `completed`. Never reused.
package struct OperationID: Hashable, Sendable {
  let rawValue: Int
}

/// An operation with the value that it writes. The operations of one link are carried out in the
/// order of their requests.
package enum Operation: Equatable, Sendable {
  /// Agree on the MTU of the central's configuration.
  case exchangeMTU
  /// Find the primary services with this UUID, or all of them.
  case discoverServices(BluetoothUUID?)
  /// Find the characteristics in a service's range.
  case discoverCharacteristics(AttributeHandleRange)
  /// Find the attributes in a range.
  case discoverDescriptors(AttributeHandleRange)
  /// Read a value whole.
  case read(AttributeHandle)
  /// Write a value, and wait for the server to accept it.
  case write(AttributeHandle, [UInt8])
  /// Write a value, and do not wait.
  case writeWithoutResponse(AttributeHandle, [UInt8])
  /// Write a Client Characteristic Configuration.
  case subscribe(AttributeHandle, ClientConfiguration)

  /// The host's form of the operation.
  var request: ClientOperation {
    switch self {
    case .exchangeMTU: .exchangeMTU
    case .discoverServices(nil): .discoverServices
    case .discoverServices(let uuid?): .discoverServicesByUUID(uuid)
    case .discoverCharacteristics(let range): .discoverCharacteristics(range)
    case .discoverDescriptors(let range): .discoverDescriptors(range)
    case .read(let handle): .read(handle)
    case .write(let handle, let value): .write(handle, byteCount: value.count)
    case .writeWithoutResponse(let handle, let value):
      .writeWithoutResponse(handle, byteCount: value.count)
    case .subscribe(let handle, let configuration): .subscribe(handle, configuration)
    }
  }

  /// The value that it writes.
  var value: [UInt8] {
    switch self {
    case .write(_, let value), .writeWithoutResponse(_, let value): value
    default: []
    }
  }
}

/// The result of an operation.
package enum OperationOutput: Equatable, Sendable {
  /// The MTU now in force.
  case mtu(ATTMTU)
  /// The services found, by handle.
  case services([RemoteService])
  /// The characteristics found, by handle.
  case characteristics([RemoteCharacteristic])
  /// The attributes found, by handle.
  case descriptors([RemoteDescriptor])
  /// The value read.
  case value([UInt8])
  /// The write was accepted; or, without response, is on its way.
  case written
}

/// Why a link could not be made.
package enum ConnectionFailure: Error, Equatable, Sendable {
  /// The peer did not accept the connection in time.
  case timedOut
  /// The caller cancelled.
  case cancelled
  /// The controller's reason; `hardwareFailure` if the controller failed.
  case controller(HCIErrorCode)
}

/// An event of a central.
package enum CentralEvent: Equatable, Sendable {
  /// The controller works, and the central has this address.
  case ready(address: DeviceAddress)
  /// The controller failed and is restarted. Its links have ended before.
  case radioFault(RadioFault)
  /// The controller refused to scan, and the scan has ended.
  case scanFailed(HCIErrorCode)
  /// An advertiser was found, or sent something new.
  case discovered(Discovery)
  /// A link was made.
  case connected(LinkID, peer: DeviceAddress)
  /// A link could not be made.
  case connectionFailed(LinkID, ConnectionFailure)
  /// A link has ended. Its operations were completed before.
  case disconnected(LinkID, HCIErrorCode)
  /// An operation has ended.
  case completed(OperationID, LinkID, Result<OperationOutput, OperationError>)
  /// The server sent a value.
  case notified(LinkID, handle: AttributeHandle, value: [UInt8])
}
