/// Chooses the events that the controller may send.
///
/// Core Specification, Vol 4, Part E, 7.3.1.
public struct SetEventMask: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.setEventMask

  /// A bit an event.
  public var mask: UInt64

  /// A command with these parameters.
  public init(mask: UInt64) {
    self.mask = mask
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let mask = reader.readUInt64()
    else { return nil }
    self.mask = mask
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(mask)
  }
}

/// Chooses the LE Meta events that the controller may send.
///
/// Core Specification, Vol 4, Part E, 7.8.1.
public struct LESetEventMask: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leSetEventMask

  /// A bit a subevent: bit n for subevent n + 1.
  public var mask: UInt64

  /// A command with these parameters.
  public init(mask: UInt64) {
    self.mask = mask
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let mask = reader.readUInt64()
    else { return nil }
    self.mask = mask
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(mask)
  }
}
