/// Selects the events that the controller may send.
///
/// Core Specification, Vol 4, Part E, 7.3.1.
public struct SetEventMask: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.setEventMask

  /// A bit for each event.
  public var mask: UInt64

  /// Creates a command with these parameters.
  public init(mask: UInt64) {
    self.mask = mask
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let mask = reader.readUInt64()
    else { return nil }
    self.mask = mask
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(mask)
  }
}

/// Selects the LE Meta events that the controller may send.
///
/// Core Specification, Vol 4, Part E, 7.8.1.
public struct LESetEventMask: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetEventMask

  /// Bit n for subevent n + 1.
  public var mask: UInt64

  /// Creates a command with these parameters.
  public init(mask: UInt64) {
    self.mask = mask
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let mask = reader.readUInt64()
    else { return nil }
    self.mask = mask
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(mask)
  }
}
