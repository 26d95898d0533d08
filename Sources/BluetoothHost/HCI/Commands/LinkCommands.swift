/// Ends a link. Core Specification, Vol 4, Part E, 7.1.6. Answered by Command Status, then
/// Disconnection Complete.
public struct Disconnect: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.disconnect

  /// The link.
  public var handle: ConnectionHandle
  /// The reason that the peer gets.
  public var reason: HCIErrorCode

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, reason: HCIErrorCode) {
    self.handle = handle
    self.reason = reason
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let reason = reader.readUInt8() else {
      return nil
    }
    self.handle = handle
    self.reason = HCIErrorCode(rawValue: reason)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Reads the signal strength of a link's peer. A successful answer also shows that the link exists.
/// Core Specification, Vol 4, Part E, 7.5.4.
public struct ReadRSSI: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.readRSSI

  /// The link.
  public var handle: ConnectionHandle

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle) { self.handle = handle }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(handle.rawValue) }
}

/// Changes the connection parameters of a link. Core Specification, Vol 4, Part E, 7.8.18. Answered
/// by Command Status, then LE Connection Update Complete.
public struct LEConnectionUpdate: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leConnectionUpdate

  /// The link.
  public var handle: ConnectionHandle
  /// The requested connection parameters.
  public var parameters: ConnectionParameters

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
    self.handle = handle
    self.parameters = parameters
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    parameters.write(to: &writer)
    // The shortest and the longest connection event: no hint.
    writer.write(UInt32(0))
  }
}

/// Accepts the connection parameters that the peer requested:
/// Core Specification, Vol 4, Part E, 7.8.31.
public struct LERemoteConnectionParameterRequestReply: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply

  /// The link.
  public var handle: ConnectionHandle
  /// The requested connection parameters.
  public var parameters: ConnectionParameters

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
    self.handle = handle
    self.parameters = parameters
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    parameters.write(to: &writer)
    // The shortest and the longest connection event: no hint.
    writer.write(UInt32(0))
  }
}

/// Refuses the connection parameters that the peer requested:
/// Core Specification, Vol 4, Part E, 7.8.32.
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply

  /// The link.
  public var handle: ConnectionHandle
  /// The reason for the peer.
  public var reason: HCIErrorCode

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, reason: HCIErrorCode) {
    self.handle = handle
    self.reason = reason
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Suggests the maximum length of a link's packets: Core Specification, Vol 4, Part E, 7.8.33.
public struct LESetDataLength: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetDataLength

  /// The link.
  public var handle: ConnectionHandle
  /// 27 to 251 bytes.
  public var transmitOctets: UInt16
  /// 328 to 17,040 µs.
  public var transmitTime: UInt16

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16) {
    self.handle = handle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(transmitOctets)
    writer.write(transmitTime)
  }
}

/// Sets the preferred PHYs of a link. Core Specification, Vol 4, Part E, 7.8.49. Answered by
/// Command Status, then LE PHY Update Complete.
public struct LESetPHY: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetPHY

  /// The link.
  public var handle: ConnectionHandle
  /// Bit 0: no preference for transmitting; bit 1: no preference for receiving.
  public var allPHYs: UInt8
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  public var transmitPHYs: UInt8
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  public var receivePHYs: UInt8
  /// The preferred coding of the coded PHY; 0 for no preference.
  public var options: UInt16

  /// Creates a command with these parameters.
  public init(
    handle: ConnectionHandle, allPHYs: UInt8, transmitPHYs: UInt8, receivePHYs: UInt8,
    options: UInt16
  ) {
    self.handle = handle
    self.allPHYs = allPHYs
    self.transmitPHYs = transmitPHYs
    self.receivePHYs = receivePHYs
    self.options = options
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(allPHYs)
    writer.write(transmitPHYs)
    writer.write(receivePHYs)
    writer.write(options)
  }
}
