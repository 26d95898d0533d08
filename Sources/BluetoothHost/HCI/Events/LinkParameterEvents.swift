/// The connection parameters of a link changed, or could not be changed:
/// Core Specification, Vol 4, Part E, 7.7.65.3.
public struct LEConnectionUpdateComplete: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.connectionUpdateComplete

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle
  /// The connection interval, in units of 1.25 ms, 6 to 3,200.
  public var interval: UInt16
  /// How many connection events the peripheral may skip, 0 to 499.
  public var latency: UInt16
  /// How long the link may be silent until it ends, in units of 10 ms, 10 to 3,200.
  public var supervisionTimeout: UInt16

  /// Creates an event with these parameters.
  public init(
    status: HCIErrorCode, handle: ConnectionHandle, interval: UInt16, latency: UInt16,
    supervisionTimeout: UInt16
  ) {
    self.status = status
    self.handle = handle
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader),
      let interval = reader.readUInt16(), let latency = reader.readUInt16(),
      let supervisionTimeout = reader.readUInt16()
    else { return nil }
    self.status = HCIErrorCode(rawValue: status)
    self.handle = handle
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
    writer.write(interval)
    writer.write(latency)
    writer.write(supervisionTimeout)
  }
}

/// The peer requests other connection parameters: Core Specification, Vol 4, Part E, 7.7.65.6.
public struct LERemoteConnectionParameterRequest: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.remoteConnectionParameterRequest

  /// The link.
  public var handle: ConnectionHandle
  /// The requested connection parameters.
  public var parameters: ConnectionParameters

  /// Creates an event with these parameters.
  public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
    self.handle = handle
    self.parameters = parameters
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let parameters = ConnectionParameters(&reader)
    else { return nil }
    self.handle = handle
    self.parameters = parameters
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    parameters.write(to: &writer)
  }
}

/// The maximum length of a link's packets changed: Core Specification, Vol 4, Part E, 7.7.65.7.
public struct LEDataLengthChange: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.dataLengthChange

  /// The link.
  public var handle: ConnectionHandle
  /// 27 to 251 bytes.
  public var transmitOctets: UInt16
  /// 328 to 17,040 µs.
  public var transmitTime: UInt16
  /// 27 to 251 bytes.
  public var receiveOctets: UInt16
  /// 328 to 17,040 µs.
  public var receiveTime: UInt16

  /// Creates an event with these parameters.
  public init(
    handle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16,
    receiveTime: UInt16
  ) {
    self.handle = handle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
    self.receiveOctets = receiveOctets
    self.receiveTime = receiveTime
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(transmitOctets)
    writer.write(transmitTime)
    writer.write(receiveOctets)
    writer.write(receiveTime)
  }
}

/// The PHYs of a link changed, or could not be changed:
/// Core Specification, Vol 4, Part E, 7.7.65.12.
public struct LEPHYUpdateComplete: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.phyUpdateComplete

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle
  /// 1: 1M; 2: 2M; 3: coded.
  public var transmitPHY: UInt8
  /// 1: 1M; 2: 2M; 3: coded.
  public var receivePHY: UInt8

  /// Creates an event with these parameters.
  public init(status: HCIErrorCode, handle: ConnectionHandle, transmitPHY: UInt8, receivePHY: UInt8)
  {
    self.status = status
    self.handle = handle
    self.transmitPHY = transmitPHY
    self.receivePHY = receivePHY
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
    writer.write(transmitPHY)
    writer.write(receivePHY)
  }
}

/// The subrate of a link changed, or could not be changed: Core Specification, Vol 4, Part E, 7.7.65.35.
public struct LESubrateChange: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.subrateChange

  /// Whether it succeeded.
  public var status: HCIErrorCode
  /// The link.
  public var handle: ConnectionHandle
  /// One connection event in so many is used, 1 to 500.
  public var factor: UInt16
  /// How many of the used events the peripheral may skip, 0 to 499.
  public var latency: UInt16
  /// How many events are used after one with data, at least; 0 to 499.
  public var continuationNumber: UInt16
  /// How long the link may be silent until it ends, in units of 10 ms, 10 to 3,200.
  public var supervisionTimeout: UInt16

  /// Creates an event with these parameters.
  public init(
    status: HCIErrorCode, handle: ConnectionHandle, factor: UInt16, latency: UInt16,
    continuationNumber: UInt16, supervisionTimeout: UInt16
  ) {
    self.status = status
    self.handle = handle
    self.factor = factor
    self.latency = latency
    self.continuationNumber = continuationNumber
    self.supervisionTimeout = supervisionTimeout
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = ConnectionHandle(&reader),
      let factor = reader.readUInt16(), let latency = reader.readUInt16(),
      let continuationNumber = reader.readUInt16(), let supervisionTimeout = reader.readUInt16()
    else { return nil }
    self.init(
      status: HCIErrorCode(rawValue: status), handle: handle, factor: factor, latency: latency,
      continuationNumber: continuationNumber, supervisionTimeout: supervisionTimeout)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle.rawValue)
    writer.write(factor)
    writer.write(latency)
    writer.write(continuationNumber)
    writer.write(supervisionTimeout)
  }
}
