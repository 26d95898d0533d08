import BluetoothHost

/// A link, from the call that asks for it to the event that tells of its end. Never used twice.
public struct LinkID: RawRepresentable, Hashable, Sendable {
  /// A number of this side's own: the peer never sees it.
  public var rawValue: UInt32

  /// Any number, in use or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}

/// One operation on a link, from the call that asks for it to the event that completes it. Never
/// used twice.
public struct OperationID: RawRepresentable, Hashable, Sendable {
  /// A number of this side's own: the peer never sees it.
  public var rawValue: UInt32

  /// Any number, in use or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}

/// What has happened at a central since it was last asked.
public enum CentralEvent: Equatable, Sendable {
  /// The controller is ready, and the central is known by this address.
  case ready(address: DeviceAddress)
  /// The controller failed. All links are gone; the central is starting it again.
  case radioFault(ControllerFault)
  /// The controller failed too often. The central does nothing until `start(at:)`.
  case radioFailed(ControllerFault)
  /// The controller refused to scan, and the scan has ended.
  case scanFailed(HCIErrorCode)
  /// An advertiser was heard: for the first time, or with something new to tell.
  case discovered(Discovery)
  /// A link has been made.
  case connected(LinkID, peer: DeviceAddress)
  /// A link could not be made, and its identifier is no longer of use.
  case connectionFailed(LinkID, ConnectionFailure)
  /// A link has ended, after every operation that waited on it has been completed.
  case disconnected(LinkID, DisconnectionReason)
  /// An operation has ended.
  case completed(OperationID, LinkID, Result<OperationOutput, OperationError>)
  /// The server told a new value: a notification, or an indication that has been confirmed.
  case notified(LinkID, handle: AttributeHandle, value: [UInt8])
  /// After `watchServices`: what the server has in this range is no longer what it was.
  case servicesChanged(LinkID, AttributeHandleRange)
}

/// What went wrong with a controller.
public enum ControllerFault: Error, Equatable, Sendable {
  /// It did not answer this command in time.
  case unanswered(HCIOpcode)
  /// It refused this command, without which it is of no use.
  case refused(HCIOpcode, HCIErrorCode)
  /// Its answer to this command was cut short, or made no sense.
  case malformed(HCIOpcode)
  /// It said that it failed, with its maker's code.
  case hardwareError(UInt8)
  /// It stopped advertising by itself.
  case stoppedAdvertising
  /// The way to it is gone.
  case lost
}

/// Why a link could not be made.
public enum ConnectionFailure: Error, Equatable, Sendable {
  /// The peer did not take the connection in time.
  case timedOut
  /// The caller gave up.
  case cancelled
  /// The controller says why.
  case controller(HCIErrorCode)
  /// The radio failed.
  case radioLost
}

/// Why a link has ended.
public enum DisconnectionReason: Equatable, Sendable {
  /// The controller says why: `remoteUserTerminatedConnection` if the peer ended it,
  /// `connectionTerminatedByLocalHost` if this side did.
  case controller(HCIErrorCode)
  /// The controller never told of the end that it was asked for.
  case unconfirmed
  /// The radio failed.
  case radioLost
}
