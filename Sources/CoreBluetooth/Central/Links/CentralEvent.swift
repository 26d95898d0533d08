import BluetoothHost

/// Identifies a link that this device asked for, from that call to the event of its end. Never
/// reused.
struct LinkID: RawRepresentable, Hashable {
  var rawValue: UInt32
}

/// What has happened to a device as a central.
enum CentralEvent: Equatable, Sendable {
  /// The controller works.
  case ready
  /// The controller has lost its state and is set up again. All links have ended.
  case restarted
  /// The controller failed. All links have ended; the host is starting the controller again.
  case radioFault(RadioFault)
  /// The radio was lost, or the controller failed for the third time without hearing a peer in
  /// between. After failures the host keeps resetting the controller.
  case radioFailed(RadioFault)
  /// The controller refused to scan, and the scan has ended.
  case scanFailed(HCIErrorCode)
  /// An advertiser was received: for the first time, with more data than before, or, if duplicates
  /// are allowed, again.
  case discovered(Discovery)
  case connected(LinkID, peer: DeviceAddress)
  /// A link could not be made.
  case connectionFailed(LinkID, ConnectionFailure)
  /// A link has ended, after each of its operations has been completed.
  case disconnected(LinkID, DisconnectionReason)
  case completed(OperationID, LinkID, Result<OperationOutput, OperationError>)
  /// The server sent a value: a notification, or an indication that has been confirmed.
  case notified(LinkID, handle: AttributeHandle, value: [UInt8])
  /// After `watchServices`: the server's attributes in this range have changed.
  case servicesChanged(LinkID, AttributeHandleRange)
}

/// Why a link could not be made.
enum ConnectionFailure: Error, Equatable {
  /// This device cancelled it.
  case cancelled
  /// The controller's reason.
  case controller(HCIErrorCode)
  /// The radio failed.
  case radioLost
}

/// Why a link has ended.
enum DisconnectionReason: Equatable {
  /// The controller's reason: `remoteUserTerminatedConnection` if the peer ended it,
  /// `connectionTerminatedByLocalHost` if this side did.
  case controller(HCIErrorCode)
  /// The link could not be encrypted with the key of its bond.
  case encryptionFailed(HCIErrorCode)
  /// The radio failed.
  case radioLost
}
