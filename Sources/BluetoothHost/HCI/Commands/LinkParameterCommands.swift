/// Changes the connection parameters of a link.
///
/// Core Specification, Vol 4, Part E, 7.8.18. Answered by Command Status, then LE Connection Update Complete.
public struct LEConnectionUpdate: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leConnectionUpdate

  /// The link.
  public var handle: ConnectionHandle
  /// The connection parameters that are wanted.
  public var parameters: ConnectionParameters
  /// A hint, in 0.625 ms.
  public var minimumEventLength: UInt16
  /// A hint, in 0.625 ms.
  public var maximumEventLength: UInt16

  /// A command with these parameters.
  public init(
    handle: ConnectionHandle,
    parameters: ConnectionParameters,
    minimumEventLength: UInt16 = 0,
    maximumEventLength: UInt16 = 0
  ) {
    self.handle = handle
    self.parameters = parameters
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader),
      let parameters = ConnectionParameters(&reader),
      let minimumEventLength = reader.readUInt16(),
      let maximumEventLength = reader.readUInt16()
    else { return nil }
    self.handle = handle
    self.parameters = parameters
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    parameters.write(to: &writer)
    writer.write(minimumEventLength)
    writer.write(maximumEventLength)
  }
}

/// Accepts the connection parameters that the other side asked for.
///
/// Core Specification, Vol 4, Part E, 7.8.31.
public struct LERemoteConnectionParameterRequestReply: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply

  /// The link.
  public var handle: ConnectionHandle
  /// The connection parameters that are wanted.
  public var parameters: ConnectionParameters
  /// A hint, in 0.625 ms.
  public var minimumEventLength: UInt16
  /// A hint, in 0.625 ms.
  public var maximumEventLength: UInt16

  /// A command with these parameters.
  public init(
    handle: ConnectionHandle,
    parameters: ConnectionParameters,
    minimumEventLength: UInt16 = 0,
    maximumEventLength: UInt16 = 0
  ) {
    self.handle = handle
    self.parameters = parameters
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader),
      let parameters = ConnectionParameters(&reader),
      let minimumEventLength = reader.readUInt16(),
      let maximumEventLength = reader.readUInt16()
    else { return nil }
    self.handle = handle
    self.parameters = parameters
    self.minimumEventLength = minimumEventLength
    self.maximumEventLength = maximumEventLength
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    parameters.write(to: &writer)
    writer.write(minimumEventLength)
    writer.write(maximumEventLength)
  }
}

/// Refuses the connection parameters that the other side asked for.
///
/// Core Specification, Vol 4, Part E, 7.8.32.
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply

  /// The link.
  public var handle: ConnectionHandle
  /// Why, for the other side.
  public var reason: HCIErrorCode

  /// A command with these parameters.
  public init(handle: ConnectionHandle, reason: HCIErrorCode) {
    self.handle = handle
    self.reason = reason
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let reason = reader.readUInt8() else {
      return nil
    }
    self.init(handle: handle, reason: HCIErrorCode(rawValue: reason))
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(reason.rawValue)
  }
}

/// Suggests how long a packet over the air may be.
///
/// Core Specification, Vol 4, Part E, 7.8.33.
public struct LESetDataLength: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leSetDataLength

  /// The link.
  public var handle: ConnectionHandle
  /// 27 to 251 bytes.
  public var transmitOctets: UInt16
  /// 328 to 17,040 µs.
  public var transmitTime: UInt16

  /// A command with these parameters.
  public init(handle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16) {
    self.handle = handle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader),
      let transmitOctets = reader.readUInt16(),
      let transmitTime = reader.readUInt16()
    else { return nil }
    self.handle = handle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(transmitOctets)
    writer.write(transmitTime)
  }
}

/// Suggests which physical layers a link may use.
///
/// Core Specification, Vol 4, Part E, 7.8.49. Answered by Command Status, then LE PHY Update Complete.
public struct LESetPHY: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leSetPHY

  /// The link.
  public var handle: ConnectionHandle
  /// Bit 0: no preference for transmitting; bit 1: none for receiving.
  public var allPHYs: UInt8
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  public var transmitPHYs: UInt8
  /// Bit 0: 1M; bit 1: 2M; bit 2: coded.
  public var receivePHYs: UInt8
  /// How a coded PHY is coded; 0 for no preference.
  public var options: UInt16

  /// A command with these parameters.
  public init(
    handle: ConnectionHandle,
    allPHYs: UInt8,
    transmitPHYs: UInt8,
    receivePHYs: UInt8,
    options: UInt16
  ) {
    self.handle = handle
    self.allPHYs = allPHYs
    self.transmitPHYs = transmitPHYs
    self.receivePHYs = receivePHYs
    self.options = options
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader),
      let allPHYs = reader.readUInt8(),
      let transmitPHYs = reader.readUInt8(),
      let receivePHYs = reader.readUInt8(),
      let options = reader.readUInt16()
    else { return nil }
    self.handle = handle
    self.allPHYs = allPHYs
    self.transmitPHYs = transmitPHYs
    self.receivePHYs = receivePHYs
    self.options = options
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(allPHYs)
    writer.write(transmitPHYs)
    writer.write(receivePHYs)
    writer.write(options)
  }
}
