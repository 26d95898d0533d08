/// An advertising set has stopped: a central has connected, or its time or number of events has
/// passed. Core Specification, Vol 4, Part E, 7.7.65.18.
public struct LEAdvertisingSetTerminated: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.advertisingSetTerminated

  /// `success` if a central has connected; `advertisingTimeout` or `limitReached` otherwise.
  public var status: HCIErrorCode
  /// The advertising set.
  public var handle: UInt8
  /// The link, if a central has connected.
  public var connection: ConnectionHandle
  /// How many advertisements were sent, if the host has limited their number.
  public var completedEvents: UInt8

  /// Creates an event with these parameters.
  public init(
    status: HCIErrorCode, handle: UInt8, connection: ConnectionHandle, completedEvents: UInt8 = 0
  ) {
    self.status = status
    self.handle = handle
    self.connection = connection
    self.completedEvents = completedEvents
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let status = reader.readUInt8(), let handle = reader.readUInt8(),
      let connection = ConnectionHandle(&reader), let events = reader.readUInt8()
    else { return nil }
    self.init(
      status: HCIErrorCode(rawValue: status), handle: handle, connection: connection,
      completedEvents: events)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(status.rawValue)
    writer.write(handle)
    writer.write(connection.rawValue)
    writer.write(completedEvents)
  }
}

/// A scan with a duration has ended: Core Specification, Vol 4, Part E, 7.7.65.17.
public struct LEScanTimeout: LEMetaEvent, Equatable {
  /// The LE Meta subevent.
  public static let subevent = LEMetaSubevent.scanTimeout

  /// Creates an event.
  public init() {}

  /// Writes nothing: the event has no parameters.
  public func writeParameters(to writer: inout ByteWriter) {}
}
