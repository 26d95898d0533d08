import BluetoothHost

/// What a GATT client can do on a link. Operations of one link are carried out in the order in
/// which they were asked for, one at a time.
///
/// Core Specification, Vol 3, Part G, 4.
public enum Operation: Equatable, Sendable {
  /// Agree on how long a PDU may be. A server without this request leaves the MTU at 23.
  case exchangeMTU(ATTMTU)
  /// Find the primary services with this UUID, or all of them.
  case discoverServices(BluetoothUUID?)
  /// Find the services that the service with this range includes.
  case discoverIncludedServices(AttributeHandleRange)
  /// Find the characteristics in a service's range.
  case discoverCharacteristics(AttributeHandleRange)
  /// Find the descriptors in a characteristic's `descriptorRange`.
  case discoverDescriptors(AttributeHandleRange)
  /// Read a value whole, with as many requests as it takes.
  case read(AttributeHandle)
  /// Read the value of the first attribute of this type, as far as one response holds it.
  case readFirst(BluetoothUUID)
  /// Write a value of at most 512 bytes and wait for the server to accept it: in one request, or
  /// prepared in parts, each checked against the server's echo, and then executed.
  case write(AttributeHandle, [UInt8])
  /// Write a value of at most MTU − 3 bytes, and do not wait. It completes when it is on its way.
  case writeWithoutResponse(AttributeHandle, [UInt8])
  /// Write a client characteristic configuration descriptor: what the server is to tell of the
  /// characteristic by itself.
  case subscribe(AttributeHandle, ClientConfiguration)
  /// Find the client characteristic configuration descriptor in a characteristic's
  /// `descriptorRange`, and write it.
  case configure(AttributeHandleRange, ClientConfiguration)
  /// Ask the server to tell of changes of its services, if it can: `servicesChanged` then does.
  case watchServices
}

/// What an operation gave.
public enum OperationOutput: Equatable, Sendable {
  /// The MTU now in force.
  case mtu(ATTMTU)
  /// The services found, by handle.
  case services([RemoteService])
  /// The included services found, in the order of their references.
  case includedServices([RemoteService])
  /// The characteristics found, by handle.
  case characteristics([RemoteCharacteristic])
  /// The descriptors found, by handle.
  case descriptors([RemoteDescriptor])
  /// The value read.
  case value([UInt8])
  /// The write was accepted; or, without response, is on its way.
  case written
  /// The descriptor at this handle was written; or there is none.
  case configured(AttributeHandle?)
  /// Where the server tells of changes of its services; `nil` if it does not.
  case watching(AttributeHandle?)
  /// How strongly the peer is heard, in dBm; `nil` if the controller does not know.
  case rssi(Int8?)
}

/// Why an operation gave nothing.
public enum OperationError: Error, Equatable, Sendable {
  /// The server refused, and says why.
  case refused(ErrorResponse)
  /// The server's answer was wrong. After a response to something else the link is closed too,
  /// since no later answer can be told from a belated one.
  case wrongResponse(ResponseFault)
  /// The server did not answer in time. The link is closed: Vol 3, Part F, 3.3.3.
  case timedOut
  /// The link ended before the operation did, or there is no such link.
  case disconnected
  /// The value is longer than this many bytes.
  case tooLong(limit: Int)
}

/// What was wrong with a server's answer.
public enum ResponseFault: Error, Equatable, Sendable {
  /// It answers something that was not asked.
  case unexpected(ATTOpcode, awaited: ATTOpcode)
  /// It is cut short, too long, or not of the form that its opcode demands.
  case malformed(ATTOpcode)
  /// It tells of an attribute outside of what was asked, or not after those told before: going
  /// on would never end.
  case outOfOrder(AttributeHandle)
  /// It does not repeat the part of a value that was to be prepared at this offset.
  case echoDiffers(offset: Int)
  /// The value goes on after the 512 bytes that a value can have.
  case valueTooLong
}
