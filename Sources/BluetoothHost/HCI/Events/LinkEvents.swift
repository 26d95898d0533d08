/// A link has ended.
///
/// Core Specification, Vol 4, Part E, 7.7.5.
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

/// Encryption of a link was turned on or off.
///
/// Core Specification, Vol 4, Part E, 7.7.8.
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

/// The controller has failed, and lost its state.
///
/// Core Specification, Vol 4, Part E, 7.7.16.
public struct HardwareError: HCIEvent, Equatable {
  /// The event's code.
  public static let code = HCIEventCode.hardwareError

  /// The vendor's code for the failure.
  public var hardwareCode: UInt8

  /// Creates an event with these parameters.
  public init(hardwareCode: UInt8) {
    self.hardwareCode = hardwareCode
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let hardwareCode = reader.readUInt8()
    else { return nil }
    self.hardwareCode = hardwareCode
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(hardwareCode)
  }
}

/// The central starts encryption, and the controller requests the key.
///
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
