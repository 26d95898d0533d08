/// A link was made, or an attempt to connect has ended.
/// Core Specification, Vol 4, Part E, 7.7.65.1, and the enhanced form of 7.7.65.10, which adds the
/// two resolvable private addresses. This type reads both.
public struct LEConnectionComplete: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.connectionComplete

  /// A device's role on a link.
  public struct Role: RawRepresentable, Equatable, Sendable {
    /// The value in the packet.
    public var rawValue: UInt8

    /// Any value, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It initiated the link.
    public static let central = Role(rawValue: 0x00)
    /// It advertised.
    public static let peripheral = Role(rawValue: 0x01)
  }

  /// Whether there is a link.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle
  /// This device's role.
  public var role: Role
  /// The peer.
  public var peer: DeviceAddress
  /// The connection interval, in units of 1.25 ms, 6 to 3,200.
  public var interval: UInt16
  /// How many connection events the peripheral may skip, 0 to 499.
  public var latency: UInt16
  /// How long the link may be silent until it ends, in units of 10 ms, 10 to 3,200.
  public var supervisionTimeout: UInt16
  /// The code of the central's clock accuracy; only valid for a peripheral.
  public var centralClockAccuracy: UInt8

  /// Creates an event with these parameters.
  public init(
    status: HCIErrorCode, handle: ConnectionHandle, role: Role, peer: DeviceAddress,
    interval: UInt16, latency: UInt16, supervisionTimeout: UInt16, centralClockAccuracy: UInt8 = 0
  ) {
    self.status = status
    self.handle = handle
    self.role = role
    self.peer = peer
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.centralClockAccuracy = centralClockAccuracy
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) { self.init(&reader, enhanced: false) }

  /// Reads either form.
  public init?(_ reader: inout ByteReader, enhanced: Bool) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader),
      let role = reader.readUInt8(), let peer = DeviceAddress(&reader)
    else { return nil }
    if enhanced {
      // The two resolvable private addresses in use: see `ResolvableAddresses`.
      guard reader.readBytes(12) != nil else { return nil }
    }
    guard let interval = reader.readUInt16(), let latency = reader.readUInt16(),
      let timeout = reader.readUInt16(), let accuracy = reader.readUInt8()
    else { return nil }
    self.init(
      status: HCIErrorCode(rawValue: status), handle: handle, role: Role(rawValue: role),
      peer: peer, interval: interval, latency: latency, supervisionTimeout: timeout,
      centralClockAccuracy: accuracy)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
    writer.write(role.rawValue)
    peer.write(to: &writer)
    writer.write(interval)
    writer.write(latency)
    writer.write(supervisionTimeout)
    writer.write(centralClockAccuracy)
  }
}

/// The resolvable private addresses of a link, from LE Enhanced Connection Complete.
/// Core Specification, Vol 4, Part E, 7.7.65.10. A controller that resolves addresses reports the
/// peer's identity address, but pairing needs the addresses of the link.
public struct ResolvableAddresses: Equatable, Sendable {
  /// The address of this device; `nil` if it is of another kind, or not reported.
  public var local: DeviceAddress?
  /// The address of the peer if the controller has resolved it; otherwise `nil`.
  public var peer: DeviceAddress?

  /// No addresses.
  public init() {}

  /// Reads the addresses from the event's parameters after the subevent; none if they are too
  /// short.
  public init(_ parameters: borrowing ByteReader) {
    var reader = copy parameters
    // Status, handle, role, and the peer's address with its type.
    guard reader.readBytes(11) != nil, let local = DeviceAddress(&reader, kind: .random),
      let peer = DeviceAddress(&reader, kind: .random)
    else { return }
    // Zeros mean no address.
    if local.bytes[5] != 0 { self.local = local }
    if peer.bytes[5] != 0 { self.peer = peer }
  }
}

/// A link has ended: Core Specification, Vol 4, Part E, 7.7.5.
public struct DisconnectionComplete: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.disconnectionComplete

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle
  /// The reason.
  public var reason: HCIErrorCode

  /// Creates an event with these parameters.
  public init(status: HCIErrorCode, handle: ConnectionHandle, reason: HCIErrorCode) {
    self.status = status
    self.handle = handle
    self.reason = reason
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader),
      let reason = reader.readUInt8()
    else { return nil }
    self.status = HCIErrorCode(rawValue: status)
    self.handle = handle
    self.reason = HCIErrorCode(rawValue: reason)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Encryption of a link was turned on or off: Core Specification, Vol 4, Part E, 7.7.8.
public struct EncryptionChange: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.encryptionChange

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle
  /// 0x00 off; 0x01 on, with AES-CCM for LE.
  public var enabled: UInt8

  /// Creates an event with these parameters.
  public init(status: HCIErrorCode, handle: ConnectionHandle, enabled: UInt8) {
    self.status = status
    self.handle = handle
    self.enabled = enabled
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader),
      let enabled = reader.readUInt8()
    else { return nil }
    self.status = HCIErrorCode(rawValue: status)
    self.handle = handle
    self.enabled = enabled
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
    writer.write(enabled)
  }
}

/// The controller has failed, and lost its state: Core Specification, Vol 4, Part E, 7.7.16.
public struct HardwareError: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.hardwareError

  /// The vendor's code for the failure.
  public var hardwareCode: UInt8

  /// Creates an event with these parameters.
  public init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let hardwareCode = reader.readUInt8() else { return nil }
    self.hardwareCode = hardwareCode
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(hardwareCode) }
}

/// The central starts encryption, and the controller requests the key:
/// Core Specification, Vol 4, Part E, 7.7.65.5.
public struct LELongTermKeyRequest: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.longTermKeyRequest

  /// The link.
  public var handle: ConnectionHandle
  /// Identifies the key, with the diversifier.
  public var randomNumber: UInt64
  /// Identifies the key, with the random number.
  public var encryptedDiversifier: UInt16

  /// Creates an event with these parameters.
  public init(handle: ConnectionHandle, randomNumber: UInt64, encryptedDiversifier: UInt16) {
    self.handle = handle
    self.randomNumber = randomNumber
    self.encryptedDiversifier = encryptedDiversifier
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let randomNumber = reader.readUInt64(),
      let encryptedDiversifier = reader.readUInt16()
    else { return nil }
    self.handle = handle
    self.randomNumber = randomNumber
    self.encryptedDiversifier = encryptedDiversifier
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(randomNumber)
    writer.write(encryptedDiversifier)
  }
}

/// The key of an encrypted link has changed, or could not be changed:
/// Core Specification, Vol 4, Part E, 7.7.39.
public struct EncryptionKeyRefreshComplete: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.encryptionKeyRefreshComplete

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle

  /// Creates an event with these parameters.
  public init(status: HCIErrorCode, handle: ConnectionHandle) {
    self.status = status
    self.handle = handle
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader) else {
      return nil
    }
    self.init(status: HCIErrorCode(rawValue: status), handle: handle)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
  }
}
